/**
 * The normal form of an outcome: without values that differ in every cluster, such as times, random names, addresses
 * and counters of writes. Two clusters behaved equally if their normal forms are equal. `rules` lists the removed
 * values with reasons, for docs/internals/scenarios.md.
 */
import type { Json, JsonObject } from '../../src/api/json.ts'
import { eventLines } from './event-lines.ts'
import { Names } from './names.ts'
import { defaults, kubeletConditions, usersOwn } from './rules.ts'
import type { Seen } from './scenario.ts'

export interface NormalFormOptions {
  readonly namespace: string
  readonly places: boolean
  readonly anyNumber: readonly string[]
  readonly byChance: readonly string[]
}

export function normalForm(everything: readonly JsonObject[], options: NormalFormOptions): Seen {
  const names = new Names(everything, options)
  const events = everything.filter(({ kind }) => kind === 'Event')
  const groups = new Map<string, { readonly isNamed: boolean; readonly shapes: JsonObject[] }>()
  for (const object of everything.filter(({ kind }) => kind !== 'Event')) {
    const metadata = object['metadata'] as JsonObject
    const key = names.inText(`${String(object['kind'])}/${String(metadata['name'])}`)
    const group = groups.get(key) ?? { isNamed: !key.endsWith('*'), shapes: [] }
    group.shapes.push(shapeOf(withoutAnnotations(object, options.byChance), names))
    groups.set(key, group)
  }
  const objects = Object.fromEntries(
    [...groups]
      .map(([key, { isNamed, shapes }]) => [key, isNamed ? (shapes[0] as Json) : counted(shapes)] as const)
      .sort(byFirst),
  )
  return { objects: withoutUsual(objects), events: eventLines(events, names, options.anyNumber) }
}

/** Groups items that are equal after their names are replaced, with their number. */
function together(items: readonly Json[]): Json[] {
  if (
    items.every((item) => typeof item !== 'object') ||
    new Set(items.map((item) => JSON.stringify(item))).size === items.length
  )
    return [...items]
  return counted(items as JsonObject[])
}

/** Groups equal shapes, with their number. */
function counted(shapes: readonly JsonObject[]): JsonObject[] {
  const counts = new Map<string, number>()
  for (const shape of shapes) counts.set(JSON.stringify(shape), (counts.get(JSON.stringify(shape)) ?? 0) + 1)
  return [...counts].sort(byFirst).map(([text, many]) => ({ many, ...(JSON.parse(text) as JsonObject) }))
}

function byFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/** The objects that every namespace has. They are recorded only if they differ from this. */
const usual: Readonly<Record<string, string>> = {
  'Namespace/{{ns}}':
    '{"labels":{"kubernetes.io/metadata.name":"{{ns}}"},"spec":{"finalizers":["kubernetes"]},' +
    '"status":{"phase":"Active"}}',
  'ServiceAccount/default': '{}',
  'ConfigMap/kube-root-ca.crt':
    '{"annotations":{"kubernetes.io/description":"Contains a CA bundle that can be used to verify the ' +
    'kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
    'No other usage is guaranteed across distributions of Kubernetes ' +
    'clusters."},"data":{"ca.crt":"CERTIFICATE"}}',
}

function withoutUsual(objects: Readonly<Record<string, Json>>): Record<string, Json> {
  const kept = Object.entries(objects).filter(([key, value]) => usual[key] !== JSON.stringify(value))
  const missing = Object.keys(usual)
    .filter((key) => objects[key] === undefined)
    .map((key) => [key, 'absent'] as const)
  return Object.fromEntries([...kept, ...missing].sort(byFirst))
}

const keptMetadata = [
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]

function withoutAnnotations(object: JsonObject, left: readonly string[]): JsonObject {
  const { annotations, ...metadata } = object['metadata'] as JsonObject
  const kept = Object.entries((annotations ?? {}) as JsonObject).filter(([name]) => !left.includes(name))
  return left.length === 0
    ? object
    : { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(kept) } }
}

function shapeOf(object: JsonObject, names: Names): JsonObject {
  const { apiVersion: _, kind, metadata, status, ...rest } = object
  const meta = metadata as JsonObject
  const shape = {
    ...Object.fromEntries(
      keptMetadata.filter((field) => meta[field] !== undefined).map((field) => [field, meta[field] as Json]),
    ),
    ...(usersOwn.has(String(kind)) ? { generation: meta['generation'] as Json } : {}),
    ...rest,
    ...(status === undefined ? {} : { status: statusOf(object, status as JsonObject) }),
  }
  return shortened(sorted(names.inValue(shape))) as JsonObject
}

function statusOf({ kind, metadata, spec }: JsonObject, status: JsonObject): JsonObject {
  const { generation } = metadata as JsonObject
  const told = {
    ...status,
    ...(status['observedGeneration'] === undefined
      ? {}
      : { observedGeneration: status['observedGeneration'] === generation ? 'current' : 'old' }),
  }
  if (kind !== 'Pod') return told
  const { phase, reason, message, qosClass, nominatedNodeName, conditions } = told as JsonObject
  const isCompleted = phase === 'Succeeded' && (spec as JsonObject)['nodeName'] !== 'by-hand'
  const own = ((conditions ?? []) as JsonObject[])
    .filter(({ type }) => !kubeletConditions.has(String(type)) && !(isCompleted && type === 'Ready'))
    .map((condition) =>
      condition['type'] === 'Ready' ? { type: 'Ready', status: condition['status'] as Json } : condition,
    )
  return Object.fromEntries(
    Object.entries({ phase, reason, message, qosClass, nominatedNodeName, conditions: own }).filter(
      ([, value]) => value !== undefined,
    ),
  ) as JsonObject
}

/** Removes fields with default values, and the resourceVersion of references. */
function shortened(value: Json): Json {
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'resourceVersion')
      .filter(([key, child]) => !(key in defaults && JSON.stringify(defaults[key]) === JSON.stringify(child)))
      .map(([key, child]) => [key, shortened(child)]),
  )
}

/** Sorts members by name, and unordered lists by content. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, child]) => {
        const inner = sorted(child)
        return [
          key,
          unordered.has(key) && Array.isArray(inner)
            ? together(inner.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1)))
            : inner,
        ] as const
      })
      .sort(byFirst),
  )
}

const unordered = new Set(['conditions', 'endpoints', 'addresses', 'notReadyAddresses', 'subsets', 'ports', 'taints'])

/** The sort key of an item: its type if it has one. */
function textOf(value: Json): string {
  const type = typeof value === 'object' && value !== null && !Array.isArray(value) ? value['type'] : undefined
  return typeof type === 'string' ? type : JSON.stringify(value)
}
