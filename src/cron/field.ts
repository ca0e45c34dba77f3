/** One field of a cron schedule: a list of ranges with steps. */
import { goQuote } from '../api/go-format.ts'

export interface FieldBounds {
  readonly min: number
  readonly max: number
  /** Names of values, in lower case, by value. */
  readonly names?: readonly string[]
}

export interface CronField {
  readonly has: (value: number) => boolean
  /** It contains a star or a question mark without a step. */
  readonly isAny: boolean
}

interface Range {
  readonly start: number
  readonly end: number
  readonly step: number
  readonly isAny: boolean
}

/** The field, or upstream's error message. */
export function parseField(text: string, bounds: FieldBounds): CronField | string {
  const values = new Set<number>()
  let isAny = false
  for (const part of text.split(',').filter((each) => each !== '')) {
    const range = parseRange(part, bounds)
    if (typeof range === 'string') return range
    isAny ||= range.isAny
    for (let value = range.start; value <= range.end; value += range.step) values.add(value)
  }
  return { has: (value) => values.has(value), isAny }
}

/** A range is a star, `a` or `a-b`, with an optional step: `a-b/n`. */
function parseRange(text: string, bounds: FieldBounds): Range | string {
  const steps = text.split('/')
  const ends = (steps[0] as string).split('-')
  const isAny = ends[0] === '*' || ends[0] === '?'
  let start = bounds.min
  let end = bounds.max
  if (!isAny) {
    const first = parseNumber(ends[0] as string, bounds)
    if (typeof first === 'string') return first
    start = first
    if (ends.length === 1) {
      end = start
    } else if (ends.length === 2) {
      const last = parseNumber(ends[1] as string, bounds)
      if (typeof last === 'string') return last
      end = last
    } else {
      return `too many hyphens: ${text}`
    }
  }
  if (steps.length > 2) return `too many slashes: ${text}`
  let step = 1
  if (steps.length === 2) {
    const given = parseNumber(steps[1] as string, { min: 0, max: 0 })
    if (typeof given === 'string') return given
    step = given
    if (ends.length === 1) end = bounds.max
  }
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${text}`
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${text}`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`
  if (step === 0) return `step of range should be a positive number: ${text}`
  return { start, end, step, isAny: isAny && step === 1 }
}

function parseNumber(text: string, { names }: FieldBounds): number | string {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0 && text !== '') return named
  const failed = `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}`
  const [matched = '', sign = '', digits = ''] = /^([+-]?)(\d*)/.exec(text) ?? []
  // Go notices that digits are too many before it looks at what follows them.
  if (digits !== '' && BigInt(digits) >= 2n ** 64n) return `${failed}: value out of range`
  if (digits === '' || matched !== text) return `${failed}: invalid syntax`
  const value = BigInt(digits) * (sign === '-' ? -1n : 1n)
  if (BigInt.asIntN(64, value) !== value) return `${failed}: value out of range`
  return value < 0n ? `negative number (${value}) not allowed: ${text}` : Number(value)
}
