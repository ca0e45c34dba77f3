/** A report as one page: totals and result, failures as timelines, and the grid of calls and faults of each step. */
import { packageVersion } from '../../../client/user-agent.ts'
import { bySize, type ExploredStep, type ExploreReport } from '../report.ts'
import { failureSection } from './failure.ts'
import { gridSection, triedFaults } from './grid.ts'
import { element, html, type Markup } from './markup.ts'
import { pageScript, pageScriptHash } from './page-script.ts'
import { pageStyle } from './page-style.ts'

/** Nothing is loaded, and no script but ours runs. */
const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src '${pageScriptHash}'`

export function reportHtml(report: ExploreReport): string {
  const { failures, steps } = report
  const title = failures.length === 0 ? 'Converges' : number(failures.length, 'failure')
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Coxswain explorer</title>
        ${element('style', pageStyle)}
      </head>
      <body>
        <header>${resultLine(report)} ${totals(report)}</header>
        <main>
          ${failures.length === 0 ? undefined : failureList(report)} ${steps.length === 0 ? undefined : grids(report)}
          ${optedOut(steps)}
        </main>
        <footer>Written by <code>coxswain explore</code> ${packageVersion}. Times in timelines are simulated.</footer>
        <aside id="detail" role="status" hidden></aside>
        ${element('script', pageScript)}
      </body>
    </html> `.text
}

function resultLine({ failures, steps }: ExploreReport): Markup {
  if (failures.length === 0)
    return html`<h1 class="ok"><span class="seal" aria-hidden="true">✓</span> The operator converges</h1>
      <p class="lead">Every schedule came to the same end as the run without faults.</p>`
  const withoutFaults = failures.filter(({ run }) => run === 'none').length
  const failing = number(new Set(failures.map(({ step }) => step)).size, 'step')
  const why =
    withoutFaults > 0
      ? 'The scenario fails without any fault. Nothing else was tried after that step.'
      : `In ${failing} of ${steps.length}, the operator comes to another end than without faults.`
  return html`<h1 class="failed">
      <span class="seal" aria-hidden="true">✗</span> ${number(failures.length, 'failure')}
    </h1>
    <p class="lead">${why}</p>`
}

function totals({ steps, tried, took, processes, failures }: ExploreReport): Markup {
  const calls = steps.reduce((sum, step) => sum + step.calls.length, 0)
  const rate = took === 0 ? '–' : Math.round((tried / (took * processes)) * 60_000).toLocaleString('en')
  const facts: readonly (readonly [string, string])[] = [
    ['steps', steps.length.toLocaleString('en')],
    ['API calls', calls.toLocaleString('en')],
    ['schedules', tried.toLocaleString('en')],
    ['failures', failures.length.toLocaleString('en')],
    ['time', took < 90_000 ? `${(took / 1000).toFixed(1)} s` : `${(took / 60_000).toFixed(1)} min`],
    ['per minute and core', rate],
  ]
  return html`<dl class="totals">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}

function failureList({ failures }: ExploreReport): Markup {
  const ordered = failures.toSorted(
    (a, b) => Number(b.timeline !== undefined) - Number(a.timeline !== undefined) || bySize(a, b),
  )
  return html`<section aria-labelledby="failures">
    <div class="bar">
      <h2 id="failures">Failures</h2>
      <label class="filter"
        ><span>Filter</span> <input id="filter-failures" type="search" placeholder="step, fault or text"
      /></label>
      <span class="count" id="count-failures" role="status"></span>
    </div>
    <p class="hint">The simplest first. Each shows the run without faults beside the one that fails.</p>
    ${ordered.map((failure, index) => failureSection(failure, index === 0))}
  </section>`
}

function grids(report: ExploreReport): Markup {
  const faults = triedFaults(report)
  return html`<section aria-labelledby="grid">
    <div class="bar">
      <h2 id="grid">Calls and faults</h2>
      <label class="filter"
        ><span>Filter</span> <input id="filter-steps" type="search" placeholder="step or call"
      /></label>
      <label class="check"><input id="only-failed" type="checkbox" /> only failures</label>
      <span class="count" id="count-steps" role="status"></span>
    </div>
    <p class="legend">
      <span class="mark ok">✓</span> same end <span class="mark failed">✗</span> failed
      <span class="mark none">·</span> not tried, or not possible there. Arrow keys move; Enter explains.
    </p>
    ${report.steps.map((step) => gridSection(report, step, faults))}
  </section>`
}

const expectations = {
  ready: '',
  'not ready': 'at least one object need not be ready',
  failing: 'a key keeps failing',
  'no writes': 'the operator need not write anything',
}

function optedOut(steps: readonly ExploredStep[]): Markup | undefined {
  const rows = steps.flatMap(({ name, expects, hasOwnRest }) => [
    ...(expects === undefined
      ? []
      : [
          html`<tr>
            <th scope="row">${name}</th>
            <td><code>${expects}</code></td>
            <td>${expectations[expects]}</td>
          </tr>`,
        ]),
    ...(hasOwnRest === true
      ? [
          html`<tr>
            <th scope="row">${name}</th>
            <td><code>rest</code></td>
            <td>has a rest of its own: not checked at rest</td>
          </tr>`,
        ]
      : []),
  ])
  if (rows.length === 0)
    return html`<section aria-labelledby="opted">
      <h2 id="opted">Opted-out expectations</h2>
      <p class="hint">None: every step ends with all objects ready, and with an operator that is silent.</p>
    </section>`
  return html`<section aria-labelledby="opted">
    <h2 id="opted">Opted-out expectations</h2>
    <p class="hint">These steps do not promise that everything is ready and silent at their end.</p>
    <div class="scroll">
      <table class="plain">
        <thead>
          <tr>
            <th>step</th>
            <th>expects</th>
            <th>meaning</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </section>`
}

function number(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
