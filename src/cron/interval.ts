/** The interval of `@every`: a Go duration, in whole seconds and at least one. */
import { goQuote } from '../api/go-format.ts'

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

/** The largest duration of Go, 2^63 nanoseconds. */
const maxMs = 2 ** 63 / 1e6

/** Milliseconds, or Go's error message. */
export function parseInterval(text: string): number | string {
  const invalid = `time: invalid duration ${goQuote(text)}`
  const isNegative = text.startsWith('-')
  let rest = /^[+-]/.test(text) ? text.slice(1) : text
  if (rest === '0') return 1000
  if (rest === '') return invalid
  let totalMs = 0
  while (rest !== '') {
    const number = /^(?:\d+(?:\.\d*)?|\.\d+)/.exec(rest)?.[0]
    if (number === undefined) return invalid
    rest = rest.slice(number.length)
    const unit = /^[^\d.]*/.exec(rest)?.[0] ?? ''
    if (unit === '') return `time: missing unit in duration ${goQuote(text)}`
    const each = Object.hasOwn(unitMs, unit) ? unitMs[unit] : undefined
    if (each === undefined) return `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`
    rest = rest.slice(unit.length)
    totalMs += Number(number) * each
    if (totalMs >= maxMs) return invalid
  }
  return isNegative || totalMs < 1000 ? 1000 : Math.floor(totalMs / 1000) * 1000
}
