/** resourceVersion as clients give it: '' and '0' both mean none. */
import { apiError } from '../../api/status.ts'

/** The number in a resourceVersion, or upstream's complaint about it. */
export function readResourceVersion(text: string): number | string {
  if (text === '' || text === '0') return 0
  const problem = numberProblem(text)
  if (problem === undefined) return Number(text)
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`
}

/** For objects: upstream does not expect a bad one there, and fails. */
export function parseResourceVersion(text: string): number {
  if (text === '' || text === '0') return 0
  const problem = numberProblem(text)
  if (problem !== undefined) throw apiError.internal(problem)
  return Number(text)
}

const maxResourceVersion = 2n ** 64n - 1n

/** Why the text is no unsigned number of 64 bits. */
function numberProblem(text: string): string | undefined {
  const digits = /^\d+$/.test(text)
  if (digits && (text.length < 20 || (text.length < 100 && BigInt(text) <= maxResourceVersion))) return undefined
  return `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${digits ? 'value out of range' : 'invalid syntax'}`
}
