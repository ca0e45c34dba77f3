/** The places where scenarios run: our cluster, the real one, or the real server with our controllers. */
import type { Json, JsonObject } from '../../src/api/json.ts'
import type { Step as Request } from '../differential/case.ts'

export interface Reply {
  readonly status: number
  readonly body: Json
}

export interface Site {
  send(request: Request): Promise<Reply>
  /** Milliseconds since the epoch. */
  now(): number
  /** Waits until `holds` returns true. Throws after {@link longestWait}. */
  until(says: string, holds: () => Promise<boolean>): Promise<void>
  /** Waits until nothing changes any more. `versions` returns the resource versions of all recorded objects. */
  rest(versions: () => Promise<string>): Promise<void>
  stop(): Promise<void>
}

/** The maximum time of a step, in milliseconds of the site's clock. */
export const longestWait = 90_000

/**
 * Milliseconds without a change after which the cluster counts as idle. Equal for all sites, so that recorded times
 * differ in the same places.
 */
export const quietTime = 1500

/**
 * The nodes of every site. `node-1` to `node-3`, `small` and `tight` run pods at once; pods on `by-hand` change only in
 * steps of the scenario, since it has no kubelet. A scenario may create further nodes.
 */
export interface FleetNode {
  readonly name: string
  readonly cpu: string
  readonly labels: Readonly<Record<string, string>>
  readonly taint?: string
  readonly isSilent?: boolean
}

export const fleet: readonly FleetNode[] = [
  { name: 'node-1', cpu: '8', labels: { zone: 'a', disk: 'ssd' } },
  { name: 'node-2', cpu: '8', labels: { zone: 'b', disk: 'hdd' } },
  { name: 'node-3', cpu: '8', labels: { zone: 'c', disk: 'hdd' } },
  { name: 'small', cpu: '2', labels: {}, taint: 'size' },
  { name: 'tight', cpu: '2', labels: {}, taint: 'room' },
  { name: 'by-hand', cpu: '8', labels: {}, taint: 'by', isSilent: true },
]

export const nodeRequest = (body: JsonObject): Request => ({ method: 'POST', path: '/api/v1/nodes', body })

/** The object of a node of the fleet. `running`: the fields by which a simulated kubelet manages it. */
export function fleetNode(
  { name, cpu, labels, taint, isSilent = false }: FleetNode,
  now: number,
  running: { readonly annotations?: JsonObject; readonly runtime?: string },
): JsonObject {
  const resources = { cpu, memory: '32Gi', 'ephemeral-storage': '100Gi', pods: isSilent ? '1000' : '110' }
  const time = `${new Date(now).toISOString().slice(0, 19)}Z`
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: isSilent ? {} : (running.annotations ?? {}),
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', ...labels },
    },
    spec: taint === undefined ? {} : { taints: [{ key: taint, value: 'yes', effect: 'NoSchedule' }] },
    status: {
      capacity: resources,
      allocatable: resources,
      addresses: [
        { type: 'InternalIP', address: '192.0.2.200' },
        { type: 'Hostname', address: name },
      ],
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          message: 'kubelet is posting ready status',
          lastHeartbeatTime: time,
          lastTransitionTime: time,
        },
      ],
      ...(isSilent || running.runtime === undefined
        ? {}
        : { nodeInfo: { ...blankInfo, containerRuntimeVersion: running.runtime } }),
    },
  }
}

const blankInfo = {
  architecture: 'amd64',
  operatingSystem: 'linux',
  kubeletVersion: 'v1.35.8',
  kubeProxyVersion: '',
  osImage: '',
  kernelVersion: '',
  machineID: '',
  systemUUID: '',
  bootID: '',
}

/** The lease that keeps a node without a kubelet alive. */
export function leaseRequests(name: string, now: number): { readonly create: Request; readonly renew: Request } {
  const path = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
  const spec = {
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: new Date(now).toISOString().replace('Z', '000Z'),
  }
  return {
    create: {
      method: 'POST',
      path,
      body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec },
    },
    renew: {
      method: 'PATCH',
      path: `${path}/${name}`,
      body: { spec },
      headers: { 'content-type': 'application/merge-patch+json' },
    },
  }
}

/** The period of heartbeats, in milliseconds, as a kubelet has it. */
export const heartbeat = 10_000
