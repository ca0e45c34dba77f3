/** A timeline in lines of text: what both runs did, only the twin (-), and only the failing run (+). */
import { describeFault } from '../faults.ts'
import type { Timeline, TimelineEntry, TimelineRow } from '../timeline.ts'

/** Rows to show before and after the first difference. */
const shownBefore = 6
const shownAfter = 18
const shownFields = 2

export function timelineText({ rows, firstDifference, dropped }: Timeline): readonly string[] {
  const from = Math.max(0, firstDifference - shownBefore)
  const to = Math.min(rows.length, Math.max(0, firstDifference) + shownAfter)
  const hidden = rows.length - to + dropped
  return [
    ...(from > 0 ? [`    … ${from} more before that`] : []),
    ...rows
      .slice(from, to)
      .flatMap((row, index) => [
        ...(from + index === firstDifference ? ['  the first difference:'] : []),
        ...rowLines(row).map((line) => `  ${line}`),
      ]),
    ...(hidden > 0 ? [`    … ${hidden} more after that`] : []),
  ]
}

function rowLines({ isSame, twin, run }: TimelineRow): readonly string[] {
  const line = (sign: string, entry: TimelineEntry | undefined): readonly string[] =>
    entry === undefined ? [] : [`${sign} ${entryTexts(entry).join(': ')}`]
  return isSame ? line(' ', run) : [...line('-', twin), ...line('+', run)]
}

/** What happened, and the details. */
function entryTexts(entry: TimelineEntry): readonly string[] {
  const at = seconds(entry.at).padStart(10)
  switch (entry.type) {
    case 'call': {
      const { call, method, path, fault } = entry
      const said = `${at}  ${call} ${method} ${shortPath(path)} → ${responseText(entry)}`
      return fault === undefined ? [said] : [said, `${fault}, ${describeFault(fault)}`]
    }
    case 'event':
      return [`${at}      event ${entry.event}`, `${entry.fault}, ${describeFault(entry.fault)}`]
    case 'change': {
      const { change, object, by, fields } = entry
      const shown = fields.slice(0, shownFields).map(({ path, after }) => `${path} = ${after ?? 'nothing'}`)
      const what = `${at}      ${change} ${object}${by === 'operator' ? '' : ' (by others)'}`
      return shown.length === 0 ? [what] : [what, shown.join(', ') + (fields.length > shown.length ? ', …' : '')]
    }
    case 'reconcile':
      return [`${at}  reconcile ${entry.object}`]
    case 'reconciled':
      return [`${at}  end of ${entry.object}`, resultText(entry)]
    case 'start':
      return [`${at}  the operator starts again`]
  }
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`
}

/** Without the options of a write, which are always the same. */
export function shortPath(path: string): string {
  return path.replaceAll(/[?&](fieldManager|fieldValidation|force)=[^&]*/g, '').replace(/^([^?&]*)&/, '$1?')
}

/** `201`, `no response, though the server has done it` */
export function responseText({
  status,
  isServed,
}: Pick<Extract<TimelineEntry, { readonly type: 'call' }>, 'status' | 'isServed'>): string {
  if (status !== undefined) return String(status)
  return isServed ? 'no response, though the server has done it' : 'no response'
}

export function resultText({
  result,
  after,
  error,
}: Pick<Extract<TimelineEntry, { readonly type: 'reconciled' }>, 'result' | 'after' | 'error'>): string {
  if (result === 'error') return `failed: ${error ?? ''}`
  return result === 'wait' && after !== undefined ? `again in ${after / 1000} s` : 'done'
}
