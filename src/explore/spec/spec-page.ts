/** A report of a spec as one page: what is wrong, and each property with its operations. */
import { packageVersion } from '../../client/user-agent.ts'
import { element, html, type Markup } from '../report/html/markup.ts'
import { pageStyle } from '../report/html/page-style.ts'
import { operationClasses, type OperationClass } from './operations.ts'
import { specSummary, type PlayedOperation, type SpecProperty, type SpecReport } from './spec-report.ts'

/** Nothing is loaded, and no script runs. */
const policy = "default-src 'none'; style-src 'unsafe-inline'"

const tableStyle = 'table { border-collapse: collapse } td, th { padding: 4px 12px 4px 0; text-align: left }'

export function specHtml(report: SpecReport): string {
  const { kind, operations, problems, properties } = report
  const failed = operations.filter(({ outcome }) => outcome === 'failed')
  const isGood = failed.length === 0 && problems.length === 0
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${kind} · Coxswain explorer</title>
        ${element('style', `${pageStyle}${tableStyle}`)}
      </head>
      <body>
        <header>
          <h1 class="${isGood ? 'ok' : 'failed'}">
            <span class="seal" aria-hidden="true">${isGood ? '✓' : '✗'}</span> The spec of ${kind}
          </h1>
          <p class="lead">${specSummary(report)}</p>
        </header>
        <main>
          ${listed('Wrong before any operation', problems)} ${failed.map(failure)}
          ${listed(
            'Properties that are not covered',
            properties.filter(({ isCovered }) => !isCovered).map(({ path, reason = '' }) => `${path}: ${reason}`),
          )}
          ${table(properties, operations)}
        </main>
        <footer>Written by <code>coxswain explore --spec</code> ${packageVersion}.</footer>
      </body>
    </html> `.text
}

function listed(title: string, lines: readonly string[]): Markup | undefined {
  if (lines.length === 0) return undefined
  return html`<section>
    <h2>${title}</h2>
    <ul>
      ${lines.map((line) => html`<li>${line}</li>`)}
    </ul>
  </section>`
}

function failure({ id, patch, problems }: PlayedOperation): Markup {
  return html`<section>
    <h2>${id}</h2>
    <p><code>${JSON.stringify(patch)}</code></p>
    <ul>
      ${problems.map((problem) => html`<li>${problem}</li>`)}
    </ul>
  </section>`
}

function table(properties: readonly SpecProperty[], operations: readonly PlayedOperation[]): Markup {
  return html`<section>
    <h2>Properties</h2>
    <table>
      <thead>
        <tr>
          <th>property</th>
          <th>covered</th>
          ${operationClasses.map((each) => html`<th>${each}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${properties.map((property) => row(property, operations))}
      </tbody>
    </table>
  </section>`
}

function row({ path, isCovered }: SpecProperty, operations: readonly PlayedOperation[]): Markup {
  const own = operations.filter((each) => each.path === path)
  return html`<tr>
    <th><code>${path}</code></th>
    <td>${isCovered ? (own.length > 0 ? 'yes' : 'below') : 'no'}</td>
    ${operationClasses.map((each) => html`<td>${outcomes(each, own)}</td>`)}
  </tr>`
}

function outcomes(of: OperationClass, own: readonly PlayedOperation[]): string {
  const counts = new Map<string, number>()
  for (const each of own) if (each.class === of) counts.set(each.outcome, (counts.get(each.outcome) ?? 0) + 1)
  return [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ')
}
