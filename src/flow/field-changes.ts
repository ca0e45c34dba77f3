/** The changes of a write, field by field: a readable number of them, with secrets masked. */
import { equalJson, isObject, type JsonObject } from '../api/json.ts'
import { isSecretField, masked, traceValue } from './mask.ts'
import type { FieldChange } from './trace.ts'

/** Fields that change with every write, or that no writer sets. */
const noise = new Set([
  'apiVersion',
  'kind',
  'metadata.managedFields',
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.uid',
  'metadata.creationTimestamp',
  'metadata.selfLink',
])
/** Fields that identify the items of a list. */
const listKeys = ['name', 'type', 'containerPort', 'port', 'uid'] as const

/** Changes beyond this number are not recorded. */
const maxChanges = 16

/** `before` undefined: the object did not exist. For a new object, metadata is left out. */
export function fieldChanges(
  kind: string,
  before: object | undefined,
  after: object | undefined,
): readonly FieldChange[] {
  const text = (value: unknown, isSecret: boolean): string | undefined =>
    value === undefined ? undefined : isSecret ? masked : traceValue(value)
  return fieldDifferences(kind, before, after, maxChanges).map(({ path, before: old, after: now, isSecret }) => ({
    path,
    before: text(old, isSecret),
    after: text(now, isSecret),
  }))
}

/** A field that differs, neither truncated nor masked. */
export interface FieldDifference {
  readonly path: string
  /** Undefined: the field did not exist. */
  readonly before: unknown
  /** Undefined: the field no longer exists. */
  readonly after: unknown
  /** The whole value is secret. If false, nested fields may still be secret. */
  readonly isSecret: boolean
}

/** `most`: the maximum of differences to look for. */
export function fieldDifferences(
  kind: string,
  before: object | undefined,
  after: object | undefined,
  most = Infinity,
): readonly FieldDifference[] {
  if (after === undefined) return []
  const found: FieldDifference[] = []
  const walk = (path: string, old: unknown, value: unknown, isSecret: boolean): void => {
    if (found.length >= most || noise.has(path) || equalJson(old, value)) return
    // A first status is recorded field by field, like every later one.
    const from = old === undefined && path === 'status' ? {} : old
    if (isObject(from) && isObject(value)) return walkFields(path, from, value, isSecret)
    const items = keyedItems(old, value)
    if (items !== undefined) return items.forEach(([key, from, to]) => walk(`${path}[${key}]`, from, to, isSecret))
    found.push({ path, before: old, after: value, isSecret })
  }
  const walkFields = (path: string, old: JsonObject, value: JsonObject, isSecret: boolean): void => {
    for (const key of new Set([...Object.keys(old), ...Object.keys(value)])) {
      const isHidden =
        isSecret || isSecretField(key, value) || (kind === 'Secret' && (key === 'data' || key === 'stringData'))
      walk(path === '' ? key : `${path}.${key}`, old[key], value[key], isHidden)
    }
  }
  const { metadata: _, ...parts } = after as JsonObject
  walkFields('', (before ?? {}) as JsonObject, before === undefined ? parts : (after as JsonObject), false)
  return found
}

type Item = readonly [key: string, from: unknown, to: unknown]

/** Two lists of objects by the keys of their items, such as `name=web`; undefined if they have none. */
function keyedItems(old: unknown, value: unknown): readonly Item[] | undefined {
  if (!Array.isArray(old) || !Array.isArray(value)) return undefined
  const key = listKeys.find((candidate) => isKeyOf(old, candidate) && isKeyOf(value, candidate))
  if (key === undefined) return undefined
  const byKey = (list: readonly JsonObject[]): ReadonlyMap<string, unknown> =>
    new Map(list.map((item) => [`${key}=${String(item[key])}`, item]))
  const [from, to] = [byKey(old), byKey(value)]
  return [...new Set([...from.keys(), ...to.keys()])].map((each) => [each, from.get(each), to.get(each)])
}

function isKeyOf(list: readonly unknown[], key: string): boolean {
  const values = list.map((item) => (isObject(item) ? item[key] : undefined))
  return values.every((value) => value !== undefined) && new Set(values).size === values.length
}
