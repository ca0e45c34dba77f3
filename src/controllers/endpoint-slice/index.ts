/**
 * The EndpointSlice controller: 1 find the pods that a Service selects, 2 compute the slices by address family and
 * ports, 3 write the differences.
 */
import {
  ApiError,
  controller,
  EndpointSlice,
  keyOf,
  mutableCopy,
  Node,
  Pod,
  Service,
  type Live,
  type ReconcileContext,
} from '../../index.ts'
import { controllerReference } from '../../controller/index.ts'
import {
  familiesOf,
  hasSelector,
  podChangeAffectsServices,
  serviceSelectsPod,
  servicesOf,
} from '../shared/service-pods.ts'
import { triggerAnnotation, TriggerTimes } from '../shared/trigger-time.ts'
import { desiredGroups } from './desired.ts'
import {
  sliceLabels,
  managedBy,
  managerLabel,
  nameLabel,
  sliceChanges,
  type SliceChanges,
  type SliceContent,
} from './slice-changes.ts'

type Context = ReconcileContext<Service>

export function endpointSlices() {
  const times = new TriggerTimes()
  return controller(Service)
    .named('endpointslice-controller')
    .watches(Pod, { map: servicesOf, when: podChangeAffectsServices })
    .watches(EndpointSlice, {
      map: ({ metadata: { namespace, labels } }) =>
        labels?.[managerLabel] === managedBy ? [{ namespace, name: labels[nameLabel] ?? '' }] : [],
    })
    .reads(Node)
    .options({ concurrency: 5, fieldManager: 'kube-controller-manager', batchPerTick: true })
    .gone((key) => times.forget(key))
    .deleting((context) => sync(context, times))
    .reconcile((context) => sync(context, times))
}

async function sync(context: Context, times: TriggerTimes): Promise<void> {
  const { object: service } = context
  if (!hasSelector(service)) return
  const pods = (await context.list(Pod)).filter((pod) => serviceSelectsPod(service, pod))
  const slices = await context.list(EndpointSlice, {
    labelSelector: `${nameLabel}=${service.metadata.name},${managerLabel}=${managedBy}`,
  })
  const nodes = await nodesOf(context, pods)
  const families = familiesOf(service)
  const time = times.next(service, pods)
  for (const family of families) {
    const groups = desiredGroups(service, pods, (name) => nodes.get(name), family)
    await carryOut(
      context,
      sliceChanges(
        service,
        slices.filter(({ addressType }) => addressType === family),
        groups,
        family,
      ),
      time,
    )
  }
  for (const slice of slices) if (!families.some((family) => family === slice.addressType)) await remove(context, slice)
}

async function nodesOf(context: Context, pods: readonly Live<Pod>[]): Promise<ReadonlyMap<string, Live<Node>>> {
  const nodes = new Map<string, Live<Node>>()
  for (const name of new Set(pods.map(({ spec }) => spec?.nodeName ?? ''))) {
    const node = name === '' ? undefined : await context.get(Node, { name })
    if (node !== undefined) nodes.set(name, node)
  }
  return nodes
}

/** While a Service is being deleted, its slices may shrink and none is created. */
async function carryOut(
  context: Context,
  { create, update, remove: removed }: SliceChanges,
  time: string | undefined,
): Promise<void> {
  const { object: service, client, signal } = context
  if (service.metadata.deletionTimestamp === undefined)
    for (const content of create) await client.create(EndpointSlice, newSlice(service, content, time), { signal })
  for (const { slice, content } of update)
    await client.update(EndpointSlice, changedSlice(service, slice, content, time), { signal })
  for (const slice of removed) await remove(context, slice)
}

function newSlice(
  service: Live<Service>,
  { addressType, ports, endpoints }: SliceContent,
  time: string | undefined,
): EndpointSlice {
  const { name, namespace = '' } = service.metadata
  return {
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: sliceLabels(service),
      ownerReferences: [controllerReference(Service, service)],
      ...(time === undefined ? {} : { annotations: { [triggerAnnotation]: time } }),
    },
    addressType,
    ports: structuredClone(ports) as EndpointSlice['ports'] & object,
    endpoints: structuredClone(endpoints) as EndpointSlice['endpoints'],
  }
}

function changedSlice(
  service: Live<Service>,
  slice: Live<EndpointSlice>,
  content: SliceContent,
  time: string | undefined,
): EndpointSlice {
  const { addressType, ports, endpoints } = newSlice(service, content, time)
  const { metadata } = mutableCopy(slice)
  const { [triggerAnnotation]: _, ...others } = metadata.annotations ?? {}
  const annotations = time === undefined ? others : { ...others, [triggerAnnotation]: time }
  return {
    metadata: { ...metadata, labels: sliceLabels(service), annotations },
    addressType,
    ports: ports ?? [],
    endpoints,
  }
}

async function remove({ client, signal }: Context, slice: Live<EndpointSlice>): Promise<void> {
  try {
    await client.delete(EndpointSlice, keyOf(slice), { uid: slice.metadata.uid, signal })
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error
  }
}
