/** Computes the smallest set of changes from the existing slices to the desired ones. */
import { controllerReference } from '../../controller/index.ts'
import { Service, type discoveryV1, type EndpointSlice, type Live } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'
import { isHeadless, type IpFamily } from '../shared/service-pods.ts'
import { endpointKey, isSameEndpoint, portsKey, type Group } from './desired.ts'

type LiveSlice = Live<EndpointSlice>
type Endpoint = DeepReadonly<discoveryV1.Endpoint>
type Port = DeepReadonly<discoveryV1.EndpointPort>

export const maxEndpointsPerSlice = 100
export const managedBy = 'endpointslice-controller.k8s.io'
export const nameLabel = 'kubernetes.io/service-name'
export const managerLabel = 'endpointslice.kubernetes.io/managed-by'
export const headlessLabel = 'service.kubernetes.io/headless'

/** A desired slice. */
export interface SliceContent {
  readonly addressType: IpFamily
  readonly ports: readonly Port[]
  readonly endpoints: readonly Endpoint[]
}

export interface SliceChanges {
  readonly create: SliceContent[]
  readonly update: { readonly slice: LiveSlice; readonly content: SliceContent }[]
  readonly remove: LiveSlice[]
}

export function sliceChanges(
  service: Live<Service>,
  existing: readonly LiveSlice[],
  groups: ReadonlyMap<string, Group>,
  addressType: IpFamily,
): SliceChanges {
  const plan: SliceChanges = { create: [], update: [], remove: [] }
  const own = existing.filter((slice) => isManagedSlice(slice, service))
  plan.remove.push(
    ...existing.filter((slice) => !own.includes(slice)),
    ...own.filter(({ ports }) => !groups.has(portsKey(ports))),
  )
  for (const [key, group] of groups)
    placeGroup(
      service,
      own.filter(({ ports }) => portsKey(ports) === key),
      group,
      addressType,
      plan,
    )
  keepOne(existing, addressType, plan, service)
  recycle(service, plan)
  return plan
}

interface Filling {
  readonly slice: LiveSlice
  endpoints: Endpoint[]
  isChanged: boolean
}

/**
 * 1 endpoints that stay keep their slice, 2 new ones fill slices that change anyway, 3 the rest goes into one slice
 * with enough room, or into new slices.
 */
function placeGroup(
  service: Live<Service>,
  slices: readonly LiveSlice[],
  { ports, endpoints }: Group,
  addressType: IpFamily,
  plan: SliceChanges,
): void {
  const left = new Map(endpoints.map((endpoint) => [endpointKey(endpoint), endpoint as Endpoint]))
  const fillings = slices.map((slice) => kept(service, slice, left))
  const emptied = fillings.filter((filling) => filling.isChanged && filling.endpoints.length === 0)
  plan.remove.push(...emptied.map(({ slice }) => slice))
  const usable = fillings.filter((filling) => !emptied.includes(filling))
  for (const filling of usable
    .filter(({ isChanged }) => isChanged)
    .sort((a, b) => b.endpoints.length - a.endpoints.length))
    fill(filling.endpoints, left)
  const roomy = usable
    .filter((filling) => !filling.isChanged && filling.endpoints.length + left.size <= maxEndpointsPerSlice)
    .sort((a, b) => b.endpoints.length - a.endpoints.length)[0]
  if (left.size > 0 && roomy !== undefined) {
    fill(roomy.endpoints, left)
    roomy.isChanged = true
  }
  plan.update.push(
    ...usable
      .filter(({ isChanged }) => isChanged)
      .map((filling) => ({ slice: filling.slice, content: { addressType, ports, endpoints: filling.endpoints } })),
  )
  while (left.size > 0) {
    const added: Endpoint[] = []
    fill(added, left)
    plan.create.push({ addressType, ports, endpoints: added })
  }
}

/** The endpoints of a slice that are still desired. Removes them from `left`. */
function kept(service: Live<Service>, slice: LiveSlice, left: Map<string, Endpoint>): Filling {
  const before = slice.endpoints ?? []
  let isChanged = !hasLabels(slice, sliceLabels(service))
  const endpoints = before.flatMap((endpoint) => {
    const key = endpointKey(endpoint)
    const wanted = left.get(key)
    if (wanted === undefined) return []
    left.delete(key)
    if (!isSameEndpoint(endpoint, wanted)) isChanged = true
    return [wanted]
  })
  return { slice, endpoints, isChanged: isChanged || endpoints.length !== before.length }
}

function fill(endpoints: Endpoint[], left: Map<string, Endpoint>): void {
  for (const [key, endpoint] of left) {
    if (endpoints.length >= maxEndpointsPerSlice) return
    endpoints.push(endpoint)
    left.delete(key)
  }
}

/** A Service without endpoints has one empty slice. */
function keepOne(
  existing: readonly LiveSlice[],
  addressType: IpFamily,
  plan: SliceChanges,
  service: Live<Service>,
): void {
  if (plan.remove.length < existing.length || plan.create.length > 0) return
  const only = plan.remove.length === 1 ? plan.remove[0] : undefined
  const isPlaceholder =
    only !== undefined &&
    isManagedSlice(only, service) &&
    (only.ports ?? []).length === 0 &&
    (only.endpoints ?? []).length === 0 &&
    hasLabels(only, sliceLabels(service))
  if (isPlaceholder) plan.remove.length = 0
  else plan.create.push({ addressType, ports: [], endpoints: [] })
}

/** Reuses a slice that would be deleted for one that would be created. */
function recycle(service: Live<Service>, plan: SliceChanges): void {
  for (const slice of plan.remove.filter((each) => isManagedSlice(each, service))) {
    const content = plan.create.pop()
    if (content === undefined) return
    plan.remove.splice(plan.remove.indexOf(slice), 1)
    plan.update.push({ slice, content })
  }
}

function isManagedSlice({ metadata }: LiveSlice, service: Live<Service>): boolean {
  const { uid } = controllerReference(Service, service)
  return (
    metadata.ownerReferences?.some(
      (reference) =>
        reference.uid === uid && reference.kind === Service.kind && reference.apiVersion === Service.apiVersion,
    ) === true
  )
}

const reserved = new Set([nameLabel, managerLabel, headlessLabel])

/** The labels of the Service, its name, and who manages the slice. */
export function sliceLabels(service: Live<Service>): Record<string, string> {
  const { labels = {}, name } = service.metadata
  const own = Object.fromEntries(Object.entries(labels).filter(([label]) => !reserved.has(label)))
  return {
    ...own,
    ...(isHeadless(service) ? { [headlessLabel]: '' } : {}),
    [nameLabel]: name,
    [managerLabel]: managedBy,
  }
}

function hasLabels({ metadata: { labels = {} } }: LiveSlice, wanted: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(wanted)
  return names.length === Object.keys(labels).length && names.every((name) => labels[name] === wanted[name])
}
