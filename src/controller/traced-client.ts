/** A client that records its calls and their changes in the trace of the step that makes them. */
import { keyOf, keyText, type ApiObject, type Live, type LiveObject, type ObjectKey } from '../api/live-object.ts'
import { ApiError } from '../api/status.ts'
import type { Cache } from '../cache/cache.ts'
import type { ApplyOptions, Client, DeleteOptions, Partially, Patch, WriteOptions } from '../client/client.ts'
import { fieldChanges } from '../flow/field-changes.ts'
import { errorTrace } from '../flow/recording.ts'
import { currentScope } from '../flow/scope.ts'
import type { CallTrace } from '../flow/trace.ts'
import { kindName, type DefaultingKind, type Kind } from '../schema/kind.ts'

/** `cache`: has the object before the call. */
export function tracedClient(client: Client, cache: Pick<Cache, 'informers'>): Client {
  const cached = (kind: Kind, key: ObjectKey): LiveObject | undefined => {
    if (kind.namespaced !== (key.namespace !== undefined)) return undefined
    return cache.informers.find((informer) => kindName(informer.kind) === kindName(kind))?.lister.get(key)
  }
  const write = <T extends ApiObject>(
    verb: string,
    kind: Kind<T>,
    key: ObjectKey,
    subresource: string | undefined,
    call: () => Promise<Live<T>>,
  ): Promise<Live<T>> => {
    const written = currentScope()?.frame?.written
    if (written === undefined) return call()
    const id = `${kindName(kind)} ${keyText(key)}`
    const before = (written.get(id) as LiveObject | undefined) ?? cached(kind, key)
    return tracedCall({ verb, kind: kind.kind, ...key, subresource }, call, (after) => {
      written.set(id, after)
      const changes = fieldChanges(kind.kind, before, after)
      return { outcome: outcomeOf(before, after, changes.length), changes }
    })
  }
  return {
    get: (kind, key, options) =>
      tracedCall(
        { verb: 'get', kind: kind.kind, ...key, subresource: options?.subresource },
        () => client.get(kind, key, options),
        read,
      ),
    list: (kind, options) =>
      tracedCall(
        { verb: 'list', kind: kind.kind, namespace: options?.namespace },
        () => client.list(kind, options),
        read,
      ),
    pages: (kind, options) => client.pages(kind, options),
    watch: (kind, options) =>
      tracedCall(
        { verb: 'watch', kind: kind.kind, namespace: options?.namespace },
        () => client.watch(kind, options),
        read,
      ),
    create: <T extends ApiObject, Input = T>(
      kind: DefaultingKind<T, Input>,
      object: NoInfer<Input>,
      options?: WriteOptions,
    ) =>
      write('create', kind, keyOf(object as ApiObject), options?.subresource, () =>
        client.create(kind, object, options),
      ),
    update: <T extends ApiObject, Input = T>(
      kind: DefaultingKind<T, Input>,
      object: NoInfer<Input>,
      options?: WriteOptions,
    ) =>
      write('update', kind, keyOf(object as ApiObject), options?.subresource, () =>
        client.update(kind, object, options),
      ),
    patch: <T extends ApiObject>(kind: Kind<T>, key: ObjectKey, patch: Patch, options?: WriteOptions) =>
      write('patch', kind, key, options?.subresource, () => client.patch(kind, key, patch, options)),
    apply: <T extends ApiObject>(kind: Kind<T>, object: Partially<T>, options?: ApplyOptions) =>
      write('apply', kind, keyOf(object as ApiObject), options?.subresource, () => client.apply(kind, object, options)),
    delete: <T extends ApiObject>(kind: Kind<T>, key: ObjectKey, options?: DeleteOptions) =>
      tracedCall(
        { verb: 'delete', kind: kind.kind, ...key },
        () => client.delete(kind, key, options),
        (left) => ({ outcome: left === undefined ? 'deleted' : 'terminating' }),
      ),
    deleteCollection: (kind, options) =>
      tracedCall(
        { verb: 'deletecollection', kind: kind.kind, namespace: options?.namespace },
        () => client.deleteCollection(kind, options),
        () => ({ outcome: 'deleted' }),
      ),
    createSubresource: (kind, key, subresource, body, options) =>
      tracedCall(
        { verb: 'create', kind: kind.kind, ...key, subresource },
        () => client.createSubresource(kind, key, subresource, body, options),
        () => ({ outcome: 'created' }),
      ),
    raw: (method, path, options) =>
      tracedCall({ verb: method.toLowerCase(), kind: path }, () => client.raw(method, path, options), read),
  }
}

type Call = Pick<CallTrace, 'verb' | 'kind'> & Partial<Pick<CallTrace, 'namespace' | 'name' | 'subresource'>>
type TracedCall = Pick<CallTrace, 'outcome'> & Partial<Pick<CallTrace, 'changes'>>

async function tracedCall<Result>(
  call: Call,
  make: () => Promise<Result>,
  report: (result: Result) => TracedCall,
): Promise<Result> {
  const open = currentScope()?.frame?.call(call)
  if (open === undefined) return make()
  try {
    const result = await make()
    open.end(report(result))
    return result
  } catch (error) {
    open.end({
      outcome: error instanceof ApiError ? `error ${error.status.code ?? ''}`.trim() : 'error',
      error: errorTrace(error),
    })
    throw error
  }
}

function read(): TracedCall {
  return { outcome: 'read' }
}

/** Removing the last finalizer returns the object with its old version. */
function outcomeOf(before: LiveObject | undefined, after: LiveObject, changes: number): string {
  if (before?.metadata.uid !== after.metadata.uid) return 'created'
  return before.metadata.resourceVersion === after.metadata.resourceVersion && changes === 0 ? 'unchanged' : 'updated'
}
