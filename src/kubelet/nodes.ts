/** Simulated nodes: Node objects with capacity that say they are ready, and the leases by which they stay alive. */
import { ApiError, keyOf, Lease, Node, pause, timestamp, type Client, type Env, type Task } from '../index.ts'

export interface NodeOptions {
  readonly count: number
  /** Of each node. Default 8 CPUs, 32 GiB, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>> | undefined
  /** Milliseconds between renewals of a node's lease. Default 10 s; 0: none, for tests that count writes. */
  readonly heartbeat?: number | undefined
}

const leaseNamespace = 'kube-node-lease'

/** A node that has this annotation is dead: its lease is not renewed, and its pods do not change. */
export const lostAnnotation = 'coxswain.dev/lost'

export function nodeName(index: number): string {
  return `node-${index + 1}`
}

/** 192.0.2.0/24 is for documentation: nobody ever dials it. */
export function nodeAddress(name: string): string {
  return `192.0.2.${(Number(name.replace(/^.*-/, '')) || 0) % 255}`
}

/** Registers the nodes, then keeps them alive until the signal aborts. */
export function nodesTask({ count, capacity, heartbeat = 10_000 }: NodeOptions): Task {
  const names = Array.from({ length: count }, (_, index) => nodeName(index))
  return {
    name: 'simulated-nodes',
    when: 'always',
    start: async (signal, { client, env }) => {
      for (const name of names) await register(client, env, name, capacity, signal)
      if (heartbeat <= 0) return
      while (!signal.aborted) {
        for (const name of names) await renew(client, env, name, signal)
        await pause(env, heartbeat, signal)
      }
    },
  }
}

async function register(client: Client, env: Env, name: string, capacity: NodeOptions['capacity'], signal: AbortSignal): Promise<void> {
  const node: Node = { metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' } }, spec: {} }
  const created = await unlessThere(client.create(Node, node, { signal, fieldManager: 'kubelet' }))
  if (created === undefined) return
  const resources = { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110', ...capacity }
  const now = timestamp(env.now())
  const condition = (type: string, status: string, reason: string, message: string) => ({ type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime: now })
  const patch = {
    status: {
      capacity: resources, allocatable: resources,
      addresses: [{ type: 'InternalIP', address: nodeAddress(name) }, { type: 'Hostname', address: name }],
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
        condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
      ],
      nodeInfo: {
        architecture: 'amd64', operatingSystem: 'linux', kubeletVersion: 'v1.35.8', kubeProxyVersion: '', containerRuntimeVersion: 'simulated://1',
        osImage: 'Simulated', kernelVersion: '', machineID: '', systemUUID: '', bootID: '',
      },
    },
  }
  await client.patch(Node, keyOf(created), { type: 'merge', patch }, { subresource: 'status', signal, fieldManager: 'kubelet' })
}

async function renew(client: Client, env: Env, name: string, signal: AbortSignal): Promise<void> {
  const renewTime = new Date(env.now()).toISOString().replace('Z', '000Z')
  try {
    const node = await client.get(Node, { name }, { signal })
    if (node.metadata.annotations?.[lostAnnotation] !== undefined) return
    const lease = { metadata: { name, namespace: leaseNamespace }, spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime } }
    if ((await unlessThere(client.create(Lease, lease, { signal }))) !== undefined) return
    await client.patch(Lease, { namespace: leaseNamespace, name }, { type: 'merge', patch: { spec: { renewTime } } }, { signal })
  } catch (error) {
    // A node that cannot reach the server tries again; that is how it looks lost.
    if (!(error instanceof Error)) throw error
  }
}

async function unlessThere<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return undefined
    throw error
  }
}
