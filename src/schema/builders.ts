/** The functions that create schema nodes. `t.ts` gives them their short names. */
import type { Json, JsonObject } from '../api/json.ts'
import type { ObjectMeta } from '../api/object.ts'
import { ArrayNode, MapNode, ObjectNode, type Fields } from './collection-nodes.ts'
import { SchemaNode, type ItemNode } from './node.ts'
import { NumberNode, StringNode } from './scalar-nodes.ts'

type Node<T> = SchemaNode<T, T, 'required'>

const node = <T>(schema: JsonObject): Node<T> => new SchemaNode<T, T, 'required'>(schema)

export const string = (): StringNode => new StringNode({ type: 'string' })

/** Has the format int32, which a server does not validate. */
export const int = (): NumberNode => new NumberNode({ type: 'integer', format: 'int32' })

/** JavaScript numbers are exact only up to 2^53. */
export const int64 = (): NumberNode => new NumberNode({ type: 'integer', format: 'int64' })

export const number = (): NumberNode => new NumberNode({ type: 'number' })

export const boolean = (): Node<boolean> => node({ type: 'boolean' })

/** One of these strings. */
export function oneOf<const Values extends readonly [string, ...string[]]>(...values: Values): Node<Values[number]> {
  return node({ type: 'string', enum: [...values] })
}

/** Exactly this value. */
export function literal<const Value extends string | number | boolean>(value: Value): Node<Value> {
  const type = typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value
  return node({ type, enum: [value] })
}

export const object = <F extends Fields>(fields: F): ObjectNode<F> => new ObjectNode(fields)

export const array = <N extends ItemNode>(items: N): ArrayNode<N> => new ArrayNode(items)

/** Arbitrary keys, and values of one type. */
export const map = <N extends ItemNode>(values: N): MapNode<N> => new MapNode(values)

const eitherIntOrString = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true }

/** For example a port by number or name, or a count or percentage. */
export const intOrString = (): Node<number | string> => node({ ...eitherIntOrString })

const signed = '(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))'
const quantityPattern = `^${signed}(([KMGTPE]i)|[numkMGTPE]|([eE]${signed}))?$`

/** `500m`, `1Gi`, 2. Read back as written: compare with `parseQuantity`, not as text. */
export const quantity = (): Node<number | string> => node({ ...eitherIntOrString, pattern: quantityPattern })

/** RFC 3339: `2024-02-03T04:05:06Z`. */
export const time = (): Node<string> => node({ type: 'string', format: 'date-time' })

/** In Go's format: `1h30m`, `500ms`, `0`. */
export const duration = (): StringNode =>
  new StringNode({ type: 'string', pattern: '^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$' })

/** Any JSON except null; the server does not prune it. */
export const json = (): Node<Exclude<Json, null>> => node({ 'x-kubernetes-preserve-unknown-fields': true })

/** An object with its own type and metadata, as in a template. */
export interface EmbeddedObject {
  apiVersion: string
  kind: string
  metadata?: ObjectMeta
  [field: string]: Json | ObjectMeta | undefined
}

/** A whole object of any kind. The server validates its type and metadata, and keeps everything else. */
export const embedded = (): Node<EmbeddedObject> =>
  node({ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true })
