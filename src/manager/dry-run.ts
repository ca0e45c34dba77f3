/**
 * A dry run: every write is sent with `dryRun=All`, so that the server validates it and nothing is stored, and is
 * reported with what it would change. A call of an external system that is no read is not made: the run ends there.
 */
import { isNotFound } from '../api/error-reasons.ts'
import type { ApiObject, Live, ObjectKey } from '../api/live-object.ts'
import { keyOf } from '../api/live-object.ts'
import type { Json } from '../api/json.ts'
import type {
  ApplyOptions,
  Client,
  DeleteOptions,
  Partially,
  Patch,
  SelectorOptions,
  WriteOptions,
} from '../client/client.ts'
import { TransportError, type Transport, type TransportRequest } from '../client/transport.ts'
import { RunEnded } from '../external/external-error.ts'
import { connected, type CarryOut } from '../external/external.ts'
import { fieldChanges } from '../flow/field-changes.ts'
import { truncatedText } from '../flow/mask.ts'
import type { DefaultingKind, Kind } from '../schema/kind.ts'
import type { Logger } from '../telemetry/logger.ts'

/** What would happen. */
export interface DryRunWrite {
  readonly does: 'create' | 'update' | 'delete' | 'call'
  /** `Deployment`, `webapps/status`, `registry`. */
  readonly kind: string
  /** `default/hello`. Of a call: its method. */
  readonly name: string
  /** `spec.replicas 1 → 5` */
  readonly changes?: string | undefined
}

export type ReportWrite = (write: DryRunWrite) => void

/** The maximum of different writes that are remembered: a retry reports the same one once. */
const maxReportedCount = 10_000

/** Logs each different write once. */
export function reportTo(log: Logger): ReportWrite {
  const reported = new Set<string>()
  return ({ does, kind, name, changes }) => {
    const id = JSON.stringify([does, kind, name, changes])
    if (reported.has(id)) return
    if (reported.size >= maxReportedCount) reported.clear()
    reported.add(id)
    log.info(`would ${does}`, { kind, object: name, ...(changes === undefined || changes === '' ? {} : { changes }) })
  }
}

/** Logged at the start: a dry run cannot show everything. */
export const dryRunLimits = [
  'what follows from a write, such as the next step of a flow or the work of other controllers',
  'objects in a namespace or of a kind that would have to be created first',
  'calls of other systems that no external() declares: they are really made',
  'webhooks of this program, its lease, and its events',
  'drift: objects that it would have created are missing, which counts as such',
]

/** `report` undefined: the same client, which stores what it writes. */
export function dryRunClient(client: Client, report: ReportWrite | undefined): Client {
  if (report === undefined) return client
  const dryRun = true
  const change = async <T extends ApiObject>(
    kind: Kind<T>,
    key: ObjectKey,
    subresource: string | undefined,
    write: () => Promise<Live<T>>,
  ): Promise<Live<T>> => {
    // Other subresources, such as scale, answer with another kind.
    const isWhole = subresource === undefined || subresource === 'status'
    const before = await found(client, kind, key)
    const after = await write()
    const changes = isWhole ? fieldChanges(kind.kind, before, after) : []
    const name = nameOf(keyOf(after).name === undefined ? key : keyOf(after))
    if (before === undefined) note(kind, { does: 'create', kind: kindText(kind, subresource), name })
    else if (changes.length > 0 || !isWhole)
      note(kind, { does: 'update', kind: kindText(kind, subresource), name, changes: changesText(changes) })
    return after
  }
  /** Events tell about runs, and a dry run is one of its own. */
  const note = (kind: Kind, write: DryRunWrite): void => {
    if (kind.kind !== 'Event') report(write)
  }
  return {
    get: (kind, key, options) => client.get(kind, key, options),
    list: (kind, options) => client.list(kind, options),
    pages: (kind, options) => client.pages(kind, options),
    watch: (kind, options) => client.watch(kind, options),
    create: <T extends ApiObject, Input = T>(
      kind: DefaultingKind<T, Input>,
      object: NoInfer<Input>,
      options?: WriteOptions,
    ) =>
      change(kind, keyOf(object as ApiObject), options?.subresource, () =>
        client.create(kind, object, { ...options, dryRun }),
      ),
    update: <T extends ApiObject, Input = T>(
      kind: DefaultingKind<T, Input>,
      object: NoInfer<Input>,
      options?: WriteOptions,
    ) =>
      change(kind, keyOf(object as ApiObject), options?.subresource, () =>
        client.update(kind, object, { ...options, dryRun }),
      ),
    patch: <T extends ApiObject>(kind: Kind<T>, key: ObjectKey, patch: Patch, options?: WriteOptions) =>
      change(kind, key, options?.subresource, () => client.patch(kind, key, patch, { ...options, dryRun })),
    apply: <T extends ApiObject>(kind: Kind<T>, object: Partially<T>, options?: ApplyOptions) =>
      change(kind, keyOf(object as ApiObject), options?.subresource, () =>
        client.apply(kind, object, { ...options, dryRun }),
      ),
    async delete<T extends ApiObject>(kind: Kind<T>, key: ObjectKey, options?: DeleteOptions) {
      const left = await client.delete(kind, key, { ...options, dryRun })
      note(kind, { does: 'delete', kind: kind.kind, name: nameOf(key) })
      return left
    },
    async deleteCollection<T extends ApiObject>(kind: Kind<T>, options?: SelectorOptions & DeleteOptions) {
      await client.deleteCollection(kind, { ...options, dryRun })
      const selected = options?.labelSelector ?? options?.fieldSelector ?? 'all'
      note(kind, { does: 'delete', kind: kind.kind, name: `${options?.namespace ?? ''} ${selected}`.trim() })
    },
    async createSubresource<T extends ApiObject, Answer extends ApiObject>(
      kind: Kind<T>,
      key: ObjectKey,
      subresource: string,
      body: Json,
      options?: WriteOptions,
    ) {
      const answer = await client.createSubresource<T, Answer>(kind, key, subresource, body, { ...options, dryRun })
      note(kind, { does: 'create', kind: kindText(kind, subresource), name: nameOf(key) })
      return answer
    },
    raw: (method, path, options) => client.raw(method, path, options),
  }
}

async function found<T extends ApiObject>(client: Client, kind: Kind<T>, key: ObjectKey): Promise<Live<T> | undefined> {
  if ((key.name ?? '') === '') return undefined
  try {
    return await client.get(kind, key)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function kindText(kind: Kind, subresource: string | undefined): string {
  return subresource === undefined ? kind.kind : `${kind.kind}/${subresource}`
}

function nameOf({ namespace, name }: ObjectKey): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

const maxChangeChars = 400

function changesText(changes: ReturnType<typeof fieldChanges>): string {
  const texts = changes.map(({ path, before, after }) => {
    if (before === undefined) return `${path} = ${after}`
    return after === undefined ? `${path} removed` : `${path} ${before} → ${after}`
  })
  return truncatedText(texts.join(', '), maxChangeChars)
}

/** Calls that read are made. */
export function dryRunCalls(report: ReportWrite): CarryOut {
  return async (call) => {
    if (call.isRead) return connected(call)
    report({ does: 'call', kind: call.system.name, name: call.method, changes: `for ${call.object}` })
    throw new RunEnded(`a dry run does not call ${call.system.name}.${call.method}`)
  }
}

/** Reviews store nothing. */
const review = /^\/apis\/(authentication|authorization)\.k8s\.io\/[^?]*reviews(\?|$)/

/** Sends no write that would be stored, whoever makes it: a client of its own, a raw request. */
export function dryRunTransport(inner: Transport): Transport {
  return {
    host: inner.host,
    prompt: inner.prompt,
    request(request) {
      if (request.method === 'GET' || isDry(request) || review.test(request.path)) return inner.request(request)
      const text = `a dry run writes nothing: ${request.method} ${request.path} was not sent`
      return Promise.reject(new TransportError('CLOSED', text, false))
    },
    close: () => inner.close(),
  }
}

function isDry({ method, path, body }: TransportRequest): boolean {
  if (method === 'DELETE') return (body as { readonly dryRun?: readonly unknown[] } | undefined)?.dryRun?.[0] === 'All'
  return new URLSearchParams(path.split('?')[1] ?? '').get('dryRun') === 'All'
}
