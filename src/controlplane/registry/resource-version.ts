/** Parses resourceVersion as clients send it. '' and '0' both mean no version. */
import { apiError } from '../../api/status.ts'

/** The number in a resourceVersion, or upstream's error message. */
export function readResourceVersion(text: string): number | string {
  if (text === '' || text === '0') return 0
  const problem = numberProblem(text)
  if (problem === undefined) return Number(text)
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`
}

/** For the resourceVersion of an object: upstream does not validate it there, and fails with a 500. */
export function parseResourceVersion(text: string): number {
  if (text === '' || text === '0') return 0
  const problem = numberProblem(text)
  if (problem !== undefined) throw apiError.internal(problem)
  return Number(text)
}

const maxResourceVersion = 2n ** 64n - 1n

/** The error if the text is not an unsigned 64-bit number. */
function numberProblem(text: string): string | undefined {
  const digits = /^\d+$/.test(text)
  if (digits && (text.length < 20 || (text.length < 100 && BigInt(text) <= maxResourceVersion))) return undefined
  return `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${digits ? 'value out of range' : 'invalid syntax'}`
}
