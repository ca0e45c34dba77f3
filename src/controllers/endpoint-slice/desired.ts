/** Computes the endpoints of a Service from its pods, grouped by the ports that they offer. */
import type { DeepReadonly } from '../../api/index.ts'
import type { discoveryV1, Live, Node, Pod, Service } from '../../index.ts'
import { isReady } from '../shared/pod-state.ts'
import {
  addressesOfFamily,
  hostnameIn,
  isAddressable,
  targetPortNumber,
  referenceTo,
  type IpFamily,
} from '../shared/service-pods.ts'

type Endpoint = discoveryV1.Endpoint
type Port = discoveryV1.EndpointPort

export interface Group {
  readonly ports: readonly Port[]
  readonly endpoints: readonly Endpoint[]
}

/** By {@link portsKey}. Pods may offer a named port under different numbers; such pods cannot share a slice. */
export function desiredGroups(
  service: Live<Service>,
  pods: readonly Live<Pod>[],
  nodes: (name: string) => Live<Node> | undefined,
  family: IpFamily,
): ReadonlyMap<string, Group> {
  const groups = new Map<string, { ports: Port[]; endpoints: Endpoint[] }>()
  for (const pod of pods) {
    if (!isAddressable(pod, true)) continue
    const ports = portsOf(service, pod)
    const key = portsKey(ports)
    const group = groups.get(key) ?? { ports, endpoints: [] }
    groups.set(key, group)
    const addresses = addressesOfFamily(pod, family)
    if (addresses.length > 0) group.endpoints.push(endpointOf(service, pod, nodes(pod.spec?.nodeName ?? ''), addresses))
  }
  return groups
}

/** Every port has a name, even an empty one: clients find the only port by it. */
function portsOf({ spec }: Live<Service>, pod: Live<Pod>): Port[] {
  return (spec?.ports ?? []).flatMap((servicePort) => {
    const port = targetPortNumber(pod, servicePort)
    if (port === undefined) return []
    const { name = '', protocol = 'TCP', appProtocol } = servicePort
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }]
  })
}

/** A terminating pod is not ready even if it still serves, unless the Service publishes not-ready addresses. */
function endpointOf(
  service: Live<Service>,
  pod: Live<Pod>,
  node: Live<Node> | undefined,
  addresses: string[],
): Endpoint {
  const serving = isReady(pod)
  const terminating = pod.metadata.deletionTimestamp !== undefined
  const nodeName = pod.spec?.nodeName ?? ''
  const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'] ?? ''
  const hostname = hostnameIn(service, pod)
  return {
    addresses,
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    targetRef: referenceTo(pod),
    ...(nodeName === '' ? {} : { nodeName }),
    ...(zone === '' ? {} : { zone }),
    ...(hostname === undefined ? {} : { hostname }),
  }
}

/** Equal for equal ports in any order. */
export function portsKey(ports: readonly DeepReadonly<Port>[] | undefined): string {
  return (ports ?? [])
    .map(({ name = '', port, protocol = 'TCP', appProtocol }) => JSON.stringify([name, port, protocol, appProtocol]))
    .sort()
    .join()
}

/** The identity of an endpoint, in all its versions. */
export function endpointKey({ addresses, targetRef }: DeepReadonly<Endpoint>): string {
  return JSON.stringify([targetRef?.uid, [...addresses].sort()])
}

export function isSameEndpoint(a: DeepReadonly<Endpoint>, b: DeepReadonly<Endpoint>): boolean {
  return fingerprint(a) === fingerprint(b)
}

function fingerprint({ addresses, conditions, hostname, nodeName, zone, targetRef }: DeepReadonly<Endpoint>): string {
  return JSON.stringify([
    addresses,
    conditions?.ready,
    conditions?.serving,
    conditions?.terminating,
    hostname,
    nodeName,
    zone,
    targetRef?.name,
    targetRef?.namespace,
    targetRef?.uid,
  ])
}
