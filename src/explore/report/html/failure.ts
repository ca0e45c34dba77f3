/** A failure: what is wrong, how to run it again, and the two runs side by side. */
import type { FieldChange } from '../../../flow/trace.ts'
import { describeFault } from '../../faults.ts'
import type { ShrunkFailure } from '../../shrunk.ts'
import type { Timeline, TimelineEntry, TimelineRow } from '../../timeline.ts'
import type { ExploreFailure } from '../report.ts'
import { mainProblem } from '../report-text.ts'
import { responseText, resultText, seconds, shortPath } from '../timeline-text.ts'
import { html, type Markup } from './markup.ts'

/** Equal rows to show before and after a difference; longer stretches are folded. */
const context = 4
const shownFields = 4

/** The anchor of a failure: without characters that a link would need to escape. */
export function failureId(id: string): string {
  const escape = (char: string): string => `_${char.codePointAt(0)?.toString(16) ?? ''}_`
  return `failure-${id.replaceAll(/[^\w.-]/gu, escape)}`
}

export function failureSection(failure: ExploreFailure, isOpen: boolean): Markup {
  const { id, timeline, run, shrunk } = failure
  const { problems, ...shown } = shrunk ?? failure
  return html`<details
    class="failure"
    id="${failureId(id)}"
    data-text="${[id, ...problems].join(' ')}"
    ${isOpen ? html` open` : undefined}
  >
    <summary>
      <span class="mark failed" aria-hidden="true">✗</span> <b>${id}</b>
      <span class="muted">${mainProblem(problems)}</span>
    </summary>
    <div class="body">
      <ul class="faults">
        ${faultItems(run, shown)}
      </ul>
      ${shrunk === undefined || shrunk.id === id ? undefined : shrunkNote(id, shrunk)}
      <h3>What is wrong at the end</h3>
      <ul class="problems">
        ${problems.map((problem) => html`<li>${problem}</li>`)}
      </ul>
      <h3>Run only this again</h3>
      ${command(run === 'faults' ? `--only ${quoted(shown.id)}` : `--at-most 1 # the failure needs no fault`)}
      ${timeline === undefined ? notRecorded : timelineBlock(timeline, run)}
    </div>
  </details>`
}

const notRecorded = html`<p class="hint">
  Not recorded: there are simpler failures. Run it alone to see its timeline.
</p>`

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function command(options: string): Markup {
  return html`<div class="command">
    <code>coxswain explore MODULE ${options}</code><button class="copy" type="button">Copy</button>
  </div>`
}

function shrunkNote(id: string, { steps, isComplete }: ShrunkFailure): Markup {
  return html`<p class="hint">
    Shrunk from <code>${id}</code>, which has the same problem; needs the steps:
    ${steps.join(', ')}.${isComplete ? '' : ' The limit of attempts was reached.'}
  </p>`
}

function faultItems(
  run: ExploreFailure['run'],
  { faults, calls }: Pick<ExploreFailure, 'faults' | 'calls'>,
): readonly Markup[] {
  if (run === 'none') return [html`<li>No fault: the scenario itself fails in this step.</li>`]
  if (run === 'restart') return [html`<li>The operator is restarted before the step.</li>`]
  return faults.map(({ at, fault }) => {
    const call = calls[Number(at) - 1]
    const [method = '', path = ''] = call?.split(' ') ?? []
    const where = call === undefined ? html`at ${at}` : html`at call ${at}, <code>${method} ${shortPath(path)}</code>`
    return html`<li><span class="tag">${fault}</span> ${where}: ${describeFault(fault)}.</li>`
  })
}

function timelineBlock({ rows, firstDifference, dropped }: Timeline, run: ExploreFailure['run']): Markup {
  const isTwoSided = run === 'faults'
  const names = isTwoSided ? ['without the fault', 'with the fault'] : ['what happened']
  return html`<h3>${isTwoSided ? 'Both runs' : 'The run'}</h3>
    ${isTwoSided ? html`<p class="hint narrow"><b>−</b> only without the fault, <b>+</b> only with it</p>` : undefined}
    <div class="timeline${isTwoSided ? '' : ' single'}" role="table" aria-label="timeline">
      <div class="row head" role="row">${names.map((name) => html`<span role="columnheader">${name}</span>`)}</div>
      ${stretches(rows, isTwoSided).map(({ from, to, isFolded }) => {
        const shown = rows
          .slice(from, to)
          .map((row, index) => timelineRow(row, isTwoSided, from + index === firstDifference))
        return isFolded
          ? html`<details class="fold">
              <summary>${to - from} rows in which both runs do the same</summary>
              ${shown}
            </details>`
          : html`${shown}`
      })}
    </div>
    ${dropped > 0 ? html`<p class="hint">${dropped} more are not shown.</p>` : undefined}`
}

interface Stretch {
  readonly from: number
  readonly to: number
  readonly isFolded: boolean
}

/** Rows near a difference, and the folded ones between them. */
function stretches(rows: readonly TimelineRow[], isTwoSided: boolean): readonly Stretch[] {
  const different = rows.flatMap(({ isSame }, index) => (isSame ? [] : [index]))
  if (!isTwoSided || different.length === 0) return [{ from: 0, to: rows.length, isFolded: false }]
  const isNear = rows.map(() => false)
  for (const each of different)
    isNear.fill(true, Math.max(0, each - context), Math.min(rows.length, each + context + 1))
  const found: Stretch[] = []
  for (let from = 0; from < rows.length;) {
    const next = isNear.indexOf(isNear[from] !== true, from)
    const to = next < 0 ? rows.length : next
    // A fold must be worth its line.
    found.push({ from, to, isFolded: isNear[from] !== true && to - from > 2 })
    from = to
  }
  return found
}

const firstDifferenceRow = html`<div class="first" role="row"><span role="cell">the first difference</span></div>`

function timelineRow({ isSame, twin, run }: TimelineRow, isTwoSided: boolean, isFirst: boolean): Markup {
  const cells = isTwoSided ? html`${side(twin, 'twin')}${side(run, 'run')}` : side(run, 'run')
  return html`${isFirst ? firstDifferenceRow : undefined}
    <div class="row${isSame ? '' : ' differs'}" role="row">${cells}</div> `
}

function side(entry: TimelineEntry | undefined, name: 'twin' | 'run'): Markup {
  return entry === undefined
    ? html`<div class="side ${name} empty" role="cell"></div>`
    : html`<div class="side ${name} of-${entry.type}" role="cell">
        <time>${seconds(entry.at)}</time>
        <div>${entryBody(entry)}</div>
      </div>`
}

function entryBody(entry: TimelineEntry): Markup {
  switch (entry.type) {
    case 'call': {
      const isBad = entry.status === undefined || entry.status >= 400
      const fault =
        entry.fault === undefined
          ? undefined
          : html`<div class="injected"><span aria-hidden="true">⚡</span> ${entry.fault}</div>`
      return html`<span class="n">${entry.call}</span><b>${entry.method}</b>
        <code title="${entry.path}">${shortPath(entry.path)}</code>
        <span class="status${isBad ? ' bad' : ''}">${responseText(entry)}</span>${fault}`
    }
    case 'event':
      return html`event ${entry.event}
        <div class="injected"><span aria-hidden="true">⚡</span> ${entry.fault}</div>`
    case 'change': {
      const { change, object, by, fields } = entry
      const symbol = { create: '+', update: '~', delete: '−' }[change]
      const more = fields.length - shownFields
      return html`<span class="verb">${symbol} ${change}</span> ${object}${by === 'operator' ? '' : ' (by others)'}
        ${fields.slice(0, shownFields).map(fieldLine)}
        ${more > 0 ? html`<div class="field muted">and ${more} more</div>` : undefined}`
    }
    case 'reconcile':
      return html`<span aria-hidden="true">▸</span> reconcile ${entry.object}`
    case 'reconciled':
      return html`<span aria-hidden="true">◂</span>
        <span class="${entry.result === 'error' ? 'bad' : 'muted'}">${resultText(entry)}</span>
        <span class="muted">${entry.object}</span>`
    case 'start':
      return html`<span aria-hidden="true">↻</span> the operator starts again`
  }
}

function fieldLine({ path, before, after }: FieldChange): Markup {
  return html`<div class="field">
    <code>${path}</code>
    ${before === undefined ? undefined : html`<del>${before}</del>`}
    <ins>${after ?? 'nothing'}</ins>
  </div>`
}
