/**
 * Every built-in kind through every verb: its minimal and its full object, and what is wrong. The objects are in
 * `manifests/`; a kind that is added there is in the suite.
 */
import { isObject, setOwn } from '../../../src/api/json.ts'
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Case, Step, Topic } from '../case.ts'
import { manifests } from '../manifests/index.ts'
import type { KindManifests } from '../manifests/manifest.ts'
import { clusterResource, resource } from '../steps.ts'
import type { Requests } from '../steps.ts'

/** A topic per API group: `kinds-core`, `kinds-apps`. */
export const kindTopics: readonly Topic[] = [...new Set(manifests.map(({ group }) => group))].map((group) => ({
  name: `kinds-${group === '' ? 'core' : group.replace('.k8s.io', '')}`,
  cases: manifests.filter((kind) => kind.group === group).flatMap(casesOf),
}))

function casesOf(unplaced: KindManifests): Case[] {
  const kind = placed(unplaced, unplaced as unknown as JsonObject) as unknown as KindManifests
  const version = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
  const requests = kind.namespaced ? resource(kind.resource, version) : clusterResource(kind.resource, version)
  const name = `${kind.kind} ${kind.version}`
  const { minimal, full } = kind
  if (kind.tended === true) return [{ name: `${name}: dry runs`, steps: dryRuns(requests, minimal, full, kind) }]
  return [
    { name: `${name}: minimal`, steps: minimalSteps(requests, minimal) },
    { name: `${name}: full`, steps: fullSteps(requests, full, kind) },
    { name: `${name}: wrong at creation`, steps: kind.bad.map(({ patch }) => requests.create(merged(full, patch))) },
    {
      name: `${name}: wrong as a change`,
      steps: [{ ...requests.create(full), setup: true }, ...kind.bad.map(({ patch }) => requests.merge(nameOf(full), patch))],
    },
  ]
}

/** The manifests with the names of this case: cluster-wide objects must not meet those of others. */
function placed<T extends Json>(kind: KindManifests, value: T): T
function placed(kind: KindManifests, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => placed(kind, item))
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, placed(kind, child)]))
  if (typeof value !== 'string') return value
  if (value === 'NAMESPACE') return '{{ns}}'
  if (kind.namespaced) return value
  return kind.kind === 'IPAddress' ? value.replace(/^(192\.0\.2\.1|2001:db8::1)$/, '2001:db8::{{id}}') : value.replace(/^(v\d\.)?manifest\b/, '$1{{ns}}')
}

function nameOf(object: JsonObject): string {
  return String((object['metadata'] as JsonObject)['name'])
}

function dryRuns(requests: Requests, minimal: JsonObject, full: JsonObject, { bad }: KindManifests): Step[] {
  const wrong = bad.map(({ patch }) => requests.create(merged(full, patch), 'dryRun=All'))
  return [
    requests.create(minimal, 'dryRun=All'),
    requests.create(full, 'dryRun=All'),
    requests.apply(nameOf(full), full, 'dryRun=All&fieldManager=first'),
    requests.merge(nameOf(full), {}, 'dryRun=All'),
    ...wrong,
  ]
}

function minimalSteps(requests: Requests, object: JsonObject): Step[] {
  const name = nameOf(object)
  return [
    requests.create(object, 'dryRun=All'),
    requests.create(object),
    requests.get(name),
    requests.table(name),
    requests.replace(name, merged(object, { metadata: { resourceVersion: '{{1.metadata.resourceVersion}}', labels: { a: 'b' } } })),
    requests.replace(name, merged(object, { metadata: { labels: { a: 'c' } } })),
    requests.json(name, [{ op: 'add', path: '/metadata/annotations', value: { note: 'new' } }]),
    requests.json(name, [{ op: 'test', path: '/metadata/name', value: 'other' }]),
    requests.apply(name, merged(object, { metadata: { labels: { applied: 'yes' } } }), 'fieldManager=applier'),
    requests.apply(name, merged(object, { metadata: { labels: { a: 'd' } } }), 'fieldManager=applier'),
    requests.apply(name, merged(object, { metadata: { labels: { a: 'd' } } }), 'fieldManager=applier&force=true'),
    requests.apply(name, merged(object, { unheardOf: true }), 'fieldManager=applier&force=true'),
    requests.delete(name),
    requests.get(name),
  ]
}

function fullSteps(requests: Requests, object: JsonObject, kind: KindManifests): Step[] {
  const name = nameOf(object)
  const steps: Step[] = [
    requests.apply(name, object, 'fieldManager=first'),
    requests.apply(name, object, 'fieldManager=second'),
    requests.merge(name, kind.change, 'dryRun=All'),
    requests.merge(name, kind.change),
    requests.merge(name, kind.change),
    requests.apply(name, object, 'fieldManager=first'),
    requests.apply(name, object, 'fieldManager=first&force=true'),
    requests.strategic(name, kind.change),
    requests.replace(name, object),
    requests.merge(name, { unheardOf: { a: 1 } }, 'fieldValidation=Strict'),
    requests.merge(name, { unheardOf: { a: 1 } }),
    requests.table(name),
    requests.get(name, '', { headers: { accept: 'application/vnd.kubernetes.protobuf' } }),
    requests.get(name, '', { headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' } }),
  ]
  if (kind.status !== undefined) {
    steps.push(
      requests.sub('status').merge(name, kind.change),
      requests.sub('status').merge(name, kind.status),
      requests.sub('status').get(name),
      requests.merge(name, kind.status),
      ...(kind.badStatus ?? []).map(({ patch }) => requests.sub('status').merge(name, patch)),
    )
  }
  steps.push(
    requests.watch(`fieldSelector=metadata.name%3D${name}`, 1),
    requests.delete(name, '', { preconditions: { uid: 'wrong' } }),
    requests.delete(name, 'propagationPolicy=Foreground'),
    requests.get(name),
  )
  return steps
}

/** RFC 7386, which the manifests use to say what is other than in the full object. */
function merged(object: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...object }
  for (const [key, value] of Object.entries(patch)) {
    const old = result[key]
    if (value === null) delete result[key]
    else setOwn(result, key, isObject(value) ? merged(isObject(old) ? old : {}, value) : value)
  }
  return result
}
