/** Sequences of random requests to a few objects of one or two kinds, by users with several field managers. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Step } from '../case.ts'
import { request } from '../steps.ts'
import { Choices } from './choices.ts'
import { mutated, otherValue, patchAt, pathsOf, valueAt } from './mutate.ts'
import { subjects } from './subjects.ts'
import type { Subject } from './subjects.ts'

export const sequenceLength = 50

const names = ['one', 'two', 'three']
const managers = ['alpha', 'beta', 'gamma']
const limited = new Set(['Pod', 'PersistentVolumeClaim'])
const labels = [{ app: 'a' }, { app: 'b', tier: 'x' }, {}]

/** What is asked for next. One entry per verb and patch kind. */
interface Verb {
  readonly weight: number
  readonly name: string
  build(at: Moment): Step | undefined
}

/** What a request is made from. */
interface Moment {
  readonly choices: Choices
  readonly subject: Subject
  readonly name: string
  /** Numbers of earlier steps that wrote an object of this name. */
  readonly written: readonly number[]
}

export interface Sequence {
  readonly seed: number
  readonly steps: readonly Step[]
}

export function generate(seed: number): Sequence {
  const choices = new Choices(seed)
  const first = choices.pick(subjects)
  const second = choices.pick(subjects)
  const used = race(first.kind, second.kind) ? [first, first] : [first, second]
  const written = new Map<string, number[]>()
  const steps: Step[] = []
  while (steps.length < sequenceLength) {
    const subject = choices.pick(used)
    const name = choices.weighted([[5, 'one'], [3, 'two'], [1, 'three']] as const)
    const key = `${subject.kind} ${name}`
    const verb = choices.weighted(verbs.map((each) => [each.weight, each] as const))
    const step = verb.build({ choices, subject, name, written: written.get(key) ?? [] })
    if (step === undefined) continue
    if (step.method !== 'GET' && step.method !== 'DELETE') written.set(key, [...(written.get(key) ?? []), steps.length])
    steps.push(step)
  }
  // All that happened, once more, as events. A watch ends when the server ends it, which takes a second.
  const oldest = [...written.values()].flat().toSorted((a, b) => a - b)[0]
  const kind = used[0]
  if (oldest !== undefined && kind !== undefined && choices.chance(0.25)) {
    steps.push(kind.requests.watch(`timeoutSeconds=1&resourceVersion={{${oldest}.metadata.resourceVersion}}`))
  }
  steps.push(...givenBack(steps))
  return { seed, steps }
}

/** Addresses are few: what holds one is given back after these steps. */
export function givenBack(steps: readonly Step[]): Step[] {
  const services = subjects.find(({ kind }) => kind === 'Service')?.requests
  if (services === undefined || !steps.some(({ path }) => path.startsWith(services.path))) return []
  return [services.deleteAll(), ...names.map((each) => services.merge(each, { metadata: { finalizers: null } }))]
}

/** A real server's admission sees a LimitRange only some time after it was written. */
function race(a: string, b: string): boolean {
  return (a === 'LimitRange' && limited.has(b)) || (b === 'LimitRange' && limited.has(a))
}

function objectFor({ choices, subject, name }: Moment): JsonObject {
  const base = choices.chance(0.4) ? subject.minimal : subject.full
  const object = choices.weighted<() => JsonObject>([
    [5, () => base],
    [4, () => mutated(base, 1 + choices.below(2), choices)],
    [1, () => mutated(base, 4, choices)],
  ])()
  const metadata: JsonObject = { ...(object['metadata'] as JsonObject), name }
  if (choices.chance(0.3)) metadata['labels'] = choices.pick(labels)
  if (choices.chance(0.1)) metadata['finalizers'] = choices.pick([['example.com/a'], ['example.com/a', 'example.com/b'], []])
  if (choices.chance(0.05)) metadata['annotations'] = { note: choices.pick(['x', 'y']) }
  return { ...object, metadata }
}

/** With the resourceVersion or uid of an earlier answer, or neither. */
function guarded({ choices, written }: Moment, object: JsonObject): JsonObject {
  const step = written.length === 0 ? 0 : choices.chance(0.7) ? (written.at(-1) as number) : choices.pick(written)
  const guard = choices.weighted<JsonObject>([
    [5, {}],
    [4, { resourceVersion: `{{${step}.metadata.resourceVersion}}` }],
    [1, { uid: `{{${step}.metadata.uid}}` }],
  ])
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), ...guard } }
}

function mergePatch({ choices, subject }: Moment): JsonObject {
  if (subject.changes.length > 0 && choices.chance(0.4)) return choices.pick(subject.changes)
  if (choices.chance(0.2)) {
    return { metadata: choices.pick<JsonObject>([{ labels: { app: 'c' } }, { labels: null }, { annotations: { n: '1' } }, { finalizers: null }, { finalizers: ['example.com/a'] }]) }
  }
  const path = choices.pick(pathsOf(subject.full))
  const upToList = path.slice(0, path.findIndex((key) => typeof key === 'number') + 1 || path.length).filter((key) => typeof key === 'string')
  const value = valueAt(subject.full, upToList) ?? null
  return patchAt(upToList, choices.chance(0.25) ? null : otherValue(value, choices))
}

function jsonPatch({ choices, subject }: Moment): Json {
  const paths = pathsOf(subject.full)
  return Array.from({ length: 1 + choices.below(3) }, () => {
    const path = choices.pick(paths)
    const pointer = `/${path.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
    const value = otherValue(valueAt(subject.full, path) ?? null, choices)
    return choices.weighted<JsonObject>([
      [4, { op: 'replace', path: pointer, value }],
      [3, { op: 'add', path: pointer, value }],
      [2, { op: 'remove', path: pointer }],
      [1, { op: 'test', path: pointer, value: valueAt(subject.full, path) ?? null }],
      [1, { op: 'copy', from: pointer, path: '/metadata/annotations/copied' }],
    ])
  })
}

function applied(moment: Moment): JsonObject {
  const { choices, subject, name } = moment
  const base = choices.chance(0.3) ? subject.minimal : subject.full
  const object = mutated(base, choices.below(4), choices)
  const metadata: JsonObject = { ...(object['metadata'] as JsonObject), name }
  if (choices.chance(0.3)) metadata['labels'] = choices.pick(labels)
  return { ...object, metadata }
}

function query(choices: Choices, more: Record<string, string> = {}): string {
  const all: Record<string, string> = { ...more }
  if (choices.chance(0.5)) all['fieldManager'] ??= choices.pick(managers)
  if (choices.chance(0.06)) all['dryRun'] = 'All'
  if (choices.chance(0.15)) all['fieldValidation'] = choices.pick(['Strict', 'Warn', 'Ignore'])
  return Object.entries(all).map(([key, value]) => `${key}=${value}`).join('&')
}

function applyQuery(choices: Choices): string {
  return query(choices, { fieldManager: choices.pick(managers), ...(choices.chance(0.4) ? { force: 'true' } : {}) })
}

const listQueries = ['', 'labelSelector=app', 'labelSelector=app%3Da', 'labelSelector=app%20in%20(a,c)', 'labelSelector=!app', 'limit=1', 'limit=2',
  'fieldSelector=metadata.name%3Done', 'fieldSelector=metadata.name!%3Done', 'labelSelector=app%3D%3Db&limit=1']

function statusBody({ choices, subject }: Moment): JsonObject {
  return choices.chance(0.5) ? (subject.status as JsonObject) : mutated(subject.status as JsonObject, 2, choices)
}

const deleteOptions = (choices: Choices, written: readonly number[]): Json | undefined => choices.weighted<Json | undefined>([
  [6, undefined],
  [1, { propagationPolicy: 'Foreground' }],
  [1, { propagationPolicy: 'Orphan' }],
  [1, { gracePeriodSeconds: 0 }],
  [1, { preconditions: { uid: `{{${written.at(-1) ?? 0}.metadata.uid}}` } }],
  [1, { preconditions: { resourceVersion: `{{${written.at(0) ?? 0}.metadata.resourceVersion}}` } }],
])

const verbs: readonly Verb[] = [
  { weight: 14, name: 'create', build: (at) => at.subject.requests.create(objectFor(at), query(at.choices)) },
  { weight: 8, name: 'replace', build: (at) => at.subject.requests.replace(at.name, guarded(at, objectFor(at)), query(at.choices)) },
  { weight: 10, name: 'merge patch', build: (at) => at.subject.requests.merge(at.name, mergePatch(at), query(at.choices)) },
  { weight: 7, name: 'JSON patch', build: (at) => at.subject.requests.json(at.name, jsonPatch(at), query(at.choices)) },
  {
    weight: 8,
    name: 'strategic merge patch',
    build: (at) => at.subject.requests.strategic(at.name, at.choices.chance(0.5) ? mergePatch(at) : mutated(at.subject.full, 3, at.choices), query(at.choices)),
  },
  { weight: 16, name: 'apply', build: (at) => at.subject.requests.apply(at.name, applied(at), applyQuery(at.choices)) },
  { weight: 4, name: 'delete', build: (at) => at.subject.requests.delete(at.name, '', deleteOptions(at.choices, at.written)) },
  { weight: 1, name: 'delete collection', build: (at) => at.subject.requests.deleteAll(at.choices.pick(['labelSelector=app%3Da', 'labelSelector=!app', ''])) },
  { weight: 4, name: 'get', build: (at) => at.subject.requests.get(at.name) },
  { weight: 4, name: 'list', build: (at) => at.subject.requests.list(at.choices.pick(listQueries)) },
  { weight: 3, name: 'table', build: (at) => at.subject.requests.table(at.choices.chance(0.5) ? at.name : undefined) },
  {
    weight: 5,
    name: 'status patch',
    build: (at) => (at.subject.status === undefined ? undefined : at.subject.requests.sub('status').merge(at.name, statusBody(at), query(at.choices))),
  },
  {
    weight: 2,
    name: 'status replace',
    build: (at) => at.subject.status === undefined ? undefined
      : at.subject.requests.sub('status').replace(at.name, guarded(at, { ...objectFor(at), ...statusBody(at) }), query(at.choices)),
  },
  {
    weight: 4,
    name: 'status apply',
    build: (at) => at.subject.status === undefined ? undefined
      : at.subject.requests.sub('status').apply(at.name, { ...at.subject.minimal, metadata: { name: at.name }, ...statusBody(at) }, applyQuery(at.choices)),
  },
  { weight: 1, name: 'get scale', build: (at) => (at.subject.scale ? at.subject.requests.sub('scale').get(at.name) : undefined) },
  {
    weight: 3,
    name: 'scale patch',
    build: (at) => (at.subject.scale
      ? at.subject.requests.sub('scale').merge(at.name, { spec: { replicas: at.choices.pick<Json>([0, 1, 5, -1, 'x', null]) } }, query(at.choices)) : undefined),
  },
  {
    weight: 2,
    name: 'scale replace',
    build: (at) => (at.subject.scale
      ? at.subject.requests.sub('scale').replace(at.name, {
        apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: at.name, namespace: '{{ns}}' }, spec: { replicas: at.choices.below(6) },
      }, query(at.choices)) : undefined),
  },
  {
    weight: 1,
    name: 'wrong method',
    build: (at) => request(at.choices.pick(['PUT', 'POST']), `${at.subject.requests.path}${at.choices.pick(['', `/${at.choices.pick(names)}`])}`, objectFor(at)),
  },
]

export const verbNames: readonly string[] = verbs.map(({ name }) => name)
