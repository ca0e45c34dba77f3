/** Dispatch: calls the registry function for the verb and subresource, and makes a response of its result. */
import type { Json } from '../../api/json.ts'
import { type KubeObject } from '../../api/object.ts'
import { ApiError, apiError, type Status } from '../../api/status.ts'
import { bindPod } from '../registry/bind-pod.ts'
import type { RegistryCall } from '../registry/call.ts'
import { remove, removeCollection } from '../registry/delete.ts'
import { evictPod } from '../registry/evict-pod.ts'
import { encodeContinue } from '../registry/continue-token.ts'
import { get } from '../registry/get.ts'
import { list } from '../registry/list.ts'
import type { ApiResponse, ListResponse, ObjectResponse } from '../contract/request.ts'
import type { RequestVerb } from '../registry/request-info.ts'
import type { Resource } from '../contract/resource.ts'
import { patchScale, putScale } from '../registry/scale.ts'
import { watch } from '../registry/watch.ts'
import { create, patch, update } from '../registry/write.ts'
import type { Written } from '../registry/written.ts'
import type { Stored } from '../storage/store.ts'

/** Subresources that write a part of the object. */
const partial = new Set(['', 'status', 'finalize', 'approval', 'ephemeralcontainers', 'resize'])

export function dispatch(call: RegistryCall, verb: RequestVerb): ApiResponse | Promise<ApiResponse> {
  if (call.subresource === 'scale') return scale(call, verb)
  if (call.subresource === 'binding') return objectResponse(201, bindPod(call))
  if (call.subresource === 'eviction') return objectResponse(201, evictPod(call))
  if (call.resource.plural === 'bindings' && call.resource.group === '') return objectResponse(201, bindNamedPod(call))
  if (!partial.has(call.subresource)) throw notServed(call)
  switch (verb) {
    case 'get':
      return then(get(call), (stored) => storedResponse(stored))
    case 'list':
      return list(call)
    case 'watch':
      return watch(call)
    case 'create':
      return written(create(call))
    case 'update':
      return written(update(call))
    case 'patch':
      return written(patch(call))
    case 'delete': {
      const { status, body, stored } = remove(call)
      return stored === undefined ? objectResponse(status, body) : { ...storedResponse(stored), status }
    }
    case 'deletecollection':
      return deletedList(call)
    case 'proxy':
    case '':
      throw apiError.methodNotAllowed()
  }
}

/** The legacy way to bind a pod: the pod is named in the Binding, not in the path. */
function bindNamedPod(call: RegistryCall): Status {
  return bindPod({
    ...call,
    resource: call.backend.catalog.findAnyVersion('', 'pods') as Resource,
    subresource: 'binding',
  })
}

function then<T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

function storedResponse(stored: Stored): ObjectResponse {
  return { type: 'object', status: 200, body: stored.object, stored }
}

function objectResponse(status: number, body: Json): ObjectResponse {
  return { type: 'object', status, body }
}

function written({ object, stored, created }: Written): ObjectResponse {
  const status = created ? 201 : 200
  const body = object
  return stored === undefined ? { type: 'object', status, body } : { type: 'object', status, body, stored }
}

function deletedList(call: RegistryCall): ListResponse {
  const { items, revision, next, remaining } = removeCollection(call)
  const { resource } = call
  const metadata: ListResponse['metadata'] = { resourceVersion: String(revision) }
  if (next !== undefined) {
    metadata.continue = encodeContinue(revision, next)
    metadata.remainingItemCount = remaining
  } else if (!resource.builtin) {
    metadata.continue = ''
  }
  return {
    type: 'list',
    status: 200,
    kind: resource.listKind,
    apiVersion: resource.apiVersion,
    metadata,
    items,
    typedItems: !resource.builtin,
  }
}

function scale(call: RegistryCall, verb: RequestVerb): ApiResponse | Promise<ApiResponse> {
  const access = call.resource.scale
  if (access === undefined) throw apiError.noSuchResource()
  const respond = (body: KubeObject) => objectResponse(200, body)
  switch (verb) {
    case 'get':
      return then(get(call), (stored) => respond(access.read(stored.object)))
    case 'update':
      return respond(putScale(call, access))
    case 'patch':
      return respond(patchScale(call, access))
    default:
      throw apiError.methodNotAllowed()
  }
}

/** A subresource that discovery lists but that is not implemented here. */
function notServed(call: RegistryCall): ApiError {
  const what = `${call.resource.plural}/${call.subresource}`
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${what} is not served by the embedded control plane yet`,
    reason: 'NotImplemented',
    code: 501,
  })
}
