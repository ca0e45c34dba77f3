/**
 * OpenApiOperation: one method of one path, from which both OpenAPI versions are written. The action determines what an
 * operation consumes, produces and responds with; built-in and custom resources differ in a few of these (see {@link
 * Dialect}).
 */
import type { GroupVersionKind } from '../../../api/object.ts'
import { operationId, operationTag } from './operation-id.ts'

/** In the order in which documents list the methods of a path. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const
export type Method = (typeof methods)[number]

export interface OpenApiOperation {
  readonly method: Method
  readonly id: string
  readonly tag: string
  /** Both absent if the path is not about a kind. */
  readonly action?: string
  readonly kind?: GroupVersionKind
  /** Empty if upstream does not specify it. */
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  /** Names of query parameters. */
  readonly query: readonly string[]
  readonly body?: OperationBody
  readonly answers: readonly OperationResponse[]
}

export interface OperationBody {
  readonly schema: string
  readonly required: boolean
}

export interface OperationResponse {
  readonly code: number
  /** The name of a schema; undefined for a plain string. */
  readonly schema: string | undefined
}

/** The differences between built-in and custom resources. */
export interface Dialect {
  readonly consumes: readonly string[]
  readonly patchTypes: readonly string[]
  readonly produces: readonly string[]
  /** The media types of lists and watches. */
  readonly produceLists: readonly string[]
  /** A patch may respond with 201, because apply creates. */
  readonly patchCreates: boolean
  /** deletecollection takes DeleteOptions as its body. */
  readonly collectionBody: boolean
}

export const apiEncodings = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']

export const builtinDialect: Dialect = {
  consumes: ['*/*'],
  patchTypes: [
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
  ],
  produces: apiEncodings,
  produceLists: [...apiEncodings, 'application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'],
  patchCreates: true,
  collectionBody: true,
}

const customEncodings = ['application/json', 'application/yaml']

export const customDialect: Dialect = {
  consumes: customEncodings,
  patchTypes: ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'],
  produces: customEncodings,
  produceLists: customEncodings,
  patchCreates: false,
  collectionBody: false,
}

export const metaSchema = (name: string): string => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`

/** The resource of an operation's path. */
export interface Target {
  readonly group: string
  readonly version: string
  /** The kind of the resource, which is part of the operation id. `kind` can be that of a subresource. */
  readonly resourceKind: string
  readonly namespaced: boolean
  readonly subresource: string
  /** The `x-kubernetes-group-version-kind` of the operation. */
  readonly kind: GroupVersionKind
  /** Schemas of one object (undefined: a plain string), of a list, and of the response to a delete. */
  readonly schema: string | undefined
  readonly listSchema: string
  readonly deleteSchema: string
}

export function resourceOperation(
  path: string,
  method: Method,
  action: string,
  query: readonly string[],
  target: Target,
  dialect: Dialect,
): OpenApiOperation {
  const base = {
    method,
    id: operationId(path, method, action, target),
    tag: operationTag(target.group, target.version),
    action,
    kind: target.kind,
    query,
    consumes: dialect.consumes,
    produces: dialect.produces,
  }
  const { schema } = target
  const answering = (...codes: number[]): OperationResponse[] => codes.map((code) => ({ code, schema }))
  switch (action) {
    case 'get':
      if (schema !== undefined) return { ...base, answers: answering(200) }
      return { ...base, produces: ['text/plain', ...dialect.produces], answers: answering(200) }
    case 'list':
      return { ...base, produces: dialect.produceLists, answers: [{ code: 200, schema: target.listSchema }] }
    case 'watch':
    case 'watchlist': {
      const answers = [{ code: 200, schema: metaSchema('WatchEvent') }]
      return { ...base, produces: dialect.produceLists, answers }
    }
    case 'post':
      return { ...base, ...writing(schema), answers: answering(200, 201, 202) }
    case 'put':
      return { ...base, ...writing(schema), answers: answering(200, 201) }
    case 'patch':
      return {
        ...base,
        ...writing(metaSchema('Patch')),
        consumes: dialect.patchTypes,
        answers: dialect.patchCreates ? answering(200, 201) : answering(200),
      }
    case 'delete': {
      const answers = [200, 202].map((code) => ({ code, schema: target.deleteSchema }))
      return { ...base, body: { schema: metaSchema('DeleteOptions'), required: false }, answers }
    }
    case 'deletecollection': {
      const answers = [{ code: 200, schema: metaSchema('Status') }]
      if (!dialect.collectionBody) return { ...base, answers }
      return { ...base, body: { schema: metaSchema('DeleteOptions'), required: false }, answers }
    }
    default:
      return { ...base, produces: ['*/*'], answers: [{ code: 200, schema: undefined }] }
  }
}

function writing(schema: string | undefined): { body?: OperationBody } {
  return schema === undefined ? {} : { body: { schema, required: true } }
}
