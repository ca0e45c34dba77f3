/** Notes what a program writes, with what was there before, and the events that it tells. It stands between the program and a server. */
import type { FrozenJson, JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { Transport, TransportRequest } from '../client/transport.ts'
import type { Manifest } from './manifest.ts'

export interface Write {
  /** Undefined: there was no such object. */
  readonly before: Manifest | undefined
  /** Undefined: it is gone. */
  readonly after: Manifest | undefined
  /** As it was sent. Absent for a deletion. */
  readonly sent?: JsonObject | undefined
  readonly isStatus: boolean
}

export interface ToldEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  /** `WebApp default/hello` */
  readonly about: string
}

export interface Recorded {
  readonly writes: readonly Write[]
  readonly events: readonly ToldEvent[]
}

/** A collection, a name in it, and what is below. */
const route = /^(\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/(?!(?:status|finalize)$))?([^/]+))(?:\/([^/]+)(?:\/(.+))?)?$/

export class WriteRecorder {
  #writes: Write[] = []
  #events: ToldEvent[] = []
  /** Called after each of them. */
  onNote: () => void = () => undefined

  readonly between = (inner: Transport): Transport => ({
    ...inner,
    close: () => inner.close(),
    request: async (request) => {
      const [path = '', query = ''] = request.path.split('?')
      const [, collection = '', plural = '', name, subresource] = route.exec(path) ?? []
      if (request.method === 'GET' || collection === '' || plural === 'leases' || /(^|&)dryRun=All/.test(query)) return inner.request(request)
      if (plural === 'events') this.#tell(request)
      const isObject = plural !== 'events' && (name !== undefined || request.method === 'POST')
      return isObject ? this.#noted(inner, request, { collection, name, subresource }) : inner.request(request)
    },
  })

  /** What was noted since this was last asked. */
  take(): Recorded {
    const taken = { writes: this.#writes, events: this.#events }
    this.#writes = []
    this.#events = []
    return taken
  }

  async #noted(inner: Transport, request: TransportRequest, target: Target): Promise<Awaited<ReturnType<Transport['request']>>> {
    const { collection, name, subresource } = target
    const read = async (of: string): Promise<Manifest | undefined> => {
      const { status, body } = await inner.request({ method: 'GET', path: `${collection}/${of}` })
      return status === 200 ? (body as unknown as Manifest) : undefined
    }
    const before = name === undefined ? undefined : await read(name)
    const response = await inner.request(request)
    if (response.status >= 300) return response
    const made = (response.body as unknown as KubeObject | null)?.metadata?.name
    const isWhole = request.method !== 'DELETE' && subresource === undefined
    const after = isWhole ? (response.body as unknown as Manifest) : await read(name ?? made ?? '')
    const sent = request.method === 'DELETE' ? undefined : (request.body as JsonObject | undefined)
    this.#writes.push({ before, after, sent, isStatus: subresource === 'status' })
    this.onNote()
    return response
  }

  #tell({ method, body }: TransportRequest): void {
    if (method !== 'POST') return
    const { type, reason, message, involvedObject } = body as unknown as Partial<Record<'type' | 'reason' | 'message', string>> & { readonly involvedObject?: Involved }
    const { kind = '', namespace, name = '' } = involvedObject ?? {}
    this.#events.push({ type: type ?? '', reason: reason ?? '', message: message ?? '', about: `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}` })
    this.onNote()
  }
}

interface Target {
  readonly collection: string
  readonly name: string | undefined
  readonly subresource: string | undefined
}

type Involved = { readonly [Field in 'kind' | 'namespace' | 'name']?: string } & { readonly [key: string]: FrozenJson }
