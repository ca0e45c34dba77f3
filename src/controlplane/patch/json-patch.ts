/**
 * JSON Patch (RFC 6902) as kube-apiserver applies it. Less strict than the RFC where upstream is: `replace` of a
 * missing field adds it, `copy` of a missing field and `add` without a value set null, negative indices count from the
 * end, and text before the first slash of a path is ignored. Stricter: `add` cannot replace the whole document.
 *
 * Sequence: {@link jsonPatchWarnings} (unless fieldValidation is Ignore), {@link applyJsonPatch}, and {@link
 * jsonPatchText} only if the result does not fit its kind.
 *
 * The target is never modified: containers on the way to a change are copied once, everything else is shared.
 */
import { jsonTypeName } from '../../api/go-format.ts'
import { equalJson, getOwn, isDeeper, isObject, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import { apiError } from '../../api/status.ts'
import { partlySortedJson } from './patch-text.ts'

/** More operations are rejected with a 413. */
const maxOperations = 10_000
/** The JSON that all `copy` operations may add: without a limit, a small patch could fill the memory. */
const maxCopyBytes = 3 * 1024 * 1024

/**
 * How many list items all insertions and removals together may move, about a tenth of a second of work. Upstream has no
 * such limit; a legitimate patch is far below it.
 */
const maxMoves = 100_000_000

/**
 * The maximum nesting, as in a body: a patch that copies an object into itself repeatedly makes it deeper each time.
 */
const maxDepth = 1000

const operationFields: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value'])

/**
 * Checks the form of a patch if fieldValidation is Warn or Strict. Throws a 400 if it is not a list of operations.
 * Returns messages about unknown fields, for warnings or a strict error.
 */
export function jsonPatchWarnings(patch: Json): string[] {
  if (patch === null) return []
  if (!Array.isArray(patch)) throw undecodable(patch, 'value of type []handlers.jsonPatchOp')
  const unknown: string[] = []
  patch.forEach((operation, i) => {
    if (operation === null) return
    if (!isObject(operation)) throw undecodable(operation, 'value of type handlers.jsonPatchOp')
    for (const [key, value] of Object.entries(operation)) {
      if (!operationFields.has(key)) {
        unknown.push(`json patch unknown field "[${i}].${key}"`)
      } else if (key !== 'value' && value !== null && typeof value !== 'string') {
        throw undecodable(value, `struct field jsonPatchOp.${key} of type string`)
      }
    }
  })
  return unknown
}

function undecodable(value: Json, into: string): Error {
  return apiError.badRequest(`error decoding patch: ${mismatch(value, into)}`)
}

function mismatch(value: Json, into: string): string {
  return `json: cannot unmarshal ${jsonTypeName(value)} into Go ${into}`
}

/**
 * The patched document. Parts that the patch does not touch are shared with `target`. Throws a 400 if the patch is
 * malformed, a 413 for too many operations, and a 422 without a reason if an operation cannot be applied.
 */
export function applyJsonPatch(target: Json, patch: Json): Json {
  return run(new Draft(target, false), patch).root
}

/** An operation that cannot be applied, in the words of upstream's library, which API clients do not see. */
export interface FailedOperation {
  readonly failure: string
  /** A `test` of another value. */
  readonly isTest: boolean
}

/** Like {@link applyJsonPatch}, but says which operation failed. */
export function tryJsonPatch(target: Json, patch: readonly JsonObject[]): { readonly patched: Json } | FailedOperation {
  const draft = new Draft(target, false)
  for (const operation of patch) {
    const failure = applyOperation(draft, operation)
    if (failure !== undefined) return { failure, isTest: failure.endsWith(testFailed) }
  }
  return { patched: draft.root }
}

/** The patched document as upstream prints it. Slow: for error messages only. */
export function jsonPatchText(target: Json, patch: Json): string {
  const draft = run(new Draft(target, true), patch)
  return draft.text(draft.root)
}

function run(draft: Draft, patch: Json): Draft {
  if (patch === null) return draft
  if (!Array.isArray(patch)) throw apiError.badRequest(mismatch(patch, 'value of type jsonpatch.Patch'))
  const stray = patch.find((operation) => operation !== null && !isObject(operation))
  if (stray !== undefined) throw apiError.badRequest(mismatch(stray, 'value of type jsonpatch.Operation'))
  if (patch.length > maxOperations) {
    const why = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`
    throw apiError.tooLarge(`Request entity too large: ${why}`)
  }
  for (const operation of patch) {
    if (!isObject(operation) || applyOperation(draft, operation) !== undefined) throw apiError.unprocessable()
  }
  return draft
}

function applyOperation(draft: Draft, operation: JsonObject): string | undefined {
  const name = textOf(operation, 'op') ?? 'unknown'
  const apply = operations.get(name)
  return apply === undefined ? `Unexpected kind: ${name}` : apply(draft, operation)
}

/** The target of a path: a container, and the key or index in it. */
interface Place {
  readonly container: JsonObject | Json[]
  readonly key: string
  /** The number of containers around it. */
  readonly depth: number
}

/** A document that is being patched. Objects in `#owned` are private copies; all others are shared and read-only. */
class Draft {
  root: Json
  copiedBytes = 0
  moves = 0
  readonly #owned = new Set<object>()
  /** Own also objects that are only read, because upstream prints everything that it has parsed with sorted keys. */
  readonly #ownsReads: boolean

  constructor(target: Json, ownsReads: boolean) {
    this.#ownsReads = ownsReads
    this.root = target
    this.restart(target)
  }

  /** Starts again with another document. */
  restart(root: Json): void {
    this.root = this.#ownsReads ? this.#own(root) : root
  }

  /** The target of a path; undefined if it has no container. */
  find(path: string, forWriting: boolean): Place | undefined {
    const tokens = path.split('/')
    if (tokens.length < 2) return undefined
    const owns = forWriting || this.#ownsReads
    let container = owns ? (this.root = this.#own(this.root)) : this.root
    for (let i = 1; i < tokens.length - 1; i++) {
      const key = unescapeToken(tokens[i] as string)
      let next = valueAt(container, key)
      if (typeof next !== 'object' || next === null) return undefined
      if (owns && !this.#owned.has(next)) {
        next = this.#own(next)
        put(container, key, next)
      }
      container = next
    }
    if (typeof container !== 'object' || container === null) return undefined
    return { container, key: unescapeToken(tokens[tokens.length - 1] as string), depth: tokens.length - 1 }
  }

  #own<T extends Json>(value: T): T {
    if (typeof value !== 'object' || value === null || this.#owned.has(value)) return value
    const copy: Json = isObject(value) ? { ...value } : value.slice()
    this.#owned.add(copy)
    return copy as T
  }

  /** Marks a whole value as parsed, which a successful `test` does. */
  ownDeep(value: Json): Json {
    const owned = this.#own(value)
    if (Array.isArray(owned)) {
      for (let i = 0; i < owned.length; i++) owned[i] = this.ownDeep(owned[i] as Json)
    } else if (isObject(owned)) {
      for (const key of Object.keys(owned)) setOwn(owned, key, this.ownDeep(owned[key] as Json))
    }
    return owned
  }

  get ownsReads(): boolean {
    return this.#ownsReads
  }

  text(value: Json): string {
    return partlySortedJson(value, (object) => this.#owned.has(object))
  }
}

function unescapeToken(token: string): string {
  return token.includes('~') ? token.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~')) : token
}

const integer = /^[+-]?[0-9]+$/

/** The index of a token, negative if there is none. Negative tokens count from the end. */
function indexOf(token: string, length: number): number {
  if (!integer.test(token)) return -1
  const index = Number(token)
  const absolute = index < 0 ? index + length : index
  return absolute < length ? absolute : -1
}

/** Undefined for an index that does not exist; null for a missing key, which operations may name. */
function valueAt(container: Json, key: string): Json | undefined {
  if (Array.isArray(container)) return container[indexOf(key, container.length)]
  return isObject(container) ? (getOwn(container, key) ?? null) : undefined
}

function put(container: Json, key: string, value: Json): void {
  if (Array.isArray(container)) container[indexOf(key, container.length)] = value
  else setOwn(container as JsonObject, key, value)
}

const missingValue = 'missing value'
const testFailed = 'test failed'
const tooDeep = 'the result has too many levels'

function invalidIndex(token: string): string {
  if (!integer.test(token)) return `strconv.Atoi: parsing ${JSON.stringify(token)}: invalid syntax`
  return `Unable to access invalid index: ${Number(token)}: invalid index referenced`
}

/** Why the value cannot be inserted. */
function insert(draft: Draft, { container, key, depth }: Place, value: Json): string | undefined {
  if (isDeeper(value, Math.max(maxDepth - depth, 0))) return tooDeep
  if (!Array.isArray(container)) {
    setOwn(container, key, value)
    return undefined
  }
  const at = key === '-' ? container.length : indexOf(key, container.length + 1)
  draft.moves += container.length - at
  if (at < 0 || draft.moves > maxMoves) {
    return integer.test(key) ? invalidIndex(key) : `value was not a proper array index: '${key}': ${invalidIndex(key)}`
  }
  container.splice(at, 0, value)
  return undefined
}

/** Why the value cannot be removed. */
function take(draft: Draft, { container, key }: Place): string | undefined {
  if (!Array.isArray(container)) {
    if (!Object.hasOwn(container, key)) return `Unable to remove nonexistent key: ${key}: ${missingValue}`
    delete container[key]
    return undefined
  }
  const at = indexOf(key, container.length)
  draft.moves += container.length - at
  if (at < 0 || draft.moves > maxMoves) return invalidIndex(key)
  container.splice(at, 1)
  return undefined
}

function textOf(operation: JsonObject, field: 'op' | 'path' | 'from'): string | undefined {
  const value = getOwn(operation, field)
  return typeof value === 'string' ? value : undefined
}

/** Each returns why the operation could not be applied. */
type Apply = (draft: Draft, operation: JsonObject) => string | undefined

const add: Apply = (draft, operation) => {
  const path = textOf(operation, 'path')
  if (path === undefined) return `add operation failed to decode path: ${missingValue}`
  const place = draft.find(path, true)
  if (place === undefined) return `add operation does not apply: doc is missing path: "${path}": ${missingValue}`
  const why = insert(draft, place, getOwn(operation, 'value') ?? null)
  return why && `error in add for path: '${path}': ${why}`
}

const remove: Apply = (draft, operation) => {
  const path = textOf(operation, 'path')
  if (path === undefined) return `remove operation failed to decode path: ${missingValue}`
  const place = draft.find(path, true)
  if (place === undefined) return `remove operation does not apply: doc is missing path: "${path}": ${missingValue}`
  const why = take(draft, place)
  return why && `error in remove for path: '${path}': ${why}`
}

const replace: Apply = (draft, operation) => {
  const path = textOf(operation, 'path')
  if (path === undefined) return `replace operation failed to decode path: ${missingValue}`
  const value = getOwn(operation, 'value') ?? null
  if (path === '') {
    if (typeof value !== 'object' || value === null)
      return 'replace operation value must be object or array: %!w(<nil>)'
    draft.restart(value)
    return undefined
  }
  const place = draft.find(path, true)
  if (place === undefined) return `replace operation does not apply: doc is missing path: ${path}: ${missingValue}`
  if (valueAt(place.container, place.key) === undefined) {
    return `replace operation does not apply: doc is missing key: ${path}: ${missingValue}`
  }
  if (isDeeper(value, Math.max(maxDepth - place.depth, 0))) return tooDeep
  put(place.container, place.key, value)
  return undefined
}

const move: Apply = (draft, operation) => {
  const given = textOf(operation, 'from')
  if (given === undefined) return `move operation failed to decode from: ${missingValue}`
  const from = draft.find(given, true)
  if (from === undefined) return `move operation does not apply: doc is missing from path: ${given}: ${missingValue}`
  const value = valueAt(from.container, from.key)
  const untaken = value === undefined ? invalidIndex(from.key) : take(draft, from)
  if (untaken !== undefined) return `error in move for path: '${from.key}': ${untaken}`
  const path = textOf(operation, 'path')
  if (path === undefined) return `move operation failed to decode path: ${missingValue}`
  const to = draft.find(path, true)
  if (to === undefined)
    return `move operation does not apply: doc is missing destination path: ${path}: ${missingValue}`
  const why = insert(draft, to, value as Json)
  return why && `error in move for path: '${path}': ${why}`
}

const copy: Apply = (draft, operation) => {
  const given = textOf(operation, 'from')
  if (given === undefined) return `copy operation failed to decode from: ${missingValue}`
  const from = draft.find(given, false)
  if (from === undefined) return `copy operation does not apply: doc is missing from path: ${given}: ${missingValue}`
  if (valueAt(from.container, from.key) === undefined) {
    return `error in copy for from: '${given}': ${invalidIndex(from.key)}`
  }
  const path = textOf(operation, 'path')
  if (path === undefined) return `copy operation failed to decode path: ${missingValue}`
  const to = draft.find(path, true)
  if (to === undefined)
    return `copy operation does not apply: doc is missing destination path: ${path}: ${missingValue}`
  const text = draft.text(valueAt(from.container, from.key) as Json)
  draft.copiedBytes += Buffer.byteLength(text)
  if (draft.copiedBytes > maxCopyBytes) {
    return (
      'Unable to complete the copy, the accumulated size increase of copy is ' +
      `${draft.copiedBytes}, exceeding the limit ${maxCopyBytes}`
    )
  }
  const why = insert(draft, to, JSON.parse(text) as Json)
  return why && `error while adding value during copy: ${why}`
}

const test: Apply = (draft, operation) => {
  const path = textOf(operation, 'path')
  if (path === undefined) return `test operation failed to decode path: ${missingValue}`
  const value = getOwn(operation, 'value')
  const differs = `testing value ${path} failed: ${testFailed}`
  if (path === '') {
    if (value === undefined || !equalJson(draft.root, value)) return differs
    if (draft.ownsReads) draft.root = draft.ownDeep(draft.root)
    return undefined
  }
  const place = draft.find(path, false)
  if (place === undefined) return `test operation does not apply: is missing path: ${path}: ${missingValue}`
  const actual = valueAt(place.container, place.key)
  if (actual === undefined) return `error in test for path: '${path}': ${invalidIndex(place.key)}`
  if (actual === null) return value === undefined || value === null ? undefined : differs
  if (value === undefined || !equalJson(actual, value)) return differs
  if (draft.ownsReads) put(place.container, place.key, draft.ownDeep(actual))
  return undefined
}

const operations: ReadonlyMap<string, Apply> = new Map([
  ['add', add],
  ['remove', remove],
  ['replace', replace],
  ['move', move],
  ['copy', copy],
  ['test', test],
])
