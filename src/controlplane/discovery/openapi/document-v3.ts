/** OpenAPI v3: one document for each group-version, with the schemas that its paths refer to. */
import type { Json, JsonObject } from '../../../api/json.ts'
import type { PathEntry } from './builtin-operations.ts'
import type { OpenApiOperation } from './operation.ts'
import { inlineParameters, splitParameters, type Parameter, type SplitParameters } from './parameters.ts'
import { reachableSchemas, type SchemaSource } from './reachable-schemas.ts'

const refPrefix = '#/components/schemas/'

/** Title and version of the document's `info`; built-in documents also declare the authentication. */
export interface DocumentHead {
  readonly title: string
  readonly version: string
  readonly secured: boolean
}

export const builtinHead: DocumentHead = { title: 'Kubernetes', version: '1.35', secured: true }
export const customHead: DocumentHead = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0', secured: false }

/** `extra` names schemas to include even if no path refers to them. */
export function documentV3(
  head: DocumentHead,
  paths: readonly PathEntry[],
  source: SchemaSource,
  extra: readonly string[] = [],
): JsonObject {
  const rendered: JsonObject = {}
  const roots = new Set(extra)
  const contents: Contents = new Map()
  for (const { path, operations } of paths) {
    rendered[path] = pathItem(path, operations, contents)
    for (const operation of operations) {
      if (operation.body !== undefined) roots.add(operation.body.schema)
      for (const { schema } of operation.answers) if (schema !== undefined) roots.add(schema)
    }
  }
  const components: JsonObject = {}
  const schemas = reachableSchemas(roots, source)
  if (Object.keys(schemas).length > 0) components['schemas'] = schemas
  if (head.secured) {
    components['securitySchemes'] = { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } }
  }
  return { openapi: '3.0.0', info: { title: head.title, version: head.version }, paths: rendered, components }
}

function pathItem(path: string, operations: readonly OpenApiOperation[], contents: Contents): JsonObject {
  const item: JsonObject = {}
  const split = splitParameters(path, operations)
  for (const operation of operations) item[operation.method] = renderOperation(operation, split, contents)
  if (split.shared.length > 0) item['parameters'] = split.shared.map(renderParameter)
  return item
}

function renderOperation(operation: OpenApiOperation, split: SplitParameters, contents: Contents): JsonObject {
  const rendered: JsonObject = { tags: [operation.tag], operationId: operation.id }
  const own = inlineParameters(operation, split)
  if (own.length > 0) rendered['parameters'] = own.map(renderParameter)
  if (operation.body !== undefined) {
    const body: JsonObject = { content: contentOf(operation.consumes, operation.body.schema, contents) }
    if (operation.body.required) body['required'] = true
    rendered['requestBody'] = body
  }
  const responses: JsonObject = {}
  for (const { code, schema } of operation.answers) {
    responses[code] = { content: contentOf(operation.produces, schema, contents) }
  }
  responses[401] = {}
  rendered['responses'] = responses
  if (operation.action !== undefined) rendered['x-kubernetes-action'] = operation.action
  if (operation.kind !== undefined) {
    const { group, version, kind } = operation.kind
    rendered['x-kubernetes-group-version-kind'] = { group, version, kind }
  }
  return rendered
}

/** The same few contents occur hundreds of times in a document; each is made once and shared. */
type Contents = Map<readonly string[], Map<string | undefined, JsonObject>>

function contentOf(mediaTypes: readonly string[], schema: string | undefined, contents: Contents): JsonObject {
  const known = contents.get(mediaTypes) ?? new Map<string | undefined, JsonObject>()
  contents.set(mediaTypes, known)
  let content = known.get(schema)
  if (content === undefined) {
    content = {}
    const typed = { schema: schema === undefined ? { type: 'string' } : { $ref: refPrefix + schema } }
    for (const mediaType of mediaTypes.toSorted()) content[mediaType] = typed
    known.set(schema, content)
  }
  return content
}

/** Not bounded: there are only a few dozen parameters. */
const knownParameters = new Map<string, JsonObject>()

function renderParameter(parameter: Parameter): Json {
  const key = `${parameter.in} ${parameter.name}`
  let rendered = knownParameters.get(key)
  if (rendered === undefined) {
    rendered = { name: parameter.name, in: parameter.in }
    if (parameter.in === 'path') rendered['required'] = true
    rendered['schema'] = { type: parameter.type, uniqueItems: true }
    knownParameters.set(key, rendered)
  }
  return rendered
}
