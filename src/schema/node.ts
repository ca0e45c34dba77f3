/**
 * SchemaNode: one value of a schema, as TypeScript sees it and as a CRD writes it. Nodes are immutable: every method
 * returns another one. A node is structural from the start, so nothing needs conversion and nothing is rejected later.
 */
import { cloneJson, deepFreeze, type Json, type JsonObject } from '../api/json.ts'

/** Whether a field may be left out: `optional` when read and when written, `defaulted` only when written. */
export type Presence = 'required' | 'optional' | 'defaulted'

/** A part of `openAPIV3Schema`. Frozen. */
export type StructuralSchema = Readonly<JsonObject>

/** A definition that no server would accept, or that means something else than it says. Thrown where it is written. */
export class SchemaError extends Error {
  override name = 'SchemaError'
}

/** What stands beside a rule's expression. All of it may be left out. */
export interface RuleOptions {
  /** The message for users. Default: `failed rule: …`. */
  readonly message?: string
  /** A CEL expression for the message; wins over `message` unless it fails. */
  readonly messageExpression?: string
  /** Default FieldValueInvalid. */
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
  /** The field that is to blame, from here: `.replicas`. Default: the node itself. */
  readonly fieldPath?: string
  /** Runs a rule about `oldSelf` on creation too; `oldSelf` is then an optional. Default false. */
  readonly optionalOldSelf?: boolean
}

declare const nodeTypes: unique symbol

/** @internal The key of a node's types; no value has it. */
export type NodeTypes = typeof nodeTypes

export class SchemaNode<Read = unknown, Write = Read, P extends Presence = Presence> {
  /** Only types: no value has it. */
  declare readonly [nodeTypes]: { readonly read: Read; readonly write: Write; readonly presence: P }
  readonly schema: StructuralSchema
  readonly presence: Presence

  constructor(schema: JsonObject) {
    this.schema = deepFreeze(schema)
    this.presence = 'required'
  }

  /** Says what the field is for: `kubectl explain` shows it. */
  describe(description: string): this {
    return this.with({ description })
  }

  /**
   * A rule in CEL over `self` (and `oldSelf`): the server refuses objects for which it is false.
   * On lists and texts without a maximum, a rule may cost more than the server allows; give them one.
   */
  rule(expression: string, options: RuleOptions = {}): this {
    const before = (this.schema['x-kubernetes-validations'] ?? []) as Json[]
    return this.with({ 'x-kubernetes-validations': [...before, ruleSchema(expression, options)] })
  }

  /** The field may be left out. A field with a default stays one that is always there when read. */
  optional(): SchemaNode<Read, Write, P extends 'defaulted' ? 'defaulted' : 'optional'> {
    return this.as(this.presence === 'defaulted' ? 'defaulted' : 'optional') as never
  }

  /** What the server stores when the field is left out. Defaults inside of `value` are filled too. */
  default(value: Write): SchemaNode<Read, Write, 'defaulted'> {
    return this.with({ default: cloneJson(value as Json) }).as('defaulted')
  }

  /** The value may also be null. Without this, the server drops a null as if the field were not there. */
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

/** What is read of a node: `ReadOf<typeof spec>`. */
export type ReadOf<N extends SchemaNode> = N[NodeTypes]['read']

/** What may be written of it. */
export type WriteOf<N extends SchemaNode> = N[NodeTypes]['write']

/** A node for a place where something always stands: an item of a list, a value of a map. */
export type ItemNode = SchemaNode<unknown, unknown, 'required'>

/** An entry of `x-kubernetes-validations`. */
export function ruleSchema(rule: string, options: RuleOptions): JsonObject {
  return { rule, ...(options as JsonObject) }
}

/** With all keys sorted, so that equal schemas have equal bytes however they were written. Lists keep their order. */
export function canonical(value: Json): Json {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, canonical(value[key] as Json)]),
  )
}
