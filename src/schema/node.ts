/**
 * SchemaNode: one value of a schema, as a TypeScript type and as part of a CRD. Nodes are immutable: every method
 * returns a new one. Nodes always produce structural schemas, so nothing has to be converted or rejected later.
 */
import { cloneJson, deepFreeze, type Json, type JsonObject } from '../api/json.ts'

/** Whether a field may be missing: `optional` in reads and writes, `defaulted` only in writes. */
export type Presence = 'required' | 'optional' | 'defaulted'

/** A part of `openAPIV3Schema`. Frozen. */
export type StructuralSchema = Readonly<JsonObject>

/** A definition that a server would reject or interpret differently. Thrown by the call that defines it. */
export class SchemaError extends Error {
  override name = 'SchemaError'
}

/** Options of a rule. */
export interface RuleOptions {
  /** The message for users. Default: `failed rule: …`. */
  readonly message?: string
  /** A CEL expression for the message; takes precedence over `message` unless it fails. */
  readonly messageExpression?: string
  /** Default FieldValueInvalid. */
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
  /** The field in the error, relative to the node: `.replicas`. Default: the node itself. */
  readonly fieldPath?: string
  /** Also evaluates a rule with `oldSelf` on create; `oldSelf` is then an optional. Default false. */
  readonly optionalOldSelf?: boolean
}

declare const nodeTypes: unique symbol

/** @internal The key of a node's types; no value has it. */
export type NodeTypes = typeof nodeTypes

export class SchemaNode<Read = unknown, Write = Read, P extends Presence = Presence> {
  /** Exists only as a type: no value has it. */
  declare readonly [nodeTypes]: { readonly read: Read; readonly write: Write; readonly presence: P }
  readonly schema: StructuralSchema
  readonly presence: Presence

  constructor(schema: JsonObject) {
    this.schema = deepFreeze(schema)
    this.presence = 'required'
  }

  /** The description of the field, which `kubectl explain` shows. */
  describe(description: string): this {
    return this.with({ description })
  }

  /**
   * A CEL rule about `self` (and `oldSelf`): the server rejects objects for which it is false. A rule on a list or
   * string without a maximum length may exceed the server's cost limit; set one.
   */
  rule(expression: string, options: RuleOptions = {}): this {
    const before = (this.schema['x-kubernetes-validations'] ?? []) as Json[]
    return this.with({ 'x-kubernetes-validations': [...before, ruleSchema(expression, options)] })
  }

  /** The field may be left out. A field with a default stays `defaulted`: reads always have it. */
  optional(): SchemaNode<Read, Write, P extends 'defaulted' ? 'defaulted' : 'optional'> {
    return this.as(this.presence === 'defaulted' ? 'defaulted' : 'optional') as never
  }

  /** The value that the server stores if the field is left out. Defaults within `value` are applied, too. */
  default(value: Write): SchemaNode<Read, Write, 'defaulted'> {
    return this.with({ default: cloneJson(value as Json) }).as('defaulted')
  }

  /** The value may also be null. Without this, the server drops a null as if the field were absent. */
  nullable(): SchemaNode<Read | null, Write | null, P> {
    const values = this.schema['enum'] as Json[] | undefined
    const schema = { nullable: true, ...(values === undefined ? {} : { enum: [...values, null] }) }
    return this.with(schema)
  }

  protected with(part: JsonObject): this {
    return this.copy({ schema: deepFreeze({ ...this.schema, ...part }) })
  }

  /** Copies bypass the constructor, so nodes cannot have #private members. */
  protected copy(changes: { readonly schema?: StructuralSchema; readonly presence?: Presence }): this {
    return Object.assign(Object.create(Object.getPrototypeOf(this) as object) as this, this, changes)
  }

  private as<Q extends Presence>(presence: Q): SchemaNode<Read, Write, Q> {
    return this.copy({ presence }) as unknown as SchemaNode<Read, Write, Q>
  }
}

/** The type of a node in reads: `ReadOf<typeof spec>`. */
export type ReadOf<N extends SchemaNode> = N[NodeTypes]['read']

/** The type of a node in writes. */
export type WriteOf<N extends SchemaNode> = N[NodeTypes]['write']

/** A node for a value that is always present: an item of a list, a value of a map. */
export type ItemNode = SchemaNode<unknown, unknown, 'required'>

/** An entry of `x-kubernetes-validations`. */
export function ruleSchema(rule: string, options: RuleOptions): JsonObject {
  return { rule, ...(options as JsonObject) }
}

/** With sorted keys, so that equal schemas have equal bytes. Lists keep their order. */
export function canonical(value: Json): Json {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, canonical(value[key] as Json)]),
  )
}
