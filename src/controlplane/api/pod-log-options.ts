/** The options of `GET …/pods/NAME/log`, read from the query. Errors have upstream's messages. */
import { fieldError, type FieldError } from '../../api/field-error.ts'
import { goQuote } from '../../api/go-format.ts'
import { parseGoTime } from '../../api/go-time.ts'
import { apiError } from '../../api/status.ts'

export interface PodLogOptions {
  /** '' if the query names none, which is valid only for pods with one container. */
  readonly container: string
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  /** The number of lines from the end. */
  readonly tailLines: number | undefined
  readonly limitBytes: number | undefined
  /** Lines before this time are omitted. Milliseconds since the epoch. */
  readonly since: number | undefined
}

export function podLogOptions(query: URLSearchParams, pod: string, now: number): PodLogOptions {
  const sinceSeconds = integer(query, 'sinceSeconds')
  const sinceTime = time(query, 'sinceTime')
  const tailLines = integer(query, 'tailLines')
  const limitBytes = integer(query, 'limitBytes')
  const errors: FieldError[] = []
  if (tailLines !== undefined && tailLines < 0)
    errors.push(fieldError.invalid('tailLines', tailLines, 'must be greater than or equal to 0'))
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(fieldError.invalid('limitBytes', limitBytes, 'must be greater than 0'))
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(fieldError.forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'))
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(fieldError.invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'))
  }
  if (query.has('stream')) errors.push(fieldError.forbidden('stream', 'may not be specified'))
  if (errors.length > 0) throw apiError.invalid('', 'PodLogOptions', pod, errors)
  return {
    container: query.get('container') ?? '',
    follow: flag(query, 'follow'),
    previous: flag(query, 'previous'),
    timestamps: flag(query, 'timestamps'),
    tailLines,
    limitBytes,
    since: sinceTime ?? (sinceSeconds === undefined ? undefined : now - sinceSeconds * 1000),
  }
}

/** True if present, unless the value is `0` or `false`. */
function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name)
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const problem = !/^[+-]?\d+$/.test(text)
    ? 'invalid syntax'
    : BigInt.asIntN(64, BigInt(text)) !== BigInt(text)
      ? 'value out of range'
      : undefined
  if (problem !== undefined) throw apiError.badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: ${problem}`)
  return Number(text)
}

function time(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? ''
  if (text === '') return undefined
  const parsed = parseGoTime(text, '2006-01-02T15:04:05Z07:00')
  if (typeof parsed === 'string') throw apiError.badRequest(parsed)
  return parsed.milliseconds
}
