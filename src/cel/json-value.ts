/** JSON as CEL values without a schema: `dyn`. Nothing is copied: members are converted on access. */
import type { FrozenJson } from '../api/json.ts'
import { takeSteps } from '../api/step-limit.ts'
import { CelList, CelMap, type CelValue } from './library.ts'

export function jsonValue(json: FrozenJson | undefined): CelValue {
  if (json === undefined || json === null) return null
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json
  if (typeof json !== 'object') return json
  return Array.isArray(json) ? new JsonList(json) : new JsonMap(json as FrozenObject)
}

type FrozenObject = { readonly [name: string]: FrozenJson | undefined }

class JsonList extends CelList {
  readonly size: number
  private readonly items: readonly FrozenJson[]

  constructor(items: readonly FrozenJson[]) {
    super()
    this.items = items
    this.size = items.length
  }

  at(index: number): CelValue {
    return jsonValue(this.items[index])
  }
}

class JsonMap extends CelMap {
  private readonly json: FrozenObject

  constructor(json: FrozenObject) {
    super()
    this.json = json
  }

  get size(): number {
    return this.keys().length
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.json, key)) return undefined
    const value = this.json[key]
    return value === undefined ? undefined : jsonValue(value)
  }

  keys(): CelValue[] {
    const names = Object.keys(this.json).filter((name) => this.json[name] !== undefined)
    takeSteps(20 * names.length)
    return names
  }
}
