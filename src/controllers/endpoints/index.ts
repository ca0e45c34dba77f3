/**
 * The Endpoints controller, the predecessor of EndpointSlices: 1 find the pods that a Service selects, 2 compute the
 * subsets, 3 create or update the Endpoints object if it differs. It is deleted with its Service.
 */
import {
  ApiError,
  controller,
  Endpoints,
  keyOf,
  mutableCopy,
  Pod,
  Service,
  type Client,
  type Live,
  type ObjectKey,
  type ReconcileContext,
} from '../../index.ts'
import {
  hasSelector,
  isHeadless,
  podChangeAffectsServices,
  serviceSelectsPod,
  servicesOf,
} from '../shared/service-pods.ts'
import { triggerAnnotation, TriggerTimes } from '../shared/trigger-time.ts'
import { subsetsOf, subsetsFingerprint, truncated } from './subsets.ts'

const managerLabel = 'endpoints.kubernetes.io/managed-by'
const manager = 'endpoint-controller'
const headlessLabel = 'service.kubernetes.io/headless'
const capacityAnnotation = 'endpoints.kubernetes.io/over-capacity'

export function endpoints() {
  const times = new TriggerTimes()
  return controller(Service)
    .named('endpoints-controller')
    .watches(Pod, { map: servicesOf, when: podChangeAffectsServices })
    .watches(Endpoints, { map: (object) => [keyOf(object)] })
    .options({ concurrency: 5, fieldManager: 'kube-controller-manager', batchPerTick: true })
    .gone(async (key, signal, client) => {
      times.forget(key)
      await removeLeft(key, signal, client)
    })
    .deleting((context) => sync(context, times))
    .reconcile((context) => sync(context, times))
}

async function removeLeft(key: ObjectKey, signal: AbortSignal, client: Client): Promise<void> {
  try {
    const left = await client.get(Endpoints, key, { signal })
    if (left.metadata.labels?.[managerLabel] === manager)
      await client.delete(Endpoints, key, { uid: left.metadata.uid, signal })
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error
  }
}

async function sync(context: ReconcileContext<Service>, times: TriggerTimes): Promise<void> {
  const { object: service, key, client, signal } = context
  if (!hasSelector(service)) return
  const pods = (await context.list(Pod)).filter((pod) => serviceSelectsPod(service, pod))
  const { subsets, isOver } = truncated(subsetsOf(service, pods))
  const time = times.next(service, pods)
  const existing = await context.get(Endpoints, key)
  const labels = labelsOf(service)
  const isRight =
    existing !== undefined &&
    subsetsFingerprint(existing.subsets) === subsetsFingerprint(subsets) &&
    isSame(existing.metadata.labels, labels) &&
    (existing.metadata.annotations?.[capacityAnnotation] !== undefined) === isOver
  if (isRight) return
  const annotations = annotationsOf(existing, time, isOver)
  if (existing === undefined)
    await client.create(
      Endpoints,
      { metadata: { ...key, labels, annotations } as Endpoints['metadata'], subsets },
      { signal },
    )
  else
    await client.update(
      Endpoints,
      { metadata: { ...mutableCopy(existing).metadata, labels, annotations }, subsets },
      { signal },
    )
}

function labelsOf(service: Live<Service>): Record<string, string> {
  const { [headlessLabel]: _, ...own } = service.metadata.labels ?? {}
  return { ...own, ...(isHeadless(service) ? { [headlessLabel]: '' } : {}), [managerLabel]: manager }
}

function annotationsOf(
  existing: Live<Endpoints> | undefined,
  time: string | undefined,
  isOver: boolean,
): Record<string, string> {
  const { [triggerAnnotation]: _time, [capacityAnnotation]: _, ...others } = existing?.metadata.annotations ?? {}
  return {
    ...others,
    ...(time === undefined ? {} : { [triggerAnnotation]: time }),
    ...(isOver ? { [capacityAnnotation]: 'truncated' } : {}),
  }
}

function isSame(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(b)
  return names.length === Object.keys(a).length && names.every((name) => a[name] === b[name])
}
