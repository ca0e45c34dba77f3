/** Durations as Go's time.Duration parses and prints them, in 64-bit nanoseconds. */
import { decimalText } from './go-numbers.ts'

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
])

const step = /([0-9]*)(?:\.([0-9]*))?([^0-9.]+)/y
const limit = 2n ** 63n

/** Nanoseconds; undefined if Go rejects the text. */
export function parseGoDuration(text: string): bigint | undefined {
  const negative = text.startsWith('-')
  const rest = negative || text.startsWith('+') ? text.slice(1) : text
  if (rest === '0') return 0n
  if (rest === '') return undefined
  let total = 0n
  step.lastIndex = 0
  while (step.lastIndex < rest.length) {
    const found = step.exec(rest)
    if (found === null) return undefined
    const nanos = stepNanos(found[1] as string, found[2], found[3] as string)
    if (nanos === undefined) return undefined
    total += nanos
    if (total > limit) return undefined
  }
  if (negative) return -total
  return total === limit ? undefined : total
}

function stepNanos(integer: string, fraction: string | undefined, name: string): bigint | undefined {
  if (integer === '' && (fraction ?? '') === '') return undefined
  const unit = units.get(name)
  if (unit === undefined || integer.length > 400) return undefined
  const whole = BigInt(integer === '' ? '0' : integer)
  if (whole > limit || whole * unit > limit) return undefined
  const nanos = whole * unit + fractionNanos(fraction ?? '', unit)
  return nanos > limit ? undefined : nanos
}

/** Digits beyond 64 bits are ignored, and the product is a truncated double, as in Go. */
function fractionNanos(fraction: string, unit: bigint): bigint {
  let value = 0n
  let scale = 1
  for (const digit of fraction) {
    if (value > (limit - 1n) / 10n) break
    const next = value * 10n + BigInt(digit)
    if (next > limit) break
    value = next
    scale *= 10
  }
  return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)))
}

const second = 1_000_000_000n

/** Seconds as a double: the sum of whole seconds and fraction as doubles, as in Go. */
export function durationSeconds(nanos: bigint): number {
  return Number(nanos / second) + Number(nanos % second) / 1e9
}

/** Whole minutes, computed with doubles, as in Go. */
export function durationMinutes(nanos: bigint): bigint {
  const minute = 60n * second
  return BigInt(Math.trunc(Number(nanos / minute) + Number(nanos % minute) / 60e9))
}

/** Whole hours, computed with doubles, as in Go. */
export function durationHours(nanos: bigint): bigint {
  const hour = 3600n * second
  return BigInt(Math.trunc(Number(nanos / hour) + Number(nanos % hour) / 3600e9))
}

/** `5400s`, `0.001s`. */
export function durationText(nanos: bigint): string {
  return `${decimalText(durationSeconds(nanos))}s`
}
