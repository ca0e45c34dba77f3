/**
 * Mirrors manually written Endpoints of Services without a selector into EndpointSlices: 1 check whether to mirror, 2
 * compute the slices, 3 create, update or delete one slice per address family and set of ports.
 */
import {
  ApiError,
  controller,
  Endpoints,
  EndpointSlice,
  keyOf,
  mutableCopy,
  Service,
  type Client,
  type Live,
  type ObjectKey,
  type ReconcileContext,
} from '../../index.ts'
import { controllerReference } from '../../controller/index.ts'
import { endpointKey, isSameEndpoint } from '../endpoint-slice/desired.ts'
import { managerLabel, nameLabel } from '../endpoint-slice/slice-changes.ts'
import { mirrorOf, maxMirroredAddresses, sliceKey, type MirroredSlices, type MirroredSlice } from './mirrored.ts'

type Context = ReconcileContext<Endpoints>

const managedBy = 'endpointslicemirroring-controller.k8s.io'
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror'
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader'
const notMirrored = new Set([
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
])

const ownSlices = (name: string): string => `${nameLabel}=${name},${managerLabel}=${managedBy}`

export const mirroredSlices = controller(Endpoints)
  .named('endpointslice-mirroring-controller')
  .watches(Service, { map: (service) => [keyOf(service)] })
  .watches(EndpointSlice, {
    map: ({ metadata: { namespace, labels } }) =>
      labels?.[managerLabel] === managedBy ? [{ namespace, name: labels[nameLabel] ?? '' }] : [],
  })
  .options({ concurrency: 5, fieldManager: 'kube-controller-manager' })
  .gone(({ namespace, name }, signal, client) => removeAll(client, { namespace, name }, signal))
  .reconcile(async (context) => {
    const { object: endpoints } = context
    const slices = await context.list(EndpointSlice, { labelSelector: ownSlices(endpoints.metadata.name) })
    const { slices: wanted, skipped } = (await isMirrored(context)) ? mirrorOf(endpoints) : nothing
    const isChanged = await carryOut(context, wanted, slices)
    if (isChanged && skipped > 0)
      context.event(
        'Warning',
        'TooManyAddressesToMirror',
        `A max of ${maxMirroredAddresses} addresses can be mirrored to EndpointSlices per Endpoints subset. ` +
          `${skipped} addresses were skipped`,
      )
  })

const nothing: MirroredSlices = { slices: new Map(), skipped: 0 }

async function isMirrored({ object: { metadata }, get }: Context): Promise<boolean> {
  if (metadata.labels?.[skipLabel] === 'true' || metadata.annotations?.[leaderAnnotation] !== undefined) return false
  const service = await get(Service, metadata.name)
  return service !== undefined && service.spec?.selector === undefined
}

/** Reuses a slice that would be deleted for one of the same family that would be created. False if nothing changed. */
async function carryOut(
  { object: endpoints, client, signal }: Context,
  mirror: MirroredSlices['slices'],
  slices: readonly Live<EndpointSlice>[],
): Promise<boolean> {
  const spare: Live<EndpointSlice>[] = []
  const found = new Map<string, Live<EndpointSlice>>()
  for (const slice of slices) {
    const key = sliceKey(slice.addressType, slice.ports)
    if (mirror.has(key) && !found.has(key)) found.set(key, slice)
    else spare.push(slice)
  }
  let isChanged = false
  for (const [key, wanted] of mirror) {
    const at = spare.findIndex(({ addressType }) => addressType === wanted.family)
    const slice = found.get(key) ?? spare.splice(at, at < 0 ? 0 : 1)[0]
    if (slice !== undefined && isSame(endpoints, slice, wanted)) continue
    isChanged = true
    if (slice === undefined) await client.create(EndpointSlice, newSlice(endpoints, wanted), { signal })
    else {
      const { metadata, ...content } = newSlice(endpoints, wanted)
      const { labels, annotations, ownerReferences } = metadata
      const { generateName, ...kept } = mutableCopy(slice).metadata
      // As upstream: an updated slice loses its generateName, a reused one keeps it.
      const origin = found.has(key) || generateName === undefined ? {} : { generateName }
      await client.update(
        EndpointSlice,
        {
          metadata: { ...kept, ...origin, labels, annotations, ownerReferences } as EndpointSlice['metadata'],
          ...content,
        },
        { signal },
      )
    }
  }
  for (const slice of spare) await remove(client, slice, signal)
  return isChanged || spare.length > 0
}

function newSlice(endpoints: Live<Endpoints>, { family, ports, endpoints: list }: MirroredSlice): EndpointSlice {
  const { name, namespace = '' } = endpoints.metadata
  return {
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: labelsOf(endpoints),
      annotations: annotationsOf(endpoints),
      ownerReferences: [controllerReference(Endpoints, endpoints)],
    },
    addressType: family,
    ports: [...ports],
    endpoints: list,
  }
}

function labelsOf({ metadata: { labels = {}, name } }: Live<Endpoints>): Record<string, string> {
  return { ...labels, [nameLabel]: name, [managerLabel]: managedBy }
}

function annotationsOf({ metadata: { annotations = {} } }: Live<Endpoints>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !notMirrored.has(name)))
}

function isSame(of: Live<Endpoints>, slice: Live<EndpointSlice>, wanted: MirroredSlice): boolean {
  const { labels = {}, annotations = {}, ownerReferences = [] } = slice.metadata
  if (sliceKey(slice.addressType, slice.ports) !== sliceKey(wanted.family, wanted.ports)) return false
  if (
    !isSameMap(labels, labelsOf(of)) ||
    !isSameMap(annotations, annotationsOf(of)) ||
    ownerReferences[0]?.uid !== of.metadata.uid
  )
    return false
  const present = new Map((slice.endpoints ?? []).map((endpoint) => [endpointKey(endpoint), endpoint]))
  return (
    present.size === wanted.endpoints.length &&
    wanted.endpoints.every((endpoint) => {
      const other = present.get(endpointKey(endpoint))
      return other !== undefined && isSameEndpoint(other, endpoint)
    })
  )
}

function isSameMap(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}

async function removeAll(client: Client, { namespace, name }: ObjectKey, signal: AbortSignal): Promise<void> {
  const { items } = await client.list(EndpointSlice, { namespace, labelSelector: ownSlices(name), signal })
  for (const slice of items) await remove(client, slice, signal)
}

async function remove(client: Client, slice: Live<EndpointSlice>, signal: AbortSignal): Promise<void> {
  try {
    await client.delete(EndpointSlice, keyOf(slice), { uid: slice.metadata.uid, signal })
  } catch (error) {
    if (!(error instanceof ApiError && (error.code === 404 || error.reason === 'Conflict'))) throw error
  }
}
