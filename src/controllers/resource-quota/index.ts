/**
 * The ResourceQuota controller: 1 find the kinds that a quota limits, 2 list their objects in its namespace, 3 update
 * the used amounts. Admission adds what is created; deletions are found here, for common kinds at once, for others at
 * the next recount.
 *
 * Admission counts an object before it is stored. So neither new objects nor changes of the used amounts cause a
 * recount: the caches might not have what admission has counted already, and more would be created than is allowed.
 */
import {
  ConfigMap,
  controller,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  ReplicationController,
  requeueAfter,
  ResourceQuota,
  Secret,
  Service,
  StatefulSet,
  type ApiObject,
  type ControllerDefinition,
  type Kind,
  type Live,
  type ReconcileContext,
} from '../../index.ts'
import { changed } from '../../controller/index.ts'
import { kindName } from '../../schema/index.ts'
import { keysInNamespace } from '../shared/keys-in-namespace.ts'
import { RestMappers } from '../shared/rest-mappers.ts'

type Context = ReconcileContext<ResourceQuota>

/** How quotas are counted. Admission uses the same functions. */
export interface QuotaCount {
  /** The names in a quota's `hard` that objects of the kind count for. */
  names(kind: Kind, spec: unknown): readonly string[]
  /** The usage of the objects by these names, as quantities. */
  usage(kind: Kind, spec: unknown, objects: readonly unknown[], now: number): Readonly<Record<string, string>>
}

/** Kinds in the cache. For other kinds only the number of objects counts, which is read from the server. */
const counters: readonly Kind[] = [
  Service,
  PersistentVolumeClaim,
  ConfigMap,
  Secret,
  Deployment,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
  DaemonSet,
  Job,
  CronJob,
]
const cached: readonly Kind[] = [Pod, ...counters]
/** The interval of recounts, which also find what admission has counted but the server has not stored. */
const recountPeriodMs = 300_000

export function resourceQuotas(count: QuotaCount): ControllerDefinition<ResourceQuota> {
  const mappers = new RestMappers()
  const named = controller(ResourceQuota)
    .named('resourcequota-controller')
    .when(changed(({ spec }) => spec))
    .watches(Pod, {
      map: (pod, reads) => keysInNamespace(reads, ResourceQuota, pod, () => true),
      when: isOtherUse,
      ignoreAdds: true,
    })
  return counters
    .reduce(
      (builder, kind) =>
        builder.watches(kind, {
          map: (object, reads) =>
            keysInNamespace(reads, ResourceQuota, object, ({ spec }) => count.names(kind, spec).length > 0),
          when: (old, object) => old.metadata.generation !== object.metadata.generation,
          ignoreAdds: true,
        }),
      named,
    )
    .options({ concurrency: 5, fieldManager: 'kube-controller-manager' })
    .reconcile(async (context) => {
      const { spec } = context.object
      const hard = spec?.hard ?? {}
      const counted = cached.filter((kind) => count.names(kind, spec).length > 0)
      const others = Object.keys(hard).filter((name) => !counted.some((kind) => count.names(kind, spec).includes(name)))
      const used: Record<string, string> = {}
      for (const kind of counted) Object.assign(used, count.usage(kind, spec, await context.list(kind), context.now()))
      for (const kind of others.length > 0 ? await servedKinds(context, mappers) : []) {
        if (count.names(kind, spec).length > 0)
          Object.assign(used, count.usage(kind, spec, await listed(context, kind), context.now()))
      }
      context.status.set({ hard: { ...hard }, used })
      return requeueAfter(recountPeriodMs)
    })
}

/** A pod uses something else only if it finishes, is resized or gets a deadline. The last two change its spec. */
function isOtherUse(old: Live<Pod>, pod: Live<Pod>): boolean {
  return (!isFinished(old) && isFinished(pod)) || old.metadata.generation !== pod.metadata.generation
}

function isFinished({ status }: Live<Pod>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

/** Discovery runs once, and again at each recount: a CRD may have added the kind. */
async function servedKinds({ client, triggers }: Context, mappers: RestMappers): Promise<readonly Kind[]> {
  const mapper = mappers.of(client)
  if (triggers.first.some(({ verb }) => verb === 'requeue')) mapper.invalidate()
  const kinds = new Map<string, Kind>()
  for (const { kind, verbs } of await mapper.served()) {
    const isNew = !kinds.has(kindName(kind)) && !cached.some((own) => kindName(own) === kindName(kind))
    if (isNew && verbs.includes('list')) kinds.set(kindName(kind), kind)
  }
  return [...kinds.values()]
}

/** Scopes need more than metadata, but no scope matches any of these kinds. */
async function listed({ client, object, signal }: Context, kind: Kind): Promise<readonly Live<ApiObject>[]> {
  return (await client.list(kind, { namespace: object.metadata.namespace, signal })).items
}
