/** The differences between two outcomes: one line each, with the value of the reference and the other value. */
import type { Json } from '../../src/api/json.ts'
import { explained } from './explained.ts'
import type { Outcome } from './scenario.ts'

export interface Difference {
  /** `end: objects.Deployment/web.status.replicas`. */
  readonly at: string
  readonly real: Json | undefined
  readonly ours: Json | undefined
}

export function differencesOf(real: Outcome, ours: Outcome): Difference[] {
  return differ('', real as unknown as Json, ours as unknown as Json)
}

function differ(at: string, real: Json | undefined, ours: Json | undefined): Difference[] {
  if (JSON.stringify(real) === JSON.stringify(ours)) return []
  if (isText(real) && isText(ours)) {
    const lines = (all: readonly string[], others: readonly string[]): string[] =>
      all.filter((line) => !others.includes(line))
    return [
      ...lines(real, ours).map((line) => ({ at, real: line, ours: undefined })),
      ...lines(ours, real).map((line) => ({ at, real: undefined, ours: line })),
    ]
  }
  if (typeof real !== 'object' || typeof ours !== 'object' || real === null || ours === null)
    return [{ at, real, ours }]
  if (Array.isArray(real) !== Array.isArray(ours) || (Array.isArray(real) && real.length !== (ours as Json[]).length))
    return [{ at, real, ours }]
  const members = (value: Json): Record<string, Json> => value as Record<string, Json>
  return [...new Set([...Object.keys(real), ...Object.keys(ours)])].flatMap((key) =>
    differ(at === '' ? key : `${at}.${key}`, members(real)[key], members(ours)[key]),
  )
}

function isText(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** Why it may differ; undefined: unexplained. */
export function explanationOf(scenario: string, difference: Difference, way: Way): string | undefined {
  const text = textOf(difference)
  return explained.find((each) => each.ways.includes(way) && each.scenario.test(scenario) && each.difference.test(text))
    ?.why
}

/** `ours`: our cluster; `ours on real`: our controllers on the real server. */
export type Way = 'ours' | 'ours on real'

export function textOf({ at, real, ours }: Difference): string {
  return `${at}: real ${JSON.stringify(real) ?? 'nothing'}, ours ${JSON.stringify(ours) ?? 'nothing'}`
}
