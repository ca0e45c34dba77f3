/** Records the timeline of one run. Recording costs time: only runs that a report shows are recorded. */
import { keyText, type ApiObject, type ObjectKey } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import type { Transport, TransportRequest } from '../client/transport.ts'
import type { Embedded } from '../cluster/embedded-handle.ts'
import type { Fault } from '../cluster/faulty-transport.ts'
import type { ControllerDefinition, Reconcile } from '../controller/definition.ts'
import type { StoreEvent } from '../controlplane/storage/store.ts'
import { fieldChanges } from '../flow/field-changes.ts'
import type { Trace } from '../flow/trace.ts'
import { isPassing, kindText } from './changes.ts'
import { callText } from './call-text.ts'
import type { FaultName } from './faults.ts'
import { callAt, type Point } from './point.ts'
import type { InjectedFault } from './schedule.ts'
import type { CallEntry, TimelineEntry } from './timeline.ts'
import type { ExploredCluster } from './trial.ts'

type MutableCall = { -readonly [Name in keyof CallEntry]: CallEntry[Name] }

export class RunRecorder {
  readonly #faults: readonly InjectedFault[]
  readonly #entries: TimelineEntry[] = []
  /** Calls that the server has not seen yet. */
  readonly #underway: { readonly entry: MutableCall; readonly request: TransportRequest; readonly fault?: Fault }[] = []
  /** Reconciles that have begun. A run whose object is gone has none. */
  readonly #begun = new Set<string>()
  #calls = 0
  #now: (() => number) | undefined
  #isOperators = false

  constructor(faults: readonly InjectedFault[]) {
    this.#faults = faults
  }

  get entries(): readonly TimelineEntry[] {
    return this.#entries
  }

  /** The same cluster, with its reconciles and starts recorded. */
  watched(options: ExploredCluster): ExploredCluster {
    const { controllers = [], traces } = options
    return {
      ...options,
      controllers: () => {
        this.#add((at) => ({ type: 'start', at }))
        return (typeof controllers === 'function' ? controllers() : controllers).map((each) => this.#watched(each))
      },
      traces: {
        add: (trace) => {
          traces?.add(trace)
          this.#ended(trace)
        },
      },
    }
  }

  /** The step begins. */
  begin({ env, plane }: Embedded): void {
    const startedAt = env.monotonic()
    this.#now = () => env.monotonic() - startedAt
    this.follow({ plane })
  }

  /** Also when the server was restored. */
  follow({ plane }: Pick<Embedded, 'plane'>): void {
    plane.store.watch('/registry/', plane.store.revision, (event) => this.#changed(event))
  }

  /** The operator sends a request. */
  call(request: TransportRequest, fault: Fault | undefined): void {
    if (this.#now === undefined) return
    const call = ++this.#calls
    const entry: MutableCall = {
      type: 'call',
      at: this.#now(),
      call,
      ...callText(request),
      fault: this.#faults.find(({ at }) => callAt(at) === call)?.fault,
      isServed: false,
    }
    if (fault?.type === 'answer') entry.status = fault.status
    this.#entries.push(entry)
    if (isServed(fault)) this.#underway.push({ entry, request, ...(fault === undefined ? {} : { fault }) })
  }

  /** A fault happens at an event of a watch. */
  event(point: Point, fault: FaultName): void {
    this.#add((at) => ({ type: 'event', at, event: point, fault }))
  }

  /** Sees what arrives at the server. A faulty transport passes copies of requests on, in order. */
  transport(inner: Transport): Transport {
    return {
      ...inner,
      request: (request) => {
        const index = this.#underway.findIndex(
          (each) => each.request.method === request.method && each.request.path === request.path,
        )
        const [sent] = index < 0 ? [] : this.#underway.splice(index, 1)
        this.#isOperators = true
        try {
          const response = inner.request(request)
          if (sent !== undefined) {
            sent.entry.isServed = true
            const isLost = lost.has(sent.fault?.type)
            // A rejection is the caller's to handle.
            if (!isLost) response.then(({ status }) => (sent.entry.status = status)).catch(() => undefined)
          }
          return response
        } finally {
          this.#isOperators = false
        }
      },
      close: () => inner.close(),
    }
  }

  #watched<T extends ApiObject>(definition: ControllerDefinition<T>): ControllerDefinition<T> {
    const { name, kind, reconcile, deleting, finalizers } = definition
    const begun =
      (inner: Reconcile<T>): Reconcile<T> =>
      (context) => {
        const object = objectText(kind.kind, context.key)
        this.#begun.add(`${name} ${object}`)
        this.#add((at) => ({ type: 'reconcile', at, controller: name, object }))
        return inner(context)
      }
    return {
      ...definition,
      reconcile: begun(reconcile),
      deleting: deleting === undefined ? undefined : begun(deleting),
      finalizers: finalizers.map((each) => ({ ...each, cleanup: begun(each.cleanup) })),
    }
  }

  #ended({ controller = '', kind = '', namespace, name = '', result, after, error }: Trace): void {
    const object = objectText(kind, { namespace, name })
    if (!this.#begun.delete(`${controller} ${object}`)) return
    this.#add((at) => ({
      type: 'reconciled',
      at,
      controller,
      object,
      result,
      after,
      error: error?.message,
    }))
  }

  /** The server processes a request before it returns its promise, so the writer is known. */
  #changed({ type, current: { object }, previous }: StoreEvent): void {
    if (isPassing(object)) return
    this.#add((at) => ({
      type: 'change',
      at,
      change: type === 'delete' ? 'delete' : previous === undefined ? 'create' : 'update',
      by: this.#isOperators ? 'operator' : 'others',
      object: stableName(object),
      fields: type === 'delete' ? [] : fieldChanges(object.kind ?? '', previous?.object, object),
    }))
  }

  #add(entry: (at: number) => TimelineEntry): void {
    if (this.#now !== undefined) this.#entries.push(entry(this.#now()))
  }
}

/** The server processes the request, but its response does not arrive. */
const lost: ReadonlySet<Fault['type'] | undefined> = new Set(['drop-after', 'crash', 'late'] as const)

function isServed(fault: Fault | undefined): boolean {
  switch (fault?.type) {
    case 'answer':
    case 'drop-before':
    case 'refuse':
    case 'stall':
    case 'elsewhere':
      return false
    case 'crash':
      return fault.when === 'after'
    default:
      return true
  }
}

function objectText(kind: string, { namespace, name }: ObjectKey): string {
  return `${kind} ${keyText(namespace === undefined ? { name } : { namespace, name })}`
}

/** A generated name is another one in every run. */
function stableName(object: KubeObject): string {
  const { namespace, name = '', generateName } = object.metadata
  const called = generateName === undefined ? name : `${generateName}*`
  return `${kindText(object)} ${namespace === undefined ? '' : `${namespace}/`}${called}`
}
