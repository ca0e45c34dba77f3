/** The bodies of random requests: objects, patches, options. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import { merged } from '../manifests/placed.ts'
import type { Choices } from './choices.ts'
import { mutated, otherValue, patchAt, pathsOf, valueAt } from './mutate.ts'
import type { Served, Subject } from './subjects.ts'

/** The inputs for the next request. */
export interface Moment {
  readonly choices: Choices
  readonly subject: Subject
  /** The API version of the request. */
  readonly served: Served
  readonly name: string
  /** Indexes of earlier steps that wrote an object of this name. */
  readonly written: readonly number[]
}

const managers = ['alpha', 'beta', 'gamma']
const labels = [{ app: 'a' }, { app: 'b', tier: 'x' }, {}]

/** The label that selects the cluster-scoped objects of a sequence. */
export const own = { run: '{{ns}}' }

/** An object of this name: valid, with a known change, or with some random mutations. */
export function objectFor(moment: Moment): JsonObject {
  const { choices } = moment
  const base = baseFor(moment, 0.4)
  const object = choices.weighted<() => JsonObject>([
    [5, () => base],
    [4, () => mutated(base, 1 + choices.below(2), choices)],
    [1, () => mutated(base, 4, choices)],
  ])()
  const metadata: JsonObject = {}
  if (choices.chance(0.1))
    metadata['finalizers'] = choices.pick([['example.com/a'], ['example.com/a', 'example.com/b'], []])
  if (choices.chance(0.05)) metadata['annotations'] = { note: choices.pick(['x', 'y']) }
  return named(moment, object, metadata)
}

export function applied(moment: Moment): JsonObject {
  const { choices } = moment
  return named(moment, mutated(baseFor(moment, 0.3), choices.below(4), choices))
}

export function bare(moment: Moment): JsonObject {
  return named(moment, moment.subject.minimal)
}

function baseFor({ choices, subject }: Moment, minimal: number): JsonObject {
  const base = choices.chance(minimal) ? subject.minimal : subject.full
  return subject.changes.length > 0 && choices.chance(0.25) ? merged(base, choices.pick(subject.changes)) : base
}

function named({ choices, subject, served, name }: Moment, object: JsonObject, more: JsonObject = {}): JsonObject {
  const metadata: JsonObject = { ...(object['metadata'] as JsonObject), ...more, name }
  if (choices.chance(0.3)) metadata['labels'] = choices.pick(labels)
  if (!subject.namespaced) metadata['labels'] = { ...(metadata['labels'] as JsonObject | undefined), ...own }
  return { ...object, apiVersion: choices.chance(0.98) ? served.apiVersion : (object['apiVersion'] ?? null), metadata }
}

/** Adds the resourceVersion or the uid of an earlier response, or neither. */
export function guarded({ choices, written }: Moment, object: JsonObject): JsonObject {
  const step = written.length === 0 ? 0 : choices.chance(0.7) ? (written.at(-1) as number) : choices.pick(written)
  const guard = choices.weighted<JsonObject>([
    [5, {}],
    [4, { resourceVersion: `{{${step}.metadata.resourceVersion}}` }],
    [1, { uid: `{{${step}.metadata.uid}}` }],
  ])
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), ...guard } }
}

export function mergePatch({ choices, subject }: Moment): JsonObject {
  if (subject.changes.length > 0 && choices.chance(0.4)) return choices.pick(subject.changes)
  if (choices.chance(0.2)) {
    return {
      metadata: choices.pick<JsonObject>([
        { labels: { app: 'c' } },
        { labels: null },
        { annotations: { n: '1' } },
        { finalizers: null },
        { finalizers: ['example.com/a'] },
      ]),
    }
  }
  const path = choices.pick(pathsOf(subject.full))
  const upToList = path
    .slice(0, path.findIndex((key) => typeof key === 'number') + 1 || path.length)
    .filter((key) => typeof key === 'string')
  const value = valueAt(subject.full, upToList) ?? null
  return patchAt(upToList, choices.chance(0.25) ? null : otherValue(value, choices))
}

export function jsonPatch({ choices, subject }: Moment): Json {
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

export function statusBody({ choices, subject }: Moment): JsonObject {
  return choices.chance(0.5) ? (subject.status as JsonObject) : mutated(subject.status as JsonObject, 2, choices)
}

export function query(choices: Choices, more: Record<string, string> = {}): string {
  const all: Record<string, string> = { ...more }
  if (choices.chance(0.5)) all['fieldManager'] ??= choices.pick(managers)
  if (choices.chance(0.06)) all['dryRun'] = 'All'
  if (choices.chance(0.15)) all['fieldValidation'] = choices.pick(['Strict', 'Warn', 'Ignore'])
  return queryText(all)
}

export function applyQuery(choices: Choices): string {
  return query(choices, { fieldManager: choices.pick(managers), ...(choices.chance(0.4) ? { force: 'true' } : {}) })
}

const labelSelectors = ['app', 'app%3Da', 'app%20in%20(a,c)', '!app', 'app%3D%3Db']

/** A query that selects objects of this sequence. */
export function selection({ choices, subject, name }: Moment, more: Record<string, string> = {}): string {
  const all: Record<string, string> = { ...more }
  const byLabel = choices.chance(0.4) ? [choices.pick(labelSelectors)] : []
  const scope = subject.namespaced ? [] : ['run%3D{{ns}}']
  if (byLabel.length + scope.length > 0) all['labelSelector'] = [...byLabel, ...scope].join(',')
  if (choices.chance(0.3))
    all['fieldSelector'] = choices.pick([`metadata.name%3D${name}`, `metadata.name!%3D${name}`, ...subject.selectors])
  return queryText(all)
}

function queryText(all: Readonly<Record<string, string>>): string {
  return Object.entries(all)
    .map(([key, value]) => `${key}=${value}`)
    .join('&')
}

export const deleteOptions = (choices: Choices, written: readonly number[]): Json | undefined =>
  choices.weighted<Json | undefined>([
    [6, undefined],
    [1, { propagationPolicy: 'Foreground' }],
    [1, { propagationPolicy: 'Orphan' }],
    [1, { gracePeriodSeconds: 0 }],
    [1, { preconditions: { uid: `{{${written.at(-1) ?? 0}.metadata.uid}}` } }],
    [1, { preconditions: { resourceVersion: `{{${written.at(0) ?? 0}.metadata.resourceVersion}}` } }],
  ])
