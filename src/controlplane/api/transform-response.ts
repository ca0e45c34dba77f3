/** Transforms responses into Tables or into metadata alone. */
import { ageText } from '../../api/age.ts'
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import type { ApiResponse, ListResponse, ObjectResponse, WatchResponse } from '../contract/request.ts'
import type { Resource } from '../contract/resource.ts'
import { endedAtFirstEvent, mappedWatch } from './mapped-watch.ts'
import type { Representation } from './negotiate.ts'
import type { Stored } from '../storage/store.ts'

/**
 * Applies the transformation that the client requested. Responses that are not objects of the resource stay unchanged.
 */
export function transformResponse(
  response: ApiResponse,
  resource: Resource,
  form: Representation,
  now: () => number,
): ApiResponse {
  if (form.as === undefined) return response
  switch (response.type) {
    case 'list':
      return representList(response, resource, form, now())
    case 'watch':
      return representWatch(response, resource, form, now)
    case 'object':
      if (isScale(response.body)) return representScale(response, form, now())
      return isOfResource(response.body, resource) ? representObject(response, resource, form, now()) : response
    case 'text':
    case 'stream':
      return response
  }
}

function isScale(body: Json): boolean {
  return isObject(body) && body['kind'] === 'Scale' && body['apiVersion'] === 'autoscaling/v1'
}

const scaleColumns = [
  ['Name', 'string'],
  ['Desired', 'integer'],
  ['Available', 'integer'],
  ['Age', 'string'],
] as const

/** Scale has its own columns, for all kinds. */
function representScale(response: ObjectResponse, form: Representation, now: number): ObjectResponse {
  const scale = response.body as KubeObject
  if (form.as !== 'Table') return { ...response, body: partial(scale, form) }
  const replicasIn = (part: string) => (isObject(scale[part]) ? scale[part]['replicas'] : undefined) ?? 0
  const cells = [
    scale.metadata.name ?? '',
    replicasIn('spec'),
    replicasIn('status'),
    ageText(scale.metadata.creationTimestamp, now),
  ]
  return {
    ...response,
    body: {
      kind: 'Table',
      apiVersion: metaVersion(form),
      metadata: { resourceVersion: scale.metadata.resourceVersion ?? '' },
      columnDefinitions: scaleColumns.map(([name, type]) => ({ name, type, format: '', description: '', priority: 0 })),
      rows: [rowOf(cells, scale, form)],
    },
  }
}

/** A Status has no table row. */
function isOfResource(body: Json, resource: Resource): body is JsonObject {
  return (
    typeof body === 'object' &&
    body !== null &&
    !Array.isArray(body) &&
    body['kind'] === resource.kind &&
    'metadata' in body
  )
}

function representObject(
  response: ObjectResponse,
  resource: Resource,
  form: Representation,
  now: number,
): ObjectResponse {
  const { stored, text: _text, ...rest } = response
  const object = response.body as KubeObject
  const version: Shown = { object, raw: stored?.raw }
  if (form.as === 'PartialObjectMetadataList') {
    if (!resource.builtin) throw apiError.internal('content is not a list')
    throw apiError.notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${goTypeOf(resource)})`,
    )
  }
  if (form.as === 'PartialObjectMetadata') return { ...rest, body: partial(shownForm(version, resource), form) }
  const { resourceVersion } = object.metadata
  const metadata: JsonObject = resourceVersion === undefined ? {} : { resourceVersion }
  return { ...rest, body: table(resource, metadata, [version], form, now, true) }
}

function representList(response: ListResponse, resource: Resource, form: Representation, now: number): ListResponse {
  const metadata = listMetadata(response)
  if (form.as === 'PartialObjectMetadata') {
    const type = resource.builtin ? `${goTypeOf(resource)}List` : 'unstructured.UnstructuredList'
    throw apiError.notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (*${type})`)
  }
  if (form.as === 'PartialObjectMetadataList') {
    const head = { kind: 'PartialObjectMetadataList', apiVersion: metaVersion(form), metadata }
    const convert = (version: Stored): JsonObject => partial(shownForm(version, resource), form)
    return { ...response, transformed: { head, field: 'items', convert } }
  }
  const convert = (version: Stored): JsonObject => row(resource, version, form, now)
  return { ...response, transformed: { head: tableHead(resource, metadata, form, true), field: 'rows', convert } }
}

/** Tables and metadata lists omit an empty `continue`, which lists of custom resources have. */
function listMetadata({ metadata }: ListResponse): JsonObject {
  const { continue: token, ...rest } = metadata
  return token === undefined || token === '' ? rest : { ...rest, continue: token }
}

function goTypeOf(resource: Resource): string {
  if (!resource.builtin) return 'unstructured.Unstructured'
  return `${resource.group === '' ? 'core' : (resource.group.split('.', 1)[0] as string)}.${resource.kind}`
}

function representWatch(
  response: WatchResponse,
  resource: Resource,
  form: Representation,
  now: () => number,
): WatchResponse {
  // As upstream: no event is a list, so the transformation fails at the first one and the stream ends.
  if (form.as === 'PartialObjectMetadataList') return endedAtFirstEvent(response)
  return mappedWatch(response, () => {
    let isFirst = true
    return (event) => {
      const object = event.object as KubeObject
      const version: Shown = { object, raw: event.stored?.raw }
      if (form.as !== 'Table') return { type: event.type, object: partial(shownForm(version, resource), form) }
      const { resourceVersion } = object.metadata
      const metadata: JsonObject = resourceVersion === undefined ? {} : { resourceVersion }
      const body = table(resource, metadata, [version], form, now(), isFirst)
      isFirst = false
      return { type: event.type, object: body }
    }
  })
}

function metaVersion({ version }: Representation): string {
  return `meta.k8s.io/${version ?? 'v1'}`
}

/** The object from which table rows and metadata are made. */
function shownForm({ object, raw }: Shown, resource: Resource): KubeObject {
  return resource.strategy.tableForm?.(object, raw?.object) ?? object
}

/** An object as served, and the stored version behind it if that differs. */
type Shown = Pick<Stored, 'object' | 'raw'>

function partial(object: KubeObject, form: Representation): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: metaVersion(form), metadata: object.metadata }
}

function table(
  resource: Resource,
  metadata: JsonObject,
  versions: readonly Shown[],
  form: Representation,
  now: number,
  withColumns: boolean,
): JsonObject {
  const rows = versions.map((version) => row(resource, version, form, now))
  return { ...tableHead(resource, metadata, form, withColumns), rows }
}

/** A table without its rows. In a watch only the first table has column definitions. */
function tableHead(resource: Resource, metadata: JsonObject, form: Representation, withColumns: boolean): JsonObject {
  return {
    kind: 'Table',
    apiVersion: metaVersion(form),
    metadata,
    columnDefinitions: withColumns
      ? resource.columns.map(({ name, type, format, description = '', priority }) => ({
          name,
          type,
          format,
          description,
          priority,
        }))
      : null,
  }
}

function row(resource: Resource, version: Shown, form: Representation, now: number): JsonObject {
  const { object } = version
  const shown = shownForm(version, resource)
  const cells = resource.strategy.cells?.(shown, now) ?? [
    object.metadata.name ?? '',
    object.metadata.creationTimestamp ?? '',
  ]
  const found = rowOf(cells, form.includeObject === 'Object' ? object : shown, form)
  const conditions = resource.strategy.rowConditions?.(object)
  return conditions === undefined ? found : { cells, conditions, object: found['object'] as Json }
}

function rowOf(cells: Json[], object: KubeObject, form: Representation): JsonObject {
  switch (form.includeObject) {
    case 'None':
      return { cells, object: null }
    case 'Object':
      return { cells, object: object }
    case 'Metadata':
      return { cells, object: partial(object, form) }
  }
}
