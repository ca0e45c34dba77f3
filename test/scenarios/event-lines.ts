/** Events as text: one line for equal events about the same object. */
import type { JsonObject } from '../../src/api/json.ts'
import type { Names } from './names.ts'
import { notCompared, retried } from './rules.ts'

export function eventLines(events: readonly JsonObject[], names: Names, anyNumber: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const event of events) {
    const { kind, name } = event['involvedObject'] as JsonObject
    const { component } = (event['source'] ?? {}) as JsonObject
    const by = String(component ?? event['reportingComponent'] ?? '')
    if (notCompared.has(by)) continue
    const reason = String(event['reason'])
    const head = `${String(kind)} ${names.inText(String(name))}: ${String(event['type'])} ${reason} (${by})`
    const line = anyNumber.includes(reason) ? head : `${head} ${names.inText(String(event['message']))}`
    counts.set(line, (counts.get(line) ?? 0) + timesOf(event))
  }
  const isLoose = (line: string): boolean => [...retried, ...anyNumber].some((reason) => line.includes(` ${reason} (`))
  return [...counts].map(([line, count]) => (isLoose(line) || count === 1 ? line : `${line} ×${count}`)).sort()
}

function timesOf({ count, series }: JsonObject): number {
  const repeated = (series as JsonObject | undefined)?.['count']
  return Number(repeated ?? count ?? 1) || 1
}
