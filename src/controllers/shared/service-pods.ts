/** The pods behind a Service: which they are, and what of them it offers. */
import { changed } from '../../controller/index.ts'
import { keyOf, type coreV1, type Live, type ObjectKey, type Pod, type Service } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'
import { isReady } from './pod-state.ts'

type LivePod = Live<Pod>
type LiveService = Live<Service>

/** Whether its endpoints are found by a selector. Others get theirs from whoever made them. */
export function hasSelector({ spec }: LiveService): boolean {
  return spec?.type !== 'ExternalName' && spec?.selector !== undefined
}

export function isHeadless({ spec }: LiveService): boolean {
  return (spec?.clusterIP ?? '') === '' || spec?.clusterIP === 'None'
}

export function selects({ spec }: LiveService, { metadata }: LivePod): boolean {
  return Object.entries(spec?.selector ?? {}).every(([name, value]) => metadata.labels?.[name] === value)
}

/** The Services that a pod is behind. */
export function servicesOf(pod: LivePod, services: readonly LiveService[]): ObjectKey[] {
  return services.filter((service) => hasSelector(service) && selects(service, pod)).map(keyOf)
}

/** Whether a Service has anything to do with the change of a pod. */
export const isOfInterest = changed<Pod>((pod) => {
  const { metadata, spec, status } = pod
  return [
    metadata.labels,
    metadata.deletionTimestamp,
    spec?.nodeName,
    spec?.hostname,
    spec?.subdomain,
    status?.phase,
    addressesOf(pod),
    isReady(pod),
  ]
})

/** Not finished, with an address, and, unless asked for, not being deleted. */
export function isAddressable(pod: LivePod, includeTerminating: boolean): boolean {
  const { metadata, status } = pod
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed' || addressesOf(pod).length === 0) return false
  return includeTerminating || metadata.deletionTimestamp === undefined
}

function addressesOf({ status }: LivePod): readonly string[] {
  const listed = (status?.podIPs ?? []).map(({ ip }) => ip)
  return listed.length > 0 || status?.podIP === undefined ? listed : [status.podIP]
}

export type Family = 'IPv4' | 'IPv6'

export function addressesOfFamily(pod: LivePod, family: Family): string[] {
  return addressesOf(pod).filter((ip) => ip.includes(':') === (family === 'IPv6'))
}

/** The families of a Service, the first one first. Servers older than families leave them out. */
export function familiesOf({ spec }: LiveService): readonly Family[] {
  const listed = (spec?.ipFamilies ?? []).filter((family) => family !== '')
  if (listed.length > 0) return listed
  const ip = spec?.clusterIP ?? ''
  return ip === '' || ip === 'None' ? ['IPv4', 'IPv6'] : [ip.includes(':') ? 'IPv6' : 'IPv4']
}

/** The number of the port of a pod that a port of a Service leads to. Undefined: the pod has none of that name. */
export function portNumber(
  { spec }: LivePod,
  { targetPort, port, protocol = 'TCP' }: DeepReadonly<coreV1.ServicePort>,
): number | undefined {
  if (typeof targetPort === 'number' || targetPort === undefined)
    return targetPort === undefined || targetPort === 0 ? port : targetPort
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const ports = [...(spec?.containers ?? []), ...sidecars].flatMap((container) => container.ports ?? [])
  return ports.find((each) => each.name === targetPort && (each.protocol ?? 'TCP') === protocol)?.containerPort
}

/** The name by which a pod is found below the name of a headless Service. */
export function hostnameIn({ metadata }: LiveService, { spec }: LivePod): string | undefined {
  const hostname = spec?.hostname ?? ''
  return hostname !== '' && spec?.subdomain === metadata.name ? hostname : undefined
}

export function referenceTo({ metadata: { name, namespace = '', uid } }: LivePod): coreV1.ObjectReference {
  return { kind: 'Pod', namespace, name, uid }
}
