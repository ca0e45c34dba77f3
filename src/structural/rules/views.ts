/**
 * JSON values as CEL values, by their schema. Nothing is copied: lists and objects are views that convert members on
 * access.
 */
import { goType } from '../../api/go-format.ts'
import { takeSteps } from '../../api/step-limit.ts'
import { equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { EvaluationFailed } from '../../cel/evaluation-run.ts'
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelUint,
  type CelResult,
  type CelValue,
} from '../../cel/library.ts'
import { equalValues } from '../../cel/values.ts'
import type { Schema } from '../schema.ts'
import { withResourceFields } from './declarations.ts'
import { escapeName, unescapeName } from './field-names.ts'
import { textValue } from './text-values.ts'

/** Converts a value by its schema; a CEL error if the value does not match it. */
export function viewOf(value: Json, schema: Schema): CelResult {
  if (value === null) {
    return schema.nullable ? null : new CelError('invalid data, got null for schema with nullable=false')
  }
  if (schema.intOrString) {
    if (typeof value === 'string') return value
    if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
    return new CelError('invalid data, expected XIntOrString value to be either a string or integer')
  }
  switch (schema.type) {
    case 'object':
      if (!isObject(value)) return new CelError('invalid data, expected a map for the provided schema with type=object')
      return new ObjectView(value, schema.embeddedResource ? withResourceFields(schema) : schema)
    case 'array':
      if (!Array.isArray(value)) {
        return new CelError('invalid data, expected an array for the provided schema with type=array')
      }
      if (schema.items === undefined) return new CelError('invalid array type, expected Items with a non-empty Schema')
      if (schema.listType === 'set') return new SetView(value, schema)
      return schema.listType === 'map' ? new MapListView(value, schema) : new ListView(value, schema)
    case 'string':
      return typeof value === 'string' ? textValue(value, schema.format) : unexpected('string', value)
    case 'number':
      return typeof value === 'number' ? value : unexpected('float', value)
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : unexpected('int', value)
    case 'boolean':
      return typeof value === 'boolean' ? value : unexpected('bool', value)
  }
  if (schema.preserveUnknown) return new UnknownView(value)
  return new CelError(
    'invalid type, expected object, array, number, integer, boolean or string, or no type with ' +
      `x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${schema.type}`,
  )
}

function unexpected(wanted: string, value: Json): CelError {
  return new CelError(`invalid data, expected ${wanted}, got ${goType(value)}`)
}

/** Like {@link viewOf}, but throws: for callers that cannot return an error. */
function strictView(value: Json, schema: Schema): CelValue {
  const view = viewOf(value, schema)
  if (view instanceof CelError) throw new EvaluationFailed(view)
  return view
}

class ObjectView extends CelMap {
  override readonly isData = true
  readonly json: JsonObject
  private readonly schema: Schema
  /** Objects have escaped field names, and null counts as absent; maps have their keys unchanged. */
  private readonly isObject: boolean

  constructor(json: JsonObject, schema: Schema) {
    super()
    this.json = json
    this.schema = schema
    this.isObject = schema.properties !== undefined
  }

  get size(): number {
    const { length } = Object.keys(this.json)
    takeSteps(10 * length)
    return length
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') throw new EvaluationFailed(new CelError('no such overload'))
    const name = this.isObject ? unescapeName(key) : key
    return name === undefined ? undefined : this.member(name)
  }

  keys(): CelValue[] {
    const names = Object.keys(this.json).filter((name) => this.memberSchema(name) !== undefined)
    takeSteps(20 * names.length)
    return this.isObject ? names.map((name) => escapeName(name) ?? name) : names
  }

  override equals(other: CelMap): boolean {
    if (this.size !== other.size) return false
    for (const name of Object.keys(this.json)) {
      if (this.memberSchema(name) === undefined) {
        if (!(other instanceof ObjectView)) return false
        const theirs = getOwn(other.json, name)
        if (theirs !== undefined && !equalUnknown(this.json[name] as Json, theirs)) return false
        continue
      }
      const own = this.get(name)
      const theirs = other.get(name)
      if (own === undefined && theirs === undefined) continue
      if (own === undefined || theirs === undefined || equalValues(own, theirs) !== true) return false
    }
    return true
  }

  private member(name: string): CelValue | undefined {
    const value = getOwn(this.json, name)
    if (value === undefined || (this.isObject && value === null)) return undefined
    const schema = this.memberSchema(name)
    return schema === undefined ? undefined : strictView(value, schema)
  }

  private memberSchema(name: string): Schema | undefined {
    return this.isObject ? this.schema.properties?.get(name) : this.schema.additionalProperties?.schema
  }
}

class ListView extends CelList {
  override readonly takesAnyIndex = false
  override readonly isData = true
  readonly json: readonly Json[]
  protected readonly schema: Schema

  constructor(json: readonly Json[], schema: Schema) {
    super()
    this.json = json
    this.schema = schema
  }

  get size(): number {
    return this.json.length
  }

  at(index: number): CelValue {
    return strictView(this.json[index] as Json, this.schema.items as Schema)
  }
}

function equalUnknown(a: Json, b: Json): boolean {
  takeSteps(4 * nodeCount(a))
  return equalJson(a, b)
}

function nodeCount(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const item of Array.isArray(value) ? value : Object.values(value)) count += nodeCount(item)
  return count
}

/** The items of any CEL list as JSON. */
function itemsOf(list: CelList): readonly Json[] {
  takeSteps(4 * list.size)
  if (list instanceof ListView) return list.json
  const items: Json[] = []
  for (let i = 0; i < list.size; i++) items.push(rawValue(list.at(i)))
  return items
}

function rawValue(value: CelValue): Json {
  if (typeof value === 'bigint') return Number(value)
  if (value === null || typeof value !== 'object') return value
  if (value instanceof ObjectView) return value.json
  if (value instanceof ListView) return value.json as Json[]
  if (value instanceof CelList) return itemsOf(value) as Json[]
  if (value instanceof CelUint) return Number(value.value)
  if (value instanceof CelTimestamp || value instanceof CelDuration) return String(value.nanos)
  if (!(value instanceof CelMap)) return String(value)
  return Object.fromEntries(value.keys().map((key) => [String(key), rawValue(value.get(key) as CelValue)]))
}

/** `listType: set`: order does not matter, and `+` adds only new items. */
class SetView extends ListView {
  override equals(other: CelList): boolean {
    if (this.size !== other.size) return false
    const own = new Set(this.json.map(keyText))
    return itemsOf(other).every((item) => own.has(keyText(item)))
  }

  override concat(other: CelList): CelResult {
    const known = new Set(this.json.map(keyText))
    const items = [...this.json]
    for (const item of itemsOf(other)) {
      const key = keyText(item)
      if (known.has(key)) continue
      known.add(key)
      items.push(item)
    }
    return new SetView(items, this.schema)
  }
}

function keyText(item: Json): string {
  const text = JSON.stringify(item)
  takeSteps(20 + (text.length >> 1))
  return text
}

/** `listType: map`: items are identified by their keys, order does not matter, and `+` replaces items by key. */
class MapListView extends ListView {
  override equals(other: CelList): boolean {
    if (this.size !== other.size) return false
    const own = new Map(this.json.map((item) => [this.keyOf(item), item]))
    for (let i = 0; i < other.size; i++) {
      const theirs = other.at(i)
      const item = own.get(this.keyOf(rawValue(theirs)))
      if (item === undefined || equalValues(strictView(item, this.schema.items as Schema), theirs) !== true)
        return false
    }
    return true
  }

  override concat(other: CelList): CelResult {
    const items = [...this.json]
    const places = new Map(items.map((item, i) => [this.keyOf(item), i]))
    for (const item of itemsOf(other)) {
      const place = places.get(this.keyOf(item))
      if (place === undefined) items.push(item)
      else items[place] = item
    }
    return new MapListView(items, this.schema)
  }

  private keyOf(item: Json): string {
    takeSteps(30)
    if (!isObject(item)) return 'null'
    return JSON.stringify(this.schema.listMapKeys.map((key) => getOwn(item, escapeName(key) ?? key) ?? null))
  }
}

/** A value without a schema: it can only be compared, as a part of the value that contains it. */
class UnknownView extends CelMap {
  override readonly isData = true
  readonly json: Json
  readonly size = 0

  constructor(json: Json) {
    super()
    this.json = json
  }

  get(): undefined {
    return undefined
  }

  keys(): CelValue[] {
    return []
  }

  override equals(other: CelMap): boolean {
    return other instanceof UnknownView && equalUnknown(this.json, other.json)
  }
}
