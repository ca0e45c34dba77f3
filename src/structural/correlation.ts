/**
 * Correlation: which part of the old object matches which part of the new one during an update.
 * Errors in unchanged parts are tolerated (validation ratcheting), so that a stricter CRD does not block updates of
 * existing objects.
 */
import { equalJson, getOwn, isObject, type Json } from '../api/json.ts'
import type { Schema } from './schema.ts'

export class Correlation {
  readonly value: Json
  readonly old: Json
  readonly schema: Schema
  private children: Map<string | number, Correlation | undefined> | undefined
  private oldItems: Map<string, Json> | undefined
  private same: boolean | undefined

  constructor(value: Json, old: Json, schema: Schema) {
    this.value = value
    this.old = old
    this.schema = schema
  }

  /** The old value of this field; undefined if either side lacks it or no schema describes it. */
  key(name: string): Correlation | undefined {
    const known = this.children?.get(name)
    if (known !== undefined) return known
    if (!isObject(this.value) || !isObject(this.old)) return undefined
    const value = getOwn(this.value, name)
    const old = getOwn(this.old, name)
    if (value === undefined || old === undefined) return undefined
    const schema = this.schema.properties?.get(name) ?? this.schema.additionalProperties?.schema
    return schema === undefined ? undefined : this.remember(name, new Correlation(value, old, schema))
  }

  /** The old value of a `listType: map` item, found by its keys; undefined in any other list. */
  index(i: number): Correlation | undefined {
    const known = this.children?.get(i)
    if (known !== undefined) return known
    if (!Array.isArray(this.value) || !Array.isArray(this.old) || this.schema.listType !== 'map') return undefined
    const item = this.value[i]
    const key = this.itemKey(item)
    if (item === undefined || key === undefined || this.schema.items === undefined) return undefined
    const old = this.indexOld(this.old).get(key)
    return old === undefined ? undefined : this.remember(i, new Correlation(item, old, this.schema.items))
  }

  /** True if nothing changed. A field that no schema describes counts as changed. */
  equal(): boolean {
    this.same ??= this.compare()
    return this.same
  }

  private compare(): boolean {
    if (Array.isArray(this.value)) {
      if (!Array.isArray(this.old) || this.value.length !== this.old.length) return false
      if (this.schema.listType !== 'map') return equalJson(this.value, this.old)
      return this.value.every((_, i) => this.index(i)?.equal() ?? false)
    }
    if (isObject(this.value)) {
      if (!isObject(this.old)) return false
      const names = Object.keys(this.value)
      if (names.length !== Object.keys(this.old).length) return false
      return names.every((name) => this.key(name)?.equal() ?? false)
    }
    return this.value === this.old
  }

  private remember(key: string | number, child: Correlation): Correlation {
    this.children ??= new Map()
    this.children.set(key, child)
    return child
  }

  private indexOld(items: readonly Json[]): Map<string, Json> {
    if (this.oldItems === undefined) {
      this.oldItems = new Map()
      for (const item of items) {
        const key = this.itemKey(item)
        if (key !== undefined && !this.oldItems.has(key)) this.oldItems.set(key, item)
      }
    }
    return this.oldItems
  }

  /** Undefined unless every key field is present and scalar. */
  private itemKey(item: Json | undefined): string | undefined {
    if (!isObject(item) || this.schema.listMapKeys.length === 0) return undefined
    const parts: Json[] = []
    for (const name of this.schema.listMapKeys) {
      const part = getOwn(item, name)
      if (part === undefined || part === null || typeof part === 'object') return undefined
      parts.push(part)
    }
    return JSON.stringify(parts)
  }
}
