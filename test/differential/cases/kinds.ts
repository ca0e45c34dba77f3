/**
 * Every built-in kind with every verb: its minimal and its full object, and invalid ones. The objects are in
 * `manifests/`; a kind that is added there is automatically in the suite.
 */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Case, Step, Topic } from '../case.ts'
import { manifests } from '../manifests/index.ts'
import type { KindManifests } from '../manifests/manifest.ts'
import { merged, nameOf, placed, requestsOf } from '../manifests/placed.ts'
import type { Requests } from '../steps.ts'

/** A topic per API group: `kinds-core`, `kinds-apps`. */
export const kindTopics: readonly Topic[] = [...new Set(manifests.map(({ group }) => group))].map((group) => ({
  name: `kinds-${group === '' ? 'core' : group.replace('.k8s.io', '')}`,
  cases: manifests.filter((kind) => kind.group === group).flatMap(casesOf),
}))

function casesOf(unplaced: KindManifests): Case[] {
  const kind = placed(unplaced)
  const requests = requestsOf(kind)
  const name = `${kind.kind} ${kind.version}`
  const { minimal, full } = kind
  if (kind.tended === true) return [{ name: `${name}: dry runs`, steps: dryRuns(requests, minimal, full, kind) }]
  return [
    { name: `${name}: minimal`, steps: minimalSteps(requests, minimal) },
    { name: `${name}: full`, steps: fullSteps(requests, full, kind) },
    { name: `${name}: wrong at creation`, steps: kind.bad.map(({ patch }) => requests.create(merged(full, patch))) },
    {
      name: `${name}: wrong as a change`,
      steps: [
        { ...requests.create(full), setup: true },
        ...kind.bad.map(({ patch }) => requests.merge(nameOf(full), patch)),
      ],
    },
  ]
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
    requests.replace(
      name,
      merged(object, { metadata: { resourceVersion: '{{1.metadata.resourceVersion}}', labels: { a: 'b' } } }),
    ),
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
