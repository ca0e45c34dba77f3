/** Counts the operator's calls and the events of its watches in a step, and injects the faults of a schedule. */
import type { Transport, TransportRequest, WireEvent } from '../client/transport.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import type { Embedded, Instance, RestoreOptions, Snapshot } from '../cluster/embedded-handle.ts'
import type { EmbeddedOptions } from '../cluster/embedded-options.ts'
import { embeddedServer } from '../cluster/embedded-server.ts'
import type { Fault } from '../cluster/faulty-transport.ts'
import { faultedResource, type FrameFault } from '../cluster/faulty-watches.ts'
import type { FaultedRun } from './fault.ts'
import { callFault, watchFault, type FaultName } from './faults.ts'
import { callPoint, framePoint, type Point } from './point.ts'
import type { ElectionOptions } from '../manager/lease-election.ts'
import type { InjectedFault } from './schedule.ts'
import type { ExploreStep } from './trial.ts'
import { noteReceived, WatchResumption } from './watch-resumption.ts'

/** Everything must be given up by then: no watch lasts longer. */
const maxWaitMs = 700_000

/** After a watch has ended, the next one may wait for its backoff. */
export const resumeMs = 10_000

/** A call of the operator. */
export interface SentCall extends TransportRequest {
  /** Simulated milliseconds since the step began. */
  readonly at: number
}

export interface ScriptOptions {
  /** Of the cluster. */
  readonly options: EmbeddedOptions
  /** The state before the step. */
  readonly from?: Snapshot | undefined
  /** The state of a server that is behind. */
  readonly past?: Snapshot | undefined
  /** Called for each fault at an event of a watch. */
  readonly onEvent?: ((point: Point, fault: FaultName) => void) | undefined
  /** Called when the cluster has another server. */
  readonly onRestored: (cluster: Embedded) => void
}

export class Script implements FaultedRun {
  #cluster: Embedded | undefined
  readonly #options: ScriptOptions
  #past: { readonly to: Transport; readonly until: AbortSignal } | undefined
  #isRunning = false
  #begunAt = 0
  #happened = 0
  #calls: SentCall[] = []
  #points: Point[] = []
  readonly #counts = new Map<string, number>()
  #faults: ReadonlyMap<Point, FaultName> = new Map()
  #until = 0
  /** The watches that have ended have resumed. */
  #resumedBy = 0
  readonly #afterEvents = new Map<string, number>()
  readonly #awaited = new Map<symbol, { readonly problem: string; readonly until: number }>()
  #later: (() => Promise<unknown> | void)[] = []
  #sender: Instance | undefined
  /** The state after the act of the user. Undefined: he is still acting. */
  #acted: Snapshot | undefined
  /** What has to wait until then. */
  #afterAct: (() => void)[] = []
  readonly #compacted = new Set<string>()
  readonly #expired = new Set<string>()
  readonly #slowReads = new Map<string, number>()
  #resumption = new WatchResumption()
  /** When the server allows a request again. */
  readonly #pauses = new Map<string, number>()
  readonly #problems = new Set<string>()
  /** What the user has still to do. */
  #edit: ExploreStep | undefined
  /** The user could not do it at that moment. */
  isVoid = false
  /** The cluster has another server than at the beginning. */
  isRestored = false

  get cluster(): Embedded {
    if (this.#cluster === undefined) throw new Error('faults happen in steps only')
    return this.#cluster
  }

  get sender(): Instance {
    if (this.#sender === undefined) throw new Error('this happens to instances in an embedded cluster only')
    return this.#sender
  }

  get leaderElection(): ElectionOptions | undefined {
    return this.#options.options.leaderElection
  }

  /** By the monotonic clock. */
  get now(): number {
    return this.#cluster?.env.monotonic() ?? -Infinity
  }

  constructor(options: ScriptOptions) {
    this.#options = options
  }

  begin(cluster: Embedded, faults: readonly InjectedFault[], edit?: ExploreStep): void {
    this.#cluster = cluster
    this.#edit = edit
    this.isVoid = false
    this.#begunAt = cluster.env.monotonic()
    this.#calls = []
    this.#points = []
    this.#counts.clear()
    this.#faults = new Map(faults.map(({ at, fault }) => [at, fault]))
    this.#happened = 0
    this.#acted = undefined
    this.#afterAct = []
    this.#isRunning = true
  }

  /** The user has acted. */
  acted(state: Snapshot): void {
    this.#acted = state
    for (const act of this.#afterAct.splice(0)) act()
  }

  end(): { readonly calls: readonly SentCall[]; readonly points: readonly Point[] } {
    this.#isRunning = false
    return { calls: this.#calls, points: this.#points }
  }

  takeProblems(): readonly string[] {
    const problems = [...this.#problems]
    this.#problems.clear()
    return problems
  }

  /** The fault of a request, and of the events of a watch. */
  next(request: TransportRequest, sender?: Instance): Fault | undefined {
    const watched = request.stream === true ? this.#watched(request) : undefined
    if (!this.#isRunning) return watched
    this.#sender = sender
    this.#checkPause(request)
    const point = callPoint(this.#calls.push({ ...request, at: this.cluster.env.monotonic() - this.#begunAt }))
    this.#points.push(point)
    const name = this.#faults.get(point)
    if (name !== undefined) this.#happened++
    const fault = name === undefined ? undefined : callFault(name)?.at(request, this)
    return fault ?? this.#rejection(request) ?? this.#slowRead(request) ?? this.#fromThePast(request) ?? watched
  }

  #watched(request: TransportRequest): Fault {
    const { received, problem } = this.#resumption.begin(request)
    if (problem !== undefined && this.#arrivesAtOnce) this.#problems.add(problem)
    const plan = (resource: string, event: WireEvent): FrameFault | undefined => {
      const fault = this.#nextFrame(dotted(resource))
      if (fault === undefined) noteReceived(received, event)
      return fault
    }
    return { type: 'frames', plan }
  }

  /** No fault holds back events: what a watch has sent, the operator has received. */
  get #arrivesAtOnce(): boolean {
    return [...this.#faults.values()].every((name) => !/^(stale|time)-|^watch-(delayed|silent)$/.test(name))
  }

  #nextFrame(resource: string): FrameFault | undefined {
    if (!this.#isRunning) return undefined
    const index = (this.#counts.get(resource) ?? 0) + 1
    this.#counts.set(resource, index)
    const frame = { resource, index }
    const point = framePoint(frame)
    this.#points.push(point)
    const name = this.#faults.get(point)
    if (name !== undefined) this.#happened++
    const fault = name === undefined ? undefined : watchFault(name)?.at(frame, this)
    if (name !== undefined) this.#options.onEvent?.(point, name)
    this.wait(this.#afterEvents.get(resource) ?? 0)
    return fault
  }

  #rejection({ method, stream, path }: TransportRequest): Fault | undefined {
    const resource = dotted(faultedResource(path))
    if (stream !== true || !/[?&]resourceVersion=[1-9]/.test(path) || path.includes('sendInitialEvents=true')) {
      if (method === 'GET') this.#expired.delete(resource)
      return undefined
    }
    if (this.#expired.has(resource)) return { type: 'expired' }
    return this.#compacted.delete(resource) ? { type: 'answer', status: 410 } : undefined
  }

  #slowRead({ method, path }: TransportRequest): Fault | undefined {
    const resource = faultedResource(path)
    const ms = method === 'GET' && /[?&](watch|limit)=/.test(path) ? this.#slowReads.get(resource) : undefined
    this.#slowReads.delete(ms === undefined ? '' : resource)
    return ms === undefined ? undefined : { type: 'delay', ms }
  }

  #fromThePast({ method, path }: TransportRequest): Fault | undefined {
    const isCollection = method === 'GET' && !/\/[^/?]+\/[^/?]+\/[^/?]+\/namespaces\/[^/?]+\/[^/?]+\/[^/?]+/.test(path)
    return this.#past !== undefined && isCollection ? { type: 'elsewhere', ...this.#past } : undefined
  }

  #checkPause(request: TransportRequest): void {
    const what = textOf(request)
    const earlyMs = (this.#pauses.get(what) ?? 0) - this.cluster.env.monotonic()
    if (earlyMs > 0)
      this.#problems.add(`${what} was sent again ${earlyMs} ms before the time that Retry-After had asked for`)
  }

  /** How long the effects of faults last, at least. What ends by itself is looked for every 30 s. */
  get #effectMs(): number {
    return Math.max(this.#until - this.now, this.#awaited.size > 0 ? 30_000 : 0)
  }

  /** How long the step must wait before it can be at rest. */
  get waitMs(): number {
    const now = this.cluster.env.monotonic()
    for (const [id, { problem, until }] of this.#awaited)
      if (until <= now) {
        this.#awaited.delete(id)
        this.#problems.add(problem)
      }
    return Math.max(this.#effectMs, this.#resumedBy - now)
  }

  /** All faults have happened, and nothing of them is still to come or lasts, but watches may have to resume. */
  get isSpent(): boolean {
    const isOver = this.#happened === this.#faults.size && this.#edit === undefined && this.#acted !== undefined
    const isLasting = this.isRestored || this.#past !== undefined || this.#effectMs > 0
    const toCome = [this.#afterEvents, this.#compacted, this.#expired, this.#slowReads].some(({ size }) => size > 0)
    const isLate = this.#later.length > 0 || this.#afterAct.length > 0
    return isOver && !isLasting && !toCome && !isLate
  }

  /** Runs what has to happen at rest; false if there is nothing. */
  async runLater(): Promise<boolean> {
    const acts = this.#later
    this.#later = []
    for (const act of acts) await act()
    return acts.length > 0
  }

  wait(ms: number): void {
    this.#until = Math.max(this.#until, this.cluster.env.monotonic() + ms)
  }

  waitForWatches(): void {
    this.#resumedBy = this.cluster.env.monotonic() + resumeMs
  }

  waitAfterEvents(resource: string, ms: number): void {
    this.#afterEvents.set(resource, ms)
  }

  waitFor(problem: string): () => void {
    const id = Symbol(problem)
    this.#awaited.set(id, { problem, until: this.cluster.env.monotonic() + maxWaitMs })
    return () => this.#awaited.delete(id)
  }

  later(act: () => Promise<unknown> | void): void {
    this.#later.push(act)
  }

  /** Once. */
  async editNow(): Promise<void> {
    const edit = this.#edit
    this.#edit = undefined
    try {
      await edit?.act(this.cluster)
    } catch {
      this.isVoid = true
    }
  }

  restore(to: 'before' | 'acted', options: RestoreOptions): void {
    const restore = (): void => {
      const state = to === 'before' ? this.#options.from : this.#acted
      if (state === undefined) throw new Error('there is no state before the step')
      this.isRestored = true
      this.cluster.restore(state, options)
      // Its versions are older.
      this.#resumption = new WatchResumption()
      this.#options.onRestored(this.cluster)
      this.wait((options.downMs ?? 0) + resumeMs)
    }
    if (this.#acted === undefined) this.#afterAct.push(restore)
    else restore()
  }

  readFromThePast(ms: number): void {
    const { env } = this.cluster
    const { options, past } = this.#options
    const plane = embeddedServer(env, { ...options, from: past }, undefined)
    const ended = new AbortController()
    this.#past = { to: inProcessTransport(plane.transport()), until: ended.signal }
    this.wait(ms + resumeMs)
    env.after(ms, () => {
      this.#past = undefined
      ended.abort()
      void plane.close()
    })
  }

  compact(resource: string): void {
    this.#compacted.add(resource)
  }

  expire(resource: string): void {
    this.#expired.add(resource)
  }

  delayFirstRead(resource: string, ms: number): void {
    this.#slowReads.set(resource, ms)
    this.wait(ms + resumeMs)
  }

  askForPause(request: TransportRequest, seconds: number): void {
    this.#pauses.set(textOf(request), this.cluster.env.monotonic() + seconds * 1000)
  }
}

/** `deployments.apps` of `apps/deployments` */
function dotted(resource: string): string {
  return resource.split('/').toReversed().join('.')
}

/** A create names its object in the body. */
function textOf({ method, path, body }: TransportRequest): string {
  const { name } = (body as { readonly metadata?: { readonly name?: string } } | undefined)?.metadata ?? {}
  return method === 'POST' && name !== undefined ? `${method} ${path} (${name})` : `${method} ${path}`
}
