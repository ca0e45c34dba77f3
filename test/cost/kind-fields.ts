/** The lists and maps of the built-in kinds, from their shapes, and objects in which one of them has many entries. */
import { cloneJson, isObject, setOwn, type Json, type JsonObject } from '../../src/api/json.ts'
import { builtinShape } from '../../src/shape/builtin-shapes.ts'
import type { ListShape, MapShape, ScalarType, Shape, StructShape } from '../../src/shape/shape.ts'
import { schemas } from '../../src/facts/facts.ts'
import type { KindManifests } from '../differential/manifests/index.ts'

export interface Collection {
  /** The struct and the field, such as `io.k8s.api.core.v1.Container.ports`: the same in many kinds. */
  readonly id: string
  /** Field names from the root; list items above are entered at their first item. */
  readonly path: readonly string[]
  readonly shape: ListShape | MapShape
}

/** Deeper ones have the same code as those above. */
const maxLevels = 9

export function collectionsOf(kind: KindManifests): Collection[] {
  const found: Collection[] = []
  const within = new Set<Shape>()
  const visit = (struct: StructShape, path: readonly string[]): void => {
    if (within.has(struct) || path.length > maxLevels) return
    within.add(struct)
    for (const { name, shape } of struct.fields.values()) {
      const at = [...path, name]
      if (shape.type === 'struct') visit(shape, at)
      if (shape.type !== 'list' && shape.type !== 'map') continue
      found.push({ id: `${struct.name}.${name}`, path: at, shape })
      const inner = shape.type === 'list' ? shape.items : shape.values
      if (shape.type === 'list' && inner.type === 'struct') visit(inner, at)
    }
    within.delete(struct)
  }
  visit(builtinShape(typeName(kind)) as StructShape, [])
  return found.filter(({ path }) => path[0] !== 'status' && path.join('.') !== 'metadata.managedFields')
}

function typeName({ group, version, kind }: KindManifests): string {
  for (const [name, schema] of schemas().entries()) {
    const types = schema['x-kubernetes-group-version-kind'] ?? []
    if (types.some((each) => each.group === group && each.version === version && each.kind === kind)) return name
  }
  throw new Error(`no type for ${group}/${version} ${kind}`)
}

export type Entries = 'distinct' | 'equal'

/** The full manifest with `n` entries in the collection. */
export function filledWith(kind: KindManifests, { path, shape }: Collection, n: number, entries: Entries): JsonObject {
  const object = cloneJson(kind.full)
  let at: JsonObject = object
  for (const name of path.slice(0, -1)) {
    let next = at[name]
    if (Array.isArray(next)) next = next[0]
    if (!isObject(next)) {
      next = {}
      at[name] = Array.isArray(at[name]) || isListAt(kind, path, name) ? [next] : next
    }
    at = next
  }
  const sample = firstOf(at[path[path.length - 1] as string])
  const value = (i: number): Json => valueOf(shape.type === 'list' ? shape.items : shape.values, i, sample, 0)
  const index = (i: number): number => (entries === 'equal' ? 1 : i + 1)
  const name = path[path.length - 1] as string
  if (shape.type === 'list') {
    at[name] = Array.from({ length: n }, (_, i) => value(index(i)))
  } else {
    const map: JsonObject = {}
    for (let i = 0; i < n; i++) setOwn(map, `key-${i}`, value(index(i)))
    at[name] = map
  }
  return object
}

function isListAt(kind: KindManifests, path: readonly string[], name: string): boolean {
  const depth = path.indexOf(name)
  return collectionsOf(kind).some(
    (each) =>
      each.shape.type === 'list' && each.path.length === depth + 1 && each.path.every((part, i) => part === path[i]),
  )
}

function firstOf(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value[0]
  return isObject(value) ? Object.values(value)[0] : undefined
}

/** A value of the shape: like the sample, with its texts and numbers changed by `i`. */
function valueOf(shape: Shape, i: number, sample: Json | undefined, depth: number): Json {
  switch (shape.type) {
    case 'scalar':
      return scalarOf(shape.scalar, i)
    case 'struct': {
      const object: JsonObject = isObject(sample) ? cloneJson(sample) : {}
      for (const { name, shape: field } of shape.fields.values()) {
        if (field.type === 'scalar' && (object[name] === undefined || isIdentity(name))) {
          if (isIdentity(name) || !isObject(sample)) object[name] = scalarOf(field.scalar, i)
        } else if (field.type === 'struct' && depth < 1 && object[name] === undefined && !isObject(sample)) {
          object[name] = valueOf(field, i, undefined, depth + 1)
        }
      }
      return object
    }
    case 'list':
      return []
    default:
      return {}
  }
}

/** Fields that make an item another one; others keep the value of the sample, which is valid. */
function isIdentity(name: string): boolean {
  return /^(?:name|key|uid|ip|port|containerPort|hostPort|path|mountPath|devicePath|host|hostname|type|value)$/.test(
    name,
  )
}

function scalarOf(type: ScalarType, i: number): Json {
  switch (type) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
    case 'intOrString':
      return (i % 60_000) + 1
    case 'bytes':
      return Buffer.from(`x${i}`).toString('base64')
    case 'time':
      return '2026-01-02T03:04:05Z'
    case 'microTime':
      return '2026-01-02T03:04:05.000000Z'
    case 'duration':
      return '5s'
    case 'quantity':
      return String(i)
    default:
      return `x${i}`
  }
}
