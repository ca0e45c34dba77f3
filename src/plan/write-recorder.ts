/**
 * Records the writes of a program, with the state before each, and its events. Sits between the program and a server.
 */
import type { FrozenJson, JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { parseWarnings } from '../client/server-warnings.ts'
import type { Headers, Transport, TransportRequest, TransportResponse } from '../client/transport.ts'
import { apiRoute, type ApiRoute } from '../cluster/api-route.ts'
import type { Manifest } from './manifest.ts'

export interface RecordedWrite {
  /** Undefined: the object did not exist. */
  readonly before: Manifest | undefined
  /** Undefined: the object is deleted. */
  readonly after: Manifest | undefined
  /** The request body. Absent for a delete. */
  readonly sent?: JsonObject | undefined
  readonly isStatus: boolean
}

export interface PlannedEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  /** `WebApp default/hello` */
  readonly about: string
}

export interface Recording {
  readonly writes: readonly RecordedWrite[]
  readonly events: readonly PlannedEvent[]
}

export class WriteRecorder {
  #writes: RecordedWrite[] = []
  #events: PlannedEvent[] = []
  /** Warnings of the server about writes, in order. */
  readonly warnings = new Set<string>()
  /** Called after each write. */
  onNote: () => void = () => undefined

  readonly between = (inner: Transport): Transport => ({
    ...inner,
    close: () => inner.close(),
    request: (request) => {
      const [path = '', query = ''] = request.path.split('?')
      const target = apiRoute(path)
      if (request.method === 'GET' || target === undefined || /(^|&)dryRun=All/.test(query))
        return inner.request(request)
      const { group, plural } = target
      if (group === 'coordination.k8s.io' && plural === 'leases') return inner.request(request)
      if (plural !== 'events' || (group !== '' && group !== 'events.k8s.io')) return this.#noted(inner, request, target)
      this.#report(request)
      return inner.request(request)
    },
  })

  /** What was recorded since the last call. */
  take(): Recording {
    const taken = { writes: this.#writes, events: this.#events }
    this.#writes = []
    this.#events = []
    return taken
  }

  async #noted(
    inner: Transport,
    request: TransportRequest,
    { collection, name, subresource }: ApiRoute,
  ): Promise<TransportResponse> {
    const read = async (path: string): Promise<FrozenJson | undefined> => {
      const { status, body } = await inner.request({ method: 'GET', path })
      return status === 200 ? body : undefined
    }
    const object = async (of: string): Promise<Manifest | undefined> =>
      (await read(`${collection}/${encodeURIComponent(of)}`)) as Manifest | undefined
    const isDeletion = request.method === 'DELETE'
    const names = name !== '' ? [name] : isDeletion ? namesIn(await read(collection)) : []
    const before = new Map(await Promise.all(names.map(async (each) => [each, await object(each)] as const)))
    const response = await inner.request(request)
    this.#noteWarnings(response.headers)
    if (response.status >= 300) return response
    // Reviews are answered and not stored.
    const { name: made, uid } = (response.body as KubeObject | null)?.metadata ?? {}
    for (const each of name === '' && !isDeletion && made !== undefined && uid !== undefined ? [made] : names) {
      const after = isDeletion || subresource !== undefined ? await object(each) : (response.body as Manifest)
      this.#writes.push({
        before: before.get(each),
        after,
        sent: isDeletion ? undefined : (request.body as JsonObject | undefined),
        isStatus: subresource === 'status',
      })
    }
    this.onNote()
    return response
  }

  #noteWarnings({ warning = [] }: Headers): void {
    for (const header of typeof warning === 'string' ? [warning] : warning)
      for (const text of parseWarnings(header)) this.warnings.add(text)
  }

  #report({ method, body }: TransportRequest): void {
    if (method !== 'POST') return
    const { type = '', reason = '', message, note, involvedObject, regarding } = body as EventBody
    const { kind = '', namespace, name = '' } = involvedObject ?? regarding ?? {}
    this.#events.push({
      type,
      reason,
      message: message ?? note ?? '',
      about: `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`,
    })
    this.onNote()
  }
}

function namesIn(list: FrozenJson | undefined): readonly string[] {
  return ((list as { readonly items?: readonly KubeObject[] } | undefined)?.items ?? []).map(
    ({ metadata }) => metadata.name ?? '',
  )
}

type Involved = { readonly [Field in 'kind' | 'namespace' | 'name']?: string }

/** In either API group of events. */
type EventBody = { readonly [Field in 'type' | 'reason' | 'message' | 'note']?: string } & {
  readonly involvedObject?: Involved
  readonly regarding?: Involved
}
