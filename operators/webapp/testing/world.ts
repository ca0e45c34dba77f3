/**
 * An embedded cluster with the operator, simulated nodes and a simulated clock, for tests. It checks every status that
 * the operator writes: `close` throws if one of them broke an invariant, or if the phase changed along no edge of the
 * machine.
 */
import { Deployment, Ingress, Service, type Live } from 'coxswain'
import { TraceRing } from 'coxswain/flow'
import type { Transport } from 'coxswain/client'
import { embedded, type Embedded, type EmbeddedOptions, type SeenEvent } from 'coxswain/testing'
import { webAppController } from '../controller.ts'
import type { WebAppOptions } from '../options.ts'
import { WebApp, type Phase, type WebAppInput } from '../schema/webapp.ts'
import { lifecycle } from '../steps/lifecycle.ts'
import { violations, type Observed } from './invariants.ts'

export interface WorldOptions extends EmbeddedOptions {
  readonly settings?: WebAppOptions | undefined
}

/** The built-in controllers that an app needs. Tests that need others ask for them. */
const builtin = ['deployment', 'replicaset', 'garbage-collector', 'serviceaccount', 'node-lifecycle'].map(
  (name) => `${name}-controller`,
)

export class World {
  readonly cluster: Embedded
  readonly traces: TraceRing
  /** The phases as they were written, each once. */
  readonly phases: Phase[]
  readonly #broken: string[]

  private constructor(cluster: Embedded, traces: TraceRing, phases: Phase[], broken: string[]) {
    this.cluster = cluster
    this.traces = traces
    this.phases = phases
    this.#broken = broken
  }

  static async open({ settings, ...options }: WorldOptions = {}): Promise<World> {
    const traces = new TraceRing()
    const phases: Phase[] = []
    const broken: string[] = []
    const cluster = await embedded({
      nodes: 1,
      builtin,
      traces,
      controllers: () => [webAppController(settings)],
      transport: (inner) => watched(inner, phases, broken),
      ...options,
    })
    return new World(cluster, traces, phases, broken)
  }

  /** As `kubectl apply` does: fields that are left out are removed. */
  async apply(spec: WebAppInput['spec'], metadata: Partial<WebAppInput['metadata']> = {}): Promise<void> {
    await this.cluster.apply({
      apiVersion: WebApp.apiVersion,
      kind: WebApp.kind,
      metadata: { name: 'hello', ...metadata },
      spec,
    } as never)
  }

  async patch(spec: object, metadata?: object): Promise<void> {
    const patch = (metadata === undefined ? { spec } : { spec, metadata }) as never
    await this.cluster.client.patch(WebApp, this.key(), { type: 'merge', patch })
  }

  settle(): Promise<void> {
    return this.cluster.settle()
  }

  key(name = 'hello'): { readonly namespace: string; readonly name: string } {
    return { namespace: 'default', name }
  }

  app(name?: string): Promise<Live<WebApp>> {
    return this.cluster.client.get(WebApp, this.key(name))
  }

  deployment(name?: string): Promise<Live<Deployment>> {
    return this.cluster.client.get(Deployment, this.key(name))
  }

  service(name?: string): Promise<Live<Service>> {
    return this.cluster.client.get(Service, this.key(name))
  }

  ingress(name?: string): Promise<Live<Ingress>> {
    return this.cluster.client.get(Ingress, this.key(name))
  }

  /** The operator's events about the app, as `Reason message`. */
  async events(): Promise<readonly SeenEvent[]> {
    const clusters = new Set(['NoPods', 'ScalingReplicaSet'])
    return (await this.cluster.events({ metadata: { name: 'hello' } })).filter(({ reason }) => !clusters.has(reason))
  }

  async reasons(): Promise<readonly string[]> {
    return (await this.events()).map(({ reason }) => reason)
  }

  /** The requests of the operator while `work` runs and the cluster settles, except lists and watches. */
  async calls(work: () => Promise<unknown>): Promise<readonly string[]> {
    const from = this.cluster.requests.length
    await work()
    await this.settle()
    return this.cluster.requests
      .slice(from)
      .filter((request) => !/^GET .*[?&](watch|limit|resourceVersion)=/.test(request))
      .map(shortened)
  }

  condition(app: Live<WebApp>, type: string): string | undefined {
    const found = app.status?.conditions?.find((condition) => condition.type === type)
    return found === undefined ? undefined : `${found.status} ${found.reason}`
  }

  async close(): Promise<void> {
    await this.cluster.stop()
    const wrongWays = this.phases.flatMap((to, index) => {
      const from = this.phases[index - 1]
      return from === undefined || leadsTo(from, to) ? [] : [`no way from ${from} to ${to}`]
    })
    const all = [...new Set([...this.#broken, ...wrongWays])]
    if (all.length > 0) throw new Error(all.join('\n'))
  }
}

/** `PATCH deployments/hello` */
function shortened(request: string): string {
  const [method = '', path = ''] = request.split(' ')
  return `${method} ${path.replace(/\?.*$/, '').replace(/^\/apis?\/([^/]+\/)?v\d\w*\/(namespaces\/[^/]+\/)?/, '')}`
}

/** Checks every status that the operator writes. */
function watched(inner: Transport, phases: Phase[], broken: string[]): Transport {
  return {
    ...inner,
    async request(request) {
      const response = await inner.request(request)
      if (/\/webapps\/[^/?]+\/status/.test(request.path) && response.status === 200) {
        const app = response.body as unknown as Observed
        const phase = app.status?.phase
        for (const rule of violations(app)) broken.push(`${rule}: ${JSON.stringify(app.status)}`)
        if (phase !== undefined && phases.at(-1) !== phase) phases.push(phase)
      }
      return response
    },
    close: () => inner.close(),
  }
}

/** Along declared edges, through as many phases as it takes: a run may walk several. */
function leadsTo(from: Phase, to: Phase): boolean {
  const reached = new Set<Phase>([from])
  for (const phase of reached) for (const [start, end] of lifecycle.edges) if (start === phase) reached.add(end)
  return reached.has(to)
}
