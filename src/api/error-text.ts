/** The message of an error with those of its causes. */

/** How many causes of causes are named. */
const maxDepth = 4
/** How many errors of an AggregateError are named. */
const maxErrors = 4
/** Errors of Coxswain whose messages say what their cause means. */
const explaining: ReadonlySet<string> = new Set([
  'ApiError',
  'BeingDeletedError',
  'CacheSyncError',
  'KubeconfigError',
  'ListenError',
  'NotOwnedError',
  'StaleCacheError',
  'StepTimeoutError',
  'TransportError',
  'UndeclaredKindError',
])

/** Whether it is an error of Coxswain whose message says everything. */
export function explainsItself({ name }: Error): boolean {
  return explaining.has(name)
}

/** `fetch failed: connect ECONNREFUSED 127.0.0.1:1`. For any thrown value. */
export function errorText(error: unknown): string {
  return textOf(error, 1)
}

function textOf(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return String(error)
  const { name, message } = error
  const causes = depth === maxDepth || explainsItself(error) ? '' : causesOf(error, depth)
  if (causes === '' || message.includes(causes))
    return message === '' ? ((error as { readonly code?: string }).code ?? name) : message
  return message === '' ? causes : `${message}: ${causes}`
}

function causesOf(error: Error, depth: number): string {
  const errors = error instanceof AggregateError ? (error.errors as readonly unknown[]) : []
  if (errors.length === 0) return error.cause === undefined ? '' : textOf(error.cause, depth + 1)
  const texts = errors.slice(0, maxErrors).map((each) => textOf(each, depth + 1))
  const unnamed = texts.filter((text) => !error.message.includes(text))
  if (unnamed.length === 0) return ''
  return [...unnamed, ...(errors.length > maxErrors ? [`and ${errors.length - maxErrors} more`] : [])].join('; ')
}
