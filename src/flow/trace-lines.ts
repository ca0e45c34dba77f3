/** A trace as readable text: a line for the run, each step, transition, call and event. */
import { truncatedText } from './mask.ts'
import type { CallTrace, StepTrace, Trace, TraceEntry, TraceValue, TriggerTrace } from './trace.ts'

/** The meaning of a line, for colours. */
export type TraceTone = 'run' | 'step' | 'transition' | 'change' | 'quiet' | 'event' | 'warning' | 'error'

export interface TraceLine {
  readonly tone: TraceTone
  /** 0 for the run itself. */
  readonly depth: number
  readonly text: string
}

/** Plain text, with two spaces of indentation per level. `width`: longer lines are truncated. Default: no limit. */
export function traceLines(trace: Trace, { width = Infinity }: { readonly width?: number | undefined } = {}): string[] {
  return linesOfTrace(trace).map(({ depth, text }) => truncatedText(`${'  '.repeat(depth)}${text}`, width))
}

export function linesOfTrace(trace: Trace): TraceLine[] {
  const {
    controller = 'flow',
    namespace,
    name,
    attempt,
    triggers,
    triggerCount,
    ms,
    error,
    after,
    entries,
    dropped,
  } = trace
  const key = [namespace, name].filter((part) => part !== undefined).join('/')
  const tries = attempt > 1 ? `, attempt ${attempt}` : ''
  const end =
    error === undefined
      ? after === undefined
        ? ''
        : `, again in ${durationText(after)}`
      : `, failed: ${error.message}`
  const head: TraceLine = {
    tone: error === undefined ? 'run' : 'error',
    depth: 0,
    text: `${[controller, key].filter(Boolean).join(' ')}: ${reasons(triggers, triggerCount)}${tries}${took(ms)}${end}`,
  }
  const cut: TraceLine[] = dropped === 0 ? [] : [{ tone: 'quiet', depth: 1, text: `${dropped} more are not shown` }]
  return [head, ...entries.flatMap((entry) => linesOf(entry, 1)), ...cut]
}

function linesOf(entry: TraceEntry, depth: number): TraceLine[] {
  switch (entry.type) {
    case 'step':
      return [stepLine(entry, depth), ...entry.entries.flatMap((child) => linesOf(child, depth + 1))]
    case 'call':
      return [callLine(entry, depth)]
    case 'transition':
      return [{ tone: 'transition', depth, text: `${entry.from} → ${entry.to}: ${entry.why}` }]
    case 'event':
      return [
        {
          tone: entry.eventType === 'Warning' ? 'warning' : 'event',
          depth,
          text: `event ${entry.reason}: ${entry.message}`,
        },
      ]
  }
}

function stepLine(step: StepTrace, depth: number): TraceLine {
  const { name, ms, inputs, notes, outcome, why, after, to, error } = step
  const facts = Object.entries({ ...inputs, ...notes })
    .map(([fact, value]) => `${fact}=${plain(value)}`)
    .join(' ')
  const ends = {
    next: '',
    done: 'done',
    wait: `wait ${durationText(after ?? 0)}`,
    goto: `to ${to ?? ''}`,
    error: `failed: ${error?.message ?? ''}`,
  }[outcome]
  const because = isPassedOn(step) ? '' : why === undefined ? ends : `${ends}: ${why}`
  const text = [name, facts === '' ? '' : `(${facts})`, because].filter((part) => part !== '').join('  ')
  return { tone: outcome === 'error' ? 'error' : 'step', depth, text: `${text}${took(ms)}` }
}

/** Whether the last nested step ended in the same way and shows it already. */
function isPassedOn({ outcome, why, error, entries }: StepTrace): boolean {
  const last = entries.findLast((entry) => entry.type === 'step')
  return last !== undefined && last.outcome === outcome && last.why === why && last.error?.message === error?.message
}

function callLine(
  { verb, kind, subresource, name, outcome, sent, culprit, changes, error, ms }: CallTrace,
  depth: number,
): TraceLine {
  const what = [verb, subresource === undefined ? kind : `${kind}/${subresource}`, name]
    .filter((part) => part !== undefined)
    .join(' ')
  const result = sent ? outcome : `${outcome}, nothing sent`
  const by = culprit === undefined ? '' : ` by ${culprit}`
  const details = error === undefined ? changeText(outcome, changes) : error.message
  const tone =
    error !== undefined
      ? 'error'
      : outcome === 'drift'
        ? 'warning'
        : outcome === 'unchanged' || outcome === 'read'
          ? 'quiet'
          : 'change'
  return { tone, depth, text: `${what}  ${result}${by}${took(ms)}${details === '' ? '' : `  ${details}`}` }
}

/** The maximum of changes in a line. */
const fewChanges = 3

/** For a created object the outcome is enough. */
function changeText(outcome: string, changes: CallTrace['changes']): string {
  if (outcome === 'created') return ''
  const shown = changes.slice(0, fewChanges).map(({ path, before, after }) => {
    if (before === undefined) return `${path} = ${cut(after)}`
    return after === undefined ? `${path} removed` : `${path} ${cut(before)} → ${cut(after)}`
  })
  const more = changes.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

function cut(value: string | undefined): string {
  return truncatedText(value ?? '', 40)
}

function plain(value: TraceValue): string {
  return typeof value === 'string' && value.includes(' ') ? JSON.stringify(value) : String(value)
}

function reasons(triggers: readonly TriggerTrace[], count: number): string {
  const [first] = triggers
  if (first === undefined) return 'run'
  const parts = first.changed.length === 0 ? '' : ` (${first.changed.join(', ')})`
  const more = count > 1 ? ` and ${count - 1} more` : ''
  return `${first.verb} ${first.kind} ${first.name}${parts}${more}`
}

function took(ms: number): string {
  return ms < 1 ? '' : `  ${durationText(ms)}`
}

/** `5 ms`, `1.5 s`, `10 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  return seconds < 120 ? `${Number(seconds.toFixed(1))} s` : `${Number((seconds / 60).toFixed(1))} min`
}
