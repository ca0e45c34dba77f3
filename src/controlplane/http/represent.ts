/** Transformations of answers: tables for kubectl, and metadata alone. */
import type { Json, JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import type { ApiResponse, ListResponse, ObjectResponse, WatchEvent, WatchResponse } from '../registry/request.ts'
import type { Resource } from '../registry/resource.ts'
import type { Representation } from './negotiate.ts'

/** Applies the transformation that the client asked for; answers that are no objects of the resource pass as they are. */
export function represent(response: ApiResponse, resource: Resource, form: Representation, now: () => number): ApiResponse {
  if (form.as === undefined) return response
  switch (response.type) {
    case 'list':
      return representList(response, resource, form, now())
    case 'watch':
      return representWatch(response, resource, form, now)
    case 'object':
      return isOfResource(response.body, resource) ? representObject(response, resource, form, now()) : response
    case 'text':
      return response
  }
}

/** A Status has no row, nor has a Scale. */
function isOfResource(body: Json, resource: Resource): body is JsonObject {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && body['kind'] === resource.kind && 'metadata' in body
}

function representObject(response: ObjectResponse, resource: Resource, form: Representation, now: number): ObjectResponse {
  const { stored: _stored, text: _text, ...rest } = response
  const object = response.body as unknown as KubeObject
  if (form.as === 'PartialObjectMetadataList') {
    throw apiError.notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list (*${goTypeOf(resource)})`)
  }
  if (form.as === 'PartialObjectMetadata') return { ...rest, body: partial(object) }
  const { resourceVersion } = object.metadata
  const metadata: JsonObject = resourceVersion === undefined ? {} : { resourceVersion }
  return { ...rest, body: table(resource, metadata, [object], form, now, true) }
}

function representList(response: ListResponse, resource: Resource, form: Representation, now: number): ObjectResponse {
  const objects = response.items.map(({ object }) => object)
  const metadata = listMetadata(response)
  const { status, headers } = response
  const base = headers === undefined ? { type: 'object' as const, status } : { type: 'object' as const, status, headers }
  if (form.as === 'PartialObjectMetadata') {
    const type = resource.builtin ? `${goTypeOf(resource)}List` : 'unstructured.UnstructuredList'
    throw apiError.notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (*${type})`)
  }
  if (form.as === 'PartialObjectMetadataList') {
    return { ...base, body: { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: objects.map(partial) } }
  }
  return { ...base, body: table(resource, metadata, objects, form, now, true) }
}

/** Tables and metadata lists leave out an empty continue, which lists of custom resources carry. */
function listMetadata({ metadata }: ListResponse): JsonObject {
  const { continue: token, ...rest } = metadata
  return token === undefined || token === '' ? rest : { ...rest, continue: token }
}

function goTypeOf(resource: Resource): string {
  if (!resource.builtin) return 'unstructured.Unstructured'
  return `${resource.group === '' ? 'core' : (resource.group.split('.', 1)[0] as string)}.${resource.kind}`
}

function representWatch(response: WatchResponse, resource: Resource, form: Representation, now: () => number): WatchResponse {
  return {
    ...response,
    start(sink) {
      let first = true
      const convert = (event: WatchEvent): WatchEvent => {
        if (event.type === 'ERROR') return event
        const object = event.object as unknown as KubeObject
        if (form.as !== 'Table') return { type: event.type, object: partial(object) }
        const { resourceVersion } = object.metadata
        const metadata: JsonObject = resourceVersion === undefined ? {} : { resourceVersion }
        const body = table(resource, metadata, event.type === 'BOOKMARK' ? [] : [object], form, now(), first)
        if (event.type === 'BOOKMARK') body['rows'] = [{ cells: [], object: partial(object) }]
        first = false
        return { type: event.type, object: body }
      }
      return response.start({ event: (event) => sink.event(convert(event)), end: () => sink.end() })
    },
  }
}

function partial(object: KubeObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata as unknown as Json }
}

/** In a watch only the first table says its columns. */
function table(
  resource: Resource, metadata: JsonObject, objects: readonly KubeObject[], form: Representation, now: number, withColumns: boolean,
): JsonObject {
  const columns = resource.columns
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: withColumns
      ? columns.map(({ name, type, format, description = '', priority }) => ({ name, type, format, description, priority }))
      : null,
    rows: objects.map((object) => row(resource, object, form, now)),
  }
}

function row(resource: Resource, object: KubeObject, form: Representation, now: number): JsonObject {
  const cells = resource.rules.cells?.(object, now) ?? [object.metadata.name ?? '', object.metadata.creationTimestamp ?? '']
  switch (form.includeObject) {
    case 'None':
      return { cells, object: null }
    case 'Object':
      return { cells, object: object as unknown as Json }
    case 'Metadata':
      return { cells, object: partial(object) }
  }
}
