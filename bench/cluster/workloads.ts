/** The workloads of the cluster part, and what is measured of them. */
import {
  DaemonSet,
  Deployment,
  isAlreadyExists,
  Job,
  Lease,
  Namespace,
  Pod,
  StatefulSet,
  type Client,
  type JsonObject,
  type Kind,
  type ApiObject,
} from '../../src/index.ts'
import { peakMemory, processorTime, residentMemory } from '../process-figures.ts'
import type { Side } from './side.ts'

/** Concurrent requests. */
const clients = 16

/** The annotation makes our pods run immediately, as kwok's do. */
function template(labels: Record<string, string>): JsonObject {
  return {
    metadata: { labels, annotations: { 'coxswain.dev/start-after': '0ms' } },
    spec: {
      containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '10m', memory: '16Mi' } } }],
      terminationGracePeriodSeconds: 0,
    },
  }
}

/**
 * Resolves when `isDone` has been true for `count` objects of the namespace, or of the cluster without one. Starts to
 * watch at once.
 */
export function awaitAll<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  namespace: string | undefined,
  count: number,
  isDone: (object: T) => boolean,
): Promise<void> {
  const stop = new AbortController()
  const done = new Set<string>()
  return (async () => {
    for (;;) {
      try {
        const { items, metadata } = await client.list(kind, { namespace })
        for (const object of items) if (isDone(object as unknown as T)) done.add(object.metadata.uid)
        if (done.size >= count) return
        for await (const batch of await client.watch(kind, {
          namespace,
          resourceVersion: metadata.resourceVersion,
          signal: stop.signal,
        })) {
          for (const event of batch)
            if ('object' in event && isDone(event.object as unknown as T)) done.add(event.object.metadata.uid)
          if (done.size >= count) return
        }
      } catch (error) {
        if (!(error instanceof Error)) throw error
      }
    }
  })().finally(() => stop.abort())
}

async function createAll<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  count: number,
  make: (index: number) => T,
): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: Math.min(clients, count) }, async () => {
      for (let index = next++; index < count; index = next++) {
        for (let tries = 0; ; tries++) {
          try {
            await client.create(kind, make(index))
            break
          } catch (error) {
            // The service account is created shortly after its namespace; until then, creates fail.
            if (isAlreadyExists(error)) break
            if (tries === 50) throw error
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
        }
      }
    }),
  )
}

export interface Figures {
  /** Elapsed milliseconds. */
  readonly took: number
  /** Milliseconds of processor time of all processes. */
  readonly cpu: number
  /** MiB: the sum of the peaks of all processes. */
  readonly memory: number
}

async function measured({ pids }: Side, work: () => Promise<void>): Promise<Figures> {
  const cpu = (): number => pids.reduce((sum, pid) => sum + processorTime(pid), 0)
  const before = cpu()
  const started = performance.now()
  await work()
  return { took: performance.now() - started, cpu: cpu() - before, memory: peakMemory(pids) ?? Number.NaN }
}

/** Creates pods without a controller. Ends when all run. */
export async function runPods(side: Side, count: number): Promise<Figures> {
  const { client } = side
  const namespace = await freshNamespace(client, 'pods')
  return measured(side, async () => {
    const all = awaitAll(client, Pod, namespace, count, ({ status }) => status?.phase === 'Running')
    const { metadata, spec } = template({ app: 'alone' })
    await createAll(
      client,
      Pod,
      count,
      (index) =>
        ({ metadata: { ...(metadata as JsonObject), name: `pod-${index}`, namespace }, spec }) as unknown as Pod,
    )
    await all
  })
}

/** Creates Deployments. Ends when all have their desired number of available pods. */
export function runDeployments(side: Side, count: number, replicas: number, name = 'web'): Promise<Figures> {
  return runWorkloads(side, Deployment, name, count, {
    spec: (labels) => ({ replicas, selector: { matchLabels: labels }, template: template(labels) }),
    isDone: ({ status }) => status?.availableReplicas === replicas,
  })
}

/** Creates StatefulSets, which start their pods one after the other. Ends when all pods are available. */
export function runStatefulSets(side: Side, count: number, replicas: number): Promise<Figures> {
  return runWorkloads(side, StatefulSet, 'db', count, {
    spec: (labels) => ({
      replicas,
      serviceName: 'db',
      selector: { matchLabels: labels },
      template: template(labels),
    }),
    isDone: ({ status }) => status?.availableReplicas === replicas,
  })
}

/** Creates DaemonSets. Ends when each has an available pod on each of the nodes. */
export function runDaemonSets(side: Side, count: number, nodes: number): Promise<Figures> {
  return runWorkloads(side, DaemonSet, 'agent', count, {
    spec: (labels) => ({ selector: { matchLabels: labels }, template: template(labels) }),
    isDone: ({ status }) => status?.numberAvailable === nodes,
  })
}

/** Creates Jobs whose pods all run at once. Ends when all are complete. */
export function runJobs(side: Side, count: number, pods: number): Promise<Figures> {
  return runWorkloads(side, Job, 'batch', count, {
    spec: (labels) => {
      const pod = template(labels)
      pod['spec'] = { ...(pod['spec'] as JsonObject), restartPolicy: 'Never' }
      return { completions: pods, parallelism: pods, template: pod }
    },
    isDone: ({ status }) => status?.succeeded === pods && status.completionTime !== undefined,
  })
}

interface Workload<T> {
  readonly spec: (labels: Record<string, string>) => JsonObject
  readonly isDone: (object: T) => boolean
}

/** Creates objects of a kind in a namespace of its own. Ends when all are done. */
async function runWorkloads<T extends ApiObject>(
  side: Side,
  kind: Kind<T>,
  name: string,
  count: number,
  { spec, isDone }: Workload<T>,
): Promise<Figures> {
  const { client } = side
  const namespace = await freshNamespace(client, name)
  return measured(side, async () => {
    const all = awaitAll(client, kind, namespace, count, isDone)
    await createAll(client, kind, count, (index) => {
      const app = `${name}-${index}`
      return { metadata: { name: app, namespace }, spec: spec({ app }) } as unknown as T
    })
    await all
  })
}

export interface RestFigures {
  /** Share of one core. */
  readonly cpu: number
  /** Writes other than node leases. */
  readonly writes: number
  readonly heartbeats: number
  readonly memory: number
}

/** Measures a cluster without requests for this many milliseconds. */
export async function rest({ client, pids }: Side, ms: number): Promise<RestFigures> {
  const revision = async (): Promise<number> =>
    Number((await client.list(Namespace, { limit: 1 })).metadata.resourceVersion)
  const cpu = (): number => pids.reduce((sum, pid) => sum + processorTime(pid), 0)
  let heartbeats = 0
  const stop = new AbortController()
  const before = await revision()
  const counting = (async () => {
    for await (const batch of await client.watch(Lease, { resourceVersion: String(before), signal: stop.signal })) {
      heartbeats += batch.filter(({ type }) => type !== 'BOOKMARK').length
    }
  })().catch(() => undefined)
  const cpuBefore = cpu()
  await new Promise((resolve) => setTimeout(resolve, ms))
  const used = cpu() - cpuBefore
  const after = await revision()
  await new Promise((resolve) => setTimeout(resolve, 200))
  stop.abort()
  await counting
  return {
    cpu: used / ms,
    writes: Math.max(0, after - before - heartbeats),
    heartbeats,
    memory: residentMemory(pids) ?? Number.NaN,
  }
}

/**
 * Waits until there was no write except heartbeats for two seconds: events and statuses may follow after everything is
 * available.
 */
export async function quiet(side: Side): Promise<void> {
  for (let tries = 0; tries < 300; tries++) if ((await rest(side, 2000)).writes === 0) return
  throw new Error(`${side.name} does not become idle`)
}

async function freshNamespace(client: Client, name: string): Promise<string> {
  await client.create(Namespace, { metadata: { name } })
  return name
}
