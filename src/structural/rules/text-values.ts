/** Strings that have another CEL type because of their format: bytes, timestamps, durations. Errors use Go's text. */
import { takeSteps } from '../../api/step-limit.ts'
import { goQuote } from '../../api/go-format.ts'
import { CelDuration, CelError, CelTimestamp, type CelResult } from '../../cel/library.ts'
import { parseGoDuration } from '../../cel/libraries/standard/duration.ts'
import { parseTimestamp } from '../../cel/libraries/standard/timestamp.ts'

export function textValue(text: string, format: string): CelResult {
  if (format === '') return text
  takeSteps(80 + text.length)
  switch (format) {
    case 'byte': {
      const wrongAt = base64Problem(text.replaceAll(/[\r\n]/g, ''))
      if (wrongAt === undefined) return Buffer.from(text, 'base64url')
      return new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${wrongAt}`)
    }
    case 'date':
      return (
        timestamp(`${text}T00:00:00Z`) ?? new CelError(`Invalid date formatted string ${text}: ${timeProblem(text, 5)}`)
      )
    case 'date-time':
      return dateTime(text)
    case 'duration': {
      const nanos = parseGoDuration(text) ?? looseDuration(text)
      if (nanos !== undefined) return new CelDuration(nanos)
      return new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`)
    }
    default:
      return text
  }
}

function timestamp(text: string): CelTimestamp | undefined {
  const instant = parseTimestamp(text)
  return instant === undefined ? undefined : new CelTimestamp(instant.nanos, instant.offset)
}

/** UTC if it has no offset; the empty text is the Unix epoch. */
function dateTime(text: string): CelResult {
  if (text === '') return new CelTimestamp(0n)
  return (
    timestamp(text) ??
    timestamp(`${text}Z`) ??
    new CelError(`Invalid date-time formatted string ${text}: ${timeProblem(text, layout.length)}`)
  )
}

/** The parts of a time in Go's layout, with their patterns and bounds. */
const layout: readonly {
  readonly shown: string
  readonly form: RegExp
  readonly name?: string
  readonly max?: number
}[] = [
  { shown: '2006', form: /^\d{4}/ },
  { shown: '-', form: /^-/ },
  { shown: '01', form: /^\d{2}/, name: 'month', max: 12 },
  { shown: '-', form: /^-/ },
  { shown: '02', form: /^\d{2}/ },
  { shown: 'T', form: /^T/ },
  { shown: '15', form: /^\d{1,2}/, name: 'hour', max: 23 },
  { shown: ':', form: /^:/ },
  { shown: '04', form: /^\d{2}/, name: 'minute', max: 59 },
  { shown: ':', form: /^:/ },
  { shown: '05', form: /^\d{2}(?:[.,]\d+)?/, name: 'second', max: 59 },
]

/** Go's message on why a text does not match the first `parts` parts of the layout. */
function timeProblem(text: string, parts: number): string {
  let rest = text
  for (const { shown, form, name, max = 0 } of layout.slice(0, parts)) {
    const found = form.exec(rest)?.[0]
    if (found === undefined) {
      const whole = layout
        .slice(0, parts)
        .map((part) => part.shown)
        .join('')
      return `parsing time ${goQuote(text)} as ${goQuote(whole)}: cannot parse ${goQuote(rest)} as ${goQuote(shown)}`
    }
    const value = Number.parseInt(found, 10)
    if (name !== undefined && (value > max || (name === 'month' && value === 0))) {
      return `parsing time ${goQuote(text)}: ${name} out of range`
    }
    rest = rest.slice(found.length)
  }
  return `parsing time ${goQuote(text)}: ${rest === '' ? 'day out of range' : `extra text: ${goQuote(rest)}`}`
}

/** Where Go's decoder for URL-safe base64 fails; undefined if it does not. */
function base64Problem(text: string): number | undefined {
  const size = (/^[\w-]*/.exec(text)?.[0] ?? '').length
  const rest = text.slice(size)
  const inLast = size % 4
  if (rest === '') return inLast === 0 ? undefined : size - inLast
  if (!rest.startsWith('=') || inLast < 2) return size
  const padding = (/^=+/.exec(rest)?.[0] ?? '').length
  const wanted = 4 - inLast
  if (padding < wanted) return rest.length > padding ? size : size + padding
  return rest.length === wanted ? undefined : size + wanted
}

const units: readonly (readonly [names: readonly string[], prefix: string, size: bigint])[] = [
  [['ns'], 'nano', 1n],
  [['us', 'µs'], 'micro', 1000n],
  [['ms'], 'milli', 1_000_000n],
  [['s'], 'sec', 1_000_000_000n],
  [['m'], 'min', 60_000_000_000n],
  [['h', 'hr'], 'hour', 3_600_000_000_000n],
  [['d'], 'day', 86_400_000_000_000n],
  [['w', 'wk'], 'week', 604_800_000_000_000n],
]

/** `3 days`: integers with units, summed in 64 bits. */
function looseDuration(text: string): bigint | undefined {
  let sum: bigint | undefined
  for (const [, digits = '', unit = ''] of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    const name = unit.toLowerCase()
    const size = units.find(([names, prefix]) => names.includes(name) || name.startsWith(prefix))?.[2]
    if (size !== undefined) sum = BigInt.asIntN(64, (sum ?? 0n) + BigInt(digits) * size)
  }
  return sum
}
