/** The pods behind a Service, and the addresses and ports that they offer. */
import { changed, type MapReads } from '../../controller/index.ts'
import { Service, type coreV1, type Live, type ObjectKey, type Pod } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'
import { keysInNamespace } from './keys-in-namespace.ts'
import { isReady } from './pod-state.ts'

type LivePod = Live<Pod>
type LiveService = Live<Service>

/** Whether a selector determines its endpoints. Other Services have endpoints that somebody writes. */
export function hasSelector({ spec }: LiveService): boolean {
  return spec?.type !== 'ExternalName' && spec?.selector !== undefined
}

export function isHeadless({ spec }: LiveService): boolean {
  return (spec?.clusterIP ?? '') === '' || spec?.clusterIP === 'None'
}

export function serviceSelectsPod({ spec }: LiveService, { metadata }: LivePod): boolean {
  return Object.entries(spec?.selector ?? {}).every(([name, value]) => metadata.labels?.[name] === value)
}

/** For `map`: the Services that select a pod. */
export function servicesOf(pod: LivePod, reads: MapReads): readonly ObjectKey[] {
  return keysInNamespace(reads, Service, pod, (service) => hasSelector(service) && serviceSelectsPod(service, pod))
}

/** Whether a change of a pod is relevant for a Service. */
export const podChangeAffectsServices = changed<Pod>((pod) => {
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

/** Not finished, with an address, and not in deletion unless requested. */
export function isAddressable(pod: LivePod, includeTerminating: boolean): boolean {
  const { metadata, status } = pod
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed' || addressesOf(pod).length === 0) return false
  return includeTerminating || metadata.deletionTimestamp === undefined
}

function addressesOf({ status }: LivePod): readonly string[] {
  const listed = (status?.podIPs ?? []).map(({ ip }) => ip)
  return listed.length > 0 || status?.podIP === undefined ? listed : [status.podIP]
}

export type IpFamily = 'IPv4' | 'IPv6'

export function addressesOfFamily(pod: LivePod, family: IpFamily): string[] {
  return addressesOf(pod).filter((ip) => ip.includes(':') === (family === 'IPv6'))
}

/** The IP families of a Service, the primary one first. Older servers leave them out. */
export function familiesOf({ spec }: LiveService): readonly IpFamily[] {
  const listed = (spec?.ipFamilies ?? []).filter((family) => family !== '')
  if (listed.length > 0) return listed
  const ip = spec?.clusterIP ?? ''
  return ip === '' || ip === 'None' ? ['IPv4', 'IPv6'] : [ip.includes(':') ? 'IPv6' : 'IPv4']
}

/** The port number of a pod for a port of a Service. Undefined: the pod has no port of that name. */
export function targetPortNumber(
  { spec }: LivePod,
  { targetPort, port, protocol = 'TCP' }: DeepReadonly<coreV1.ServicePort>,
): number | undefined {
  if (typeof targetPort === 'number' || targetPort === undefined)
    return targetPort === undefined || targetPort === 0 ? port : targetPort
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const ports = [...(spec?.containers ?? []), ...sidecars].flatMap((container) => container.ports ?? [])
  return ports.find((each) => each.name === targetPort && (each.protocol ?? 'TCP') === protocol)?.containerPort
}

/** The hostname of a pod under a headless Service. */
export function hostnameIn({ metadata }: LiveService, { spec }: LivePod): string | undefined {
  const hostname = spec?.hostname ?? ''
  return hostname !== '' && spec?.subdomain === metadata.name ? hostname : undefined
}

export function referenceTo({ metadata: { name, namespace = '', uid } }: LivePod): coreV1.ObjectReference {
  return { kind: 'Pod', namespace, name, uid }
}
