/** Validates cron schedules, with the errors of upstream's parser. */
import { goQuote, goValue } from '../../../api/go-format.ts'

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  {
    min: 1,
    max: 12,
    names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]

const descriptors = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'])

/** Undefined if the schedule is valid. */
export function scheduleProblem(schedule: string): string | undefined {
  const text = schedule.replace(/^(?:CRON_)?TZ=\S* /, '').trim()
  if (text === '') return 'empty spec string'
  if (text.startsWith('@')) {
    if (descriptors.has(text)) return undefined
    const every = /^@every (.*)$/.exec(text)
    if (every === null) return `unrecognized descriptor: ${text}`
    const duration = every[1] as string
    if (/^(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+$/.test(duration)) return undefined
    return `failed to parse duration ${text}: time: invalid duration ${goQuote(duration)}`
  }
  const parts = text.split(/\s+/)
  if (parts.length !== 5) return `expected exactly 5 fields, found ${parts.length}: ${goValue(parts)}`
  for (const [i, part] of parts.entries()) {
    const problem = fieldProblem(part, fields[i] as Bounds)
    if (problem !== undefined) return problem
  }
  return undefined
}

function fieldProblem(field: string, bounds: Bounds): string | undefined {
  for (const part of field.split(',').filter((each) => each !== '')) {
    const problem = rangeProblem(part, bounds)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** A range is a star, `a` or `a-b`, with an optional step: `a-b/n`. */
function rangeProblem(text: string, bounds: Bounds): string | undefined {
  const steps = text.split('/')
  const ends = (steps[0] as string).split('-')
  let start = bounds.min
  let end = bounds.max
  if (ends[0] !== '*' && ends[0] !== '?') {
    const first = readNumber(ends[0] as string, bounds)
    if (typeof first === 'string') return first
    start = first
    if (ends.length === 1) {
      end = start
    } else if (ends.length === 2) {
      const last = readNumber(ends[1] as string, bounds)
      if (typeof last === 'string') return last
      end = last
    } else {
      return `too many hyphens: ${text}`
    }
  }
  if (steps.length > 2) return `too many slashes: ${text}`
  let step = 1
  if (steps.length === 2) {
    const given = readNumber(steps[1] as string, { min: 0, max: 0 })
    if (typeof given === 'string') return given
    step = given
    if (ends.length === 1) end = bounds.max
  }
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${text}`
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${text}`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`
  return step === 0 ? `step of range should be a positive number: ${text}` : undefined
}

function readNumber(text: string, { names }: Bounds): number | string {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0 && text !== '') return named
  if (!/^[+-]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`
  }
  const value = Number(text)
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value
}
