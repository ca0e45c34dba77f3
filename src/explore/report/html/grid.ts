/** The grid of a step: a row for each call, a column for each fault, and how the schedule ended. */
import { describeFault, faultNames, type FaultName } from '../../faults.ts'
import { callAt, type Point } from '../../point.ts'
import { scheduleText } from '../../schedule.ts'
import { pointsOf } from '../junit.ts'
import type { ExploredStep, ExploreReport, TriedFault } from '../report.ts'
import { seconds, shortPath } from '../timeline-text.ts'
import { failureId } from './failure.ts'
import { html, type Markup } from './markup.ts'

/** More steps than this are shown closed, unless they have failures. */
const openSteps = 3

/** The faults that were tried anywhere, in the order of the documentation. */
export function triedFaults({ singleFaults }: ExploreReport): readonly FaultName[] {
  const tried = new Set(singleFaults.map(({ fault }) => fault))
  return faultNames.filter((name) => tried.has(name))
}

export function gridSection(report: ExploreReport, step: ExploredStep, faults: readonly FaultName[]): Markup {
  const tried = report.singleFaults.filter((each) => each.step === step.name)
  const failed = tried.filter(({ result }) => result === 'failed').length
  const others = report.failures.filter((each) => each.step === step.name).length - failed
  const isOpen = failed > 0 || report.steps.length <= openSteps
  const bad = failed + others
  return html`<details
    class="step"
    data-text="${step.name}"
    ${isOpen ? html` open` : undefined}${bad > 0 ? html` data-failed` : undefined}
  >
    <summary>
      <span class="mark ${bad > 0 ? 'failed' : 'ok'}" aria-hidden="true">${bad > 0 ? '✗' : '✓'}</span>
      <b>${step.name}</b>
      <span class="muted"
        >${step.calls.length} calls, ${tried.length} schedules${bad > 0 ? `, ${bad} failed` : ''}</span
      >
    </summary>
    ${tried.length === 0 ? nothingTried : table(step, tried, faults)}
  </details>`
}

const nothingTried = html`<p class="hint">No schedule of one fault was tried in this step.</p>`

function columnHead(fault: FaultName): Markup {
  return html`<th scope="col" class="fault" title="${describeFault(fault)}"><span>${fault}</span></th>`
}

function table(step: ExploredStep, tried: readonly TriedFault[], faults: readonly FaultName[]): Markup {
  const results = new Map(tried.map((each) => [`${each.at} ${each.fault}`, each]))
  const calls = step.calls.map((_, index) => String(index + 1))
  const others = pointsOf(tried, step.name).filter((at) => !calls.includes(at))
  return html`<div class="scroll">
    <table class="grid">
      <thead>
        <tr>
          <th class="call">call</th>
          ${faults.map(columnHead)}
        </tr>
      </thead>
      <tbody>
        ${[...calls, ...others].map((at) => row(step, at, faults, results))}
      </tbody>
    </table>
  </div>`
}

function row(
  step: ExploredStep,
  at: Point,
  faults: readonly FaultName[],
  results: ReadonlyMap<string, TriedFault>,
): Markup {
  const call = step.calls[(callAt(at) ?? 0) - 1]
  const what =
    call === undefined
      ? html`<code>${at}</code>`
      : html`<span class="n">${at}</span><b>${call.method}</b> <code title="${call.path}">${shortPath(call.path)}</code
          ><span class="at">${seconds(call.at)}</span>`
  return html`<tr>
    <th scope="row" class="call">${what}</th>
    ${faults.map((fault) => cell(step, results.get(`${at} ${fault}`), fault))}
  </tr> `
}

function cell(step: ExploredStep, tried: TriedFault | undefined, fault: FaultName): Markup {
  if (tried === undefined) return html`<td class="none">·</td>`
  const id = scheduleText({ step: step.name, faults: [tried] })
  const isOk = tried.result === 'ok'
  return html`<td>
    <button
      class="mark ${isOk ? 'ok' : 'failed'}"
      tabindex="-1"
      aria-label="${fault}: ${isOk ? 'same end' : 'failed'}"
      data-id="${id}"
      data-fault="${describeFault(fault)}"
      ${isOk ? undefined : html` data-link="${failureId(id)}"`}
    >
      ${isOk ? '✓' : '✗'}
    </button>
  </td>`
}
