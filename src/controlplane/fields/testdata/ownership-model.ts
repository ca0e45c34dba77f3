/**
 * A slow model of field ownership, without trees, sets and shapes: an object is a flat list of paths with values, an
 * owner is a list of paths, and every rule is a statement about these lists.
 */
import { isObject, type Json, type JsonObject } from '../../../api/json.ts'

// --- objects of the model: values by path

type Kind = 'leaf' | 'container' | 'item'
interface Unit {
  readonly kind: Kind
  /** JSON of a leaf; '' for a container or an item. */
  readonly value: string
  readonly above: readonly string[]
  /** An empty map: its applier owns it. */
  readonly hollowMap: boolean
}
export type Flat = Map<string, Unit>

export const lists = new Set(['.spec.set', '.spec.items'])
const containers = new Set(['.metadata', '.metadata.labels', '.spec', '.spec.map', '.spec.part', ...lists])

export function flatten(object: JsonObject): Flat {
  const flat: Flat = new Map()
  const visit = (value: Json, path: string, above: readonly string[]): void => {
    const isItem = path.startsWith('.spec.items[') && path.endsWith(']')
    const kind: Kind = isItem ? 'item' : containers.has(path) ? 'container' : 'leaf'
    const leaf = kind === 'leaf'
    flat.set(path, {
      kind,
      above,
      value: leaf ? valueText(value) : '',
      hollowMap: kind === 'container' && isObject(value) && Object.keys(value).length === 0,
    })
    if (!leaf) inside(value, path, [...above, path])
  }
  const inside = (value: Json, path: string, above: readonly string[]): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, path + keyOf(item), above)
    } else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) visit(item, `${path}.${key}`, above)
    }
  }
  inside(object, '', [])
  return flat
}

/** The order of keys does not matter, that of items does. */
function valueText(value: Json): string {
  return JSON.stringify(isObject(value) ? sorted(value) : value)
}

export function sorted<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) as T
}

export function keyOf(item: Json): string {
  if (!isObject(item)) return `[=${JSON.stringify(item)}]`
  return `[id=${JSON.stringify(item['id'])},proto=${JSON.stringify(item['proto'] ?? 'TCP')}]`
}

// --- the model's rules

interface ModelOwner {
  readonly paths: ReadonlySet<string>
  readonly time: number | undefined
}

const untracked = new Set(['.apiVersion', '.kind', '.metadata', '.metadata.name'])

export class Model {
  object: Flat | undefined
  owners = new Map<string, ModelOwner>()

  update(next: Flat, manager: string, now: number): void {
    if (this.object === undefined || this.owners.size > 0) {
      this.#record(this.object ?? new Map(), next, `${manager} Update`, now)
    }
    this.object = next
  }

  /** Fields that are new or different are owned by the updater alone; removed fields are owned by nobody. */
  #record(before: Flat, after: Flat, id: string, now: number): void {
    const touched = changed(before, after)
    const gone = [...before.keys()].filter((path) => !after.has(path))
    this.#takeFromAll('', new Set([...touched, ...gone]))
    const taken = touched.filter((path) => !untracked.has(path))
    if (taken.length === 0) return
    this.owners.set(id, { paths: new Set([...(this.owners.get(id)?.paths ?? []), ...taken]), time: now })
  }

  /**
   * Returns the conflicts, as `manager path`; changes nothing if there are any. The model has no order of items: the
   * caller says whether it changed, since that is a change of the object.
   */
  apply(config: Flat, manager: string, force: boolean, now: number, reordered: boolean): string[] {
    const before = { object: this.object, owners: new Map(this.owners) }
    if (this.object !== undefined && this.owners.size === 0) {
      this.#record(new Map(), this.object, 'before-first-apply Update', now)
    }
    const id = `${manager} Apply`
    const live: Flat =
      this.object ??
      new Map([
        ['.apiVersion', unit('"v1"')],
        ['.kind', unit('"Thing"')],
      ])
    const last = this.owners.get(id)
    const names = ([, { kind, hollowMap }]: [string, Unit]): boolean => kind !== 'container' || hollowMap
    const named = new Set([...config].filter(names).map(([path]) => path))
    const after = this.#prune(new Map([...live, ...config]), last?.paths ?? new Set(), named, id)
    const touched = new Set(changed(live, after))
    const conflicts: string[] = []
    for (const [other, { paths }] of this.owners) {
      if (other !== id) for (const path of paths) if (touched.has(path)) conflicts.push(`${other} ${path}`)
    }
    if (conflicts.length > 0 && !force) {
      this.object = before.object
      this.owners = before.owners
      return conflicts.sort()
    }
    const gone = [...live.keys()].filter((path) => !after.has(path))
    this.#takeFromAll(id, new Set([...touched, ...gone]))
    const paths = new Set([...named].filter((path) => !untracked.has(path)))
    const time = touched.size > 0 || gone.length > 0 || reordered ? now : last?.time
    if (paths.size > 0) this.owners.set(id, { paths, time })
    else this.owners.delete(id)
    this.object = withoutEmptyLists(after)
    return []
  }

  /**
   * A path is pruned if the applier named it last time, or if it is a container on the way to such a path, and if
   * nobody owns it now, nor, for a container, anything in it. Everything in a pruned container is removed with it.
   */
  #prune(merged: Flat, last: ReadonlySet<string>, named: ReadonlySet<string>, id: string): Flat {
    if (last.size === 0) return merged
    const owned = new Set(named)
    for (const [other, { paths }] of this.owners) if (other !== id) for (const path of paths) owned.add(path)
    const inside = (paths: ReadonlySet<string>, container: string): boolean =>
      [...paths].some((path) => path.startsWith(`${container}.`) || path.startsWith(`${container}[`))
    const goes = (path: string, { kind }: Unit): boolean => {
      const candidate = last.has(path) || (kind === 'container' && inside(last, path))
      const kept = owned.has(path) || (kind === 'container' && inside(owned, path))
      return candidate && !kept
    }
    const gone = new Set([...merged].filter(([path, it]) => goes(path, it)).map(([path]) => path))
    return new Map([...merged].filter(([path, { above }]) => ![path, ...above].some((over) => gone.has(over))))
  }

  #takeFromAll(but: string, taken: ReadonlySet<string>): void {
    for (const [id, { paths, time }] of this.owners) {
      if (id === but) continue
      const left = new Set([...paths].filter((path) => !taken.has(path)))
      if (left.size === 0) this.owners.delete(id)
      else this.owners.set(id, { paths: left, time })
    }
  }
}

/** The decoder drops a list that lost its last item; an owner of the list itself stays. */
function withoutEmptyLists(flat: Flat): Flat {
  const filled = new Set([...flat.values()].flatMap(({ above }) => above))
  return new Map([...flat].filter(([path]) => !lists.has(path) || filled.has(path)))
}

const unit = (value: string): Unit => ({ kind: 'leaf', value, above: [], hollowMap: false })

/** Added or modified. */
function changed(before: Flat, after: Flat): string[] {
  return [...after].filter(([path, { value }]) => before.get(path)?.value !== value).map(([path]) => path)
}
