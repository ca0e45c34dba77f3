/** Reads what findings about one object need. */
import { labelSelectorFrom } from '../api/label-selector-object.ts'
import { parseApiVersion, type KubeObject, type OwnerReference } from '../api/object.ts'
import type { ServedKind } from '../client/discovery.ts'
import type { RestMapper } from '../client/rest-mapper.ts'
import { CoreEvent, Pod } from '../schema/builtin/kinds.ts'
import type { Kind } from '../schema/kind.ts'
import {
  isBuiltIn,
  nameOf,
  type Examined,
  type ExaminedOwner,
  type ObjectFacts,
  type WarningEvent,
} from './examined.ts'
import { readControllers } from './read-controllers.ts'
import type { Reader } from './reader.ts'
import type { RequestedObject } from './requested-object.ts'

export async function readObjectFacts(
  reader: Reader,
  mapper: RestMapper,
  { served, kind, object }: RequestedObject,
  now: number,
): Promise<ObjectFacts> {
  const kinds = (await reader.tried('the list of served kinds', () => mapper.served())) ?? []
  const { ownerReferences = [] } = object.metadata
  const [owners, dependents, controllers] = await Promise.all([
    Promise.all(ownerReferences.map((reference) => readOwner(reader, kinds, object, reference))),
    readDependents(reader, kinds, { kind, object }),
    isBuiltIn(kind) ? undefined : readControllers(reader, kind),
  ])
  const hasStatus = served.subresources.includes('status')
  const warnings = await readWarnings(reader, { kind, object }, dependents)
  return { kind, object, now, hasStatus, owners, dependents, controllers, warnings }
}

async function readOwner(
  reader: Reader,
  kinds: readonly ServedKind[],
  object: KubeObject,
  reference: OwnerReference,
): Promise<ExaminedOwner> {
  const { group } = parseApiVersion(reference.apiVersion) ?? {}
  const found = kinds.find((each) => each.kind.group === group && each.kind.kind === reference.kind)
  if (found === undefined) return { reference, state: 'unknown' }
  const { namespace } = object.metadata
  const { name, uid } = reference
  const owner = await reader.get(found.kind, found.kind.namespaced ? { namespace, name } : { name })
  if (owner === undefined) return { reference, state: 'unknown' }
  if (owner === 'absent') return { reference, state: 'gone' }
  return { reference, state: owner.object.metadata.uid === uid ? 'exists' : 'replaced' }
}

/** One level deep, and the pods of workloads. */
async function readDependents(
  reader: Reader,
  kinds: readonly ServedKind[],
  examined: Examined,
): Promise<readonly Examined[]> {
  const { uid = '', namespace } = examined.object.metadata
  const candidates = onePerResource(kinds).filter((kind) => namespace === undefined || kind.namespaced)
  const lists = await Promise.all(candidates.map((kind) => reader.list(kind, { namespace, metadataOnly: true })))
  const owned = lists
    .flatMap((list) => list ?? [])
    .filter(({ object }) => (object.metadata.ownerReferences ?? []).some((owner) => owner.uid === uid))
  const whole = await Promise.all(
    owned.map(({ kind, object }) =>
      reader.get(kind, { namespace: object.metadata.namespace, name: object.metadata.name ?? '' }),
    ),
  )
  const children = whole.filter((each): each is Examined => each !== undefined && each !== 'absent')
  const pods = await Promise.all([examined, ...children].map((each) => podsOf(reader, each)))
  return [...new Map([...children, ...pods.flat()].map((each) => [each.object.metadata.uid ?? '', each])).values()]
}

/** In the version that the server prefers. Events are not owned. */
function onePerResource(kinds: readonly ServedKind[]): readonly Kind[] {
  const listed = kinds.filter(({ kind, verbs }) => verbs.includes('list') && kind.plural !== 'events')
  const first = new Map<string, Kind>()
  for (const { kind } of listed) {
    // Components have no owners, and metrics are no objects.
    if (kind.plural === 'componentstatuses' || kind.group === 'metrics.k8s.io') continue
    const key = `${kind.plural}.${kind.group}`
    if (!first.has(key)) first.set(key, kind)
  }
  return [...first.values()]
}

const workloads: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job'])

async function podsOf(reader: Reader, { kind, object }: Examined): Promise<readonly Examined[]> {
  const { selector } = (object['spec'] ?? {}) as { readonly selector?: Parameters<typeof labelSelectorFrom>[0] }
  if (!isBuiltIn(kind) || !workloads.has(kind.kind) || selector === undefined) return []
  const { namespace } = object.metadata
  const isSelected = labelSelectorFrom(selector)
  const pods = (await reader.list(Pod, { namespace })) ?? []
  return pods.filter((pod) => isSelected.matches(pod.object.metadata.labels ?? {}))
}

interface EventFields {
  readonly involvedObject?: { readonly uid?: string }
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly count?: number
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string }
}

async function readWarnings(
  reader: Reader,
  examined: Examined,
  dependents: readonly Examined[],
): Promise<readonly WarningEvent[]> {
  const names = new Map([examined, ...dependents].map((each) => [each.object.metadata.uid, nameOf(each)]))
  const { namespace = 'default' } = examined.object.metadata
  const events = await reader.list(CoreEvent, { namespace, fieldSelector: 'type=Warning' })
  return (events ?? []).flatMap(({ object }) => {
    const { involvedObject, reason = '', message = '', series, ...rest } = object as unknown as EventFields
    const about = names.get(involvedObject?.uid)
    if (about === undefined) return []
    const time = series?.lastObservedTime ?? rest.lastTimestamp ?? rest.eventTime ?? object.metadata.creationTimestamp
    return [
      {
        about,
        isAboutObject: involvedObject?.uid === examined.object.metadata.uid,
        reason,
        message,
        at: Date.parse(time ?? ''),
        count: series?.count ?? rest.count ?? 1,
      },
    ]
  })
}
