/** Path and query parameters of operations, and which of them all operations of a path share. */
import type { OpenApiOperation } from './operation.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: 'string' | 'boolean' | 'integer'
}

const booleans = new Set([
  'allowWatchBookmarks',
  'follow',
  'force',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'insecureSkipTLSVerifyBackend',
  'orphanDependents',
  'previous',
  'sendInitialEvents',
  'stderr',
  'stdin',
  'stdout',
  'timestamps',
  'tty',
  'watch',
])
const integers = new Set([
  'gracePeriodSeconds',
  'limit',
  'limitBytes',
  'ports',
  'sinceSeconds',
  'tailLines',
  'timeoutSeconds',
])

function queryParameter(name: string): Parameter {
  if (booleans.has(name)) return { name, in: 'query', type: 'boolean' }
  return { name, in: 'query', type: integers.has(name) ? 'integer' : 'string' }
}

export interface SplitParameters {
  /** The parameters of every operation of the path, `{name}` and `{namespace}` among them. Sorted by name. */
  readonly shared: readonly Parameter[]
  /** The names of shared query parameters; the others are listed for each operation. */
  readonly sharedQuery: ReadonlySet<string>
}

export function splitParameters(path: string, operations: readonly OpenApiOperation[]): SplitParameters {
  const [first, ...rest] = operations
  const sharedQuery = new Set(first?.query.filter((name) => rest.every((each) => each.query.includes(name))))
  const shared = [...sharedQuery].map(queryParameter)
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) shared.push({ name, in: 'path', type: 'string' })
  return { shared: shared.sort(byName), sharedQuery }
}

/** The parameters of an operation that its path does not have, sorted by name. */
export function inlineParameters(operation: OpenApiOperation, { sharedQuery }: SplitParameters): readonly Parameter[] {
  return operation.query
    .filter((name) => !sharedQuery.has(name))
    .map(queryParameter)
    .sort(byName)
}

/** If two have the same name, the path parameter comes first. */
function byName(a: Parameter, b: Parameter): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1
  return a.in < b.in ? -1 : 1
}
