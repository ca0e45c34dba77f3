/** Simulated nodes: Node objects with capacity that report Ready, and the leases that keep them alive. */
import { ApiError, Lease, Node, type Client, type Live } from '../index.ts'
import { pause, timestamp, type Env } from '../env/index.ts'
import type { Task, TaskServices } from '../manager/index.ts'

export interface NodeOptions {
  readonly count: number
  /** Capacity of each node. Default 8 CPUs, 32 GiB, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>> | undefined
  /** Milliseconds between renewals of a node's lease. Default 10 s; 0: none, for tests that count writes. */
  readonly heartbeatMs?: number | undefined
}

const leaseNamespace = 'kube-node-lease'

/** A node with this annotation is dead: its lease is not renewed, and its pods do not change. */
export const lostAnnotation = 'coxswain.dev/lost'

export function nodeName(index: number): string {
  return `node-${index + 1}`
}

/** 192.0.2.0/24 is reserved for documentation: no host has these addresses. */
export function nodeAddress(name: string): string {
  return `192.0.2.${(Number(name.replace(/^.*-/, '')) || 0) % 255}`
}

/** Registers the nodes, then keeps them alive until the signal aborts. Failures are retried. */
export function nodesTask({ count, capacity, heartbeatMs = 10_000 }: NodeOptions): Task {
  const names = Array.from({ length: count }, (_, index) => nodeName(index))
  return {
    name: 'simulated-nodes',
    when: 'always',
    fieldManager: 'kubelet',
    start: async (signal, services) => {
      let missing = await unreached(names, (name) => register(services, name, signal))
      for (
        ;
        missing.length > 0 && !signal.aborted;
        missing = await unreached(missing, (name) => register(services, name, signal))
      )
        await pause(services.env, retryAfterMs, signal)
      if (heartbeatMs <= 0) return
      while (!signal.aborted) {
        await renewAll(services, signal)
        await pause(services.env, heartbeatMs, signal)
      }
    },
  }

  /** As the kubelet does, repeats at once what failed: the next heartbeat may be too late. */
  async function renewAll(services: TaskServices, signal: AbortSignal): Promise<void> {
    let late: readonly string[] = names
    for (let attempt = 0; attempt < heartbeatAttempts && late.length > 0 && !signal.aborted; attempt++)
      late = await unreached(late, (name) => renew(services, name, capacity, signal))
  }

  /** An existing node was registered by an earlier process. */
  async function register({ client, env }: TaskServices, name: string, signal: AbortSignal): Promise<void> {
    const node: Node = {
      metadata: {
        name,
        labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
      },
      spec: {},
    }
    await unlessThere(client.create(Node, node, { signal }))
    await report(client, env, await client.get(Node, { name }, { signal }), capacity, signal)
  }
}

/** The retry delay of a failed registration, in milliseconds. */
const retryAfterMs = 1000

/** Attempts of a heartbeat, the number of the kubelet. */
const heartbeatAttempts = 5

/** The names for which the call failed, for example because the server is unavailable. */
async function unreached(names: readonly string[], call: (name: string) => Promise<void>): Promise<readonly string[]> {
  const failed: string[] = []
  for (const name of names) {
    try {
      await call(name)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      failed.push(name)
    }
  }
  return failed
}

/** Reports a node as Ready if it is new, or was marked as Unknown. */
async function report(
  client: Client,
  env: Env,
  node: Live<Node>,
  capacity: NodeOptions['capacity'],
  signal: AbortSignal,
): Promise<void> {
  const { name } = node.metadata
  if (
    isLost(node) ||
    node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
  )
    return
  const resources = { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110', ...capacity }
  const now = timestamp(env.now())
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  })
  const patch = {
    status: {
      capacity: resources,
      allocatable: resources,
      addresses: [
        { type: 'InternalIP', address: nodeAddress(name) },
        { type: 'Hostname', address: name },
      ],
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
        condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
      ],
      nodeInfo: {
        architecture: 'amd64',
        operatingSystem: 'linux',
        kubeletVersion: 'v1.35.8',
        kubeProxyVersion: '',
        containerRuntimeVersion: 'simulated://1',
        osImage: 'Simulated',
        kernelVersion: '',
        machineID: '',
        systemUUID: '',
        bootID: '',
      },
    },
  }
  await client.patch(Node, { name }, { type: 'merge', patch }, { subresource: 'status', signal })
}

async function renew(
  { client, env }: TaskServices,
  name: string,
  capacity: NodeOptions['capacity'],
  signal: AbortSignal,
): Promise<void> {
  const node = await client.get(Node, { name }, { signal })
  if (isLost(node)) return
  const renewTime = new Date(env.now()).toISOString().replace('Z', '000Z')
  await renewLease(client, name, { holderIdentity: name, leaseDurationSeconds: 40, renewTime }, signal)
  await report(client, env, node, capacity, signal)
}

async function renewLease(
  client: Client,
  name: string,
  spec: Lease['spec'] & object,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.patch(
      Lease,
      { namespace: leaseNamespace, name },
      { type: 'merge', patch: { spec: { ...spec } } },
      { signal },
    )
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error
    await client.create(Lease, { metadata: { name, namespace: leaseNamespace }, spec }, { signal })
  }
}

function isLost({ metadata }: Live<Node>): boolean {
  return metadata.annotations?.[lostAnnotation] !== undefined
}

async function unlessThere<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return undefined
    throw error
  }
}
