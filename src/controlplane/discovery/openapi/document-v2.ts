/**
 * OpenAPI v2: one document for the whole API, from the same operations and schemas as v3. Parameters that many
 * operations share are listed once, under a name that ends in a hash.
 */
import type { Json, JsonObject } from '../../../api/json.ts'
import type { PathEntry } from './builtin-operations.ts'
import type { OperationBody, OpenApiOperation } from './operation.ts'
import { inlineParameters, splitParameters, type Parameter, type SplitParameters } from './parameters.ts'
import { sharedBody, sharedParameter } from './shared-parameters.ts'

const refPrefix = '#/definitions/'

/** `definitions` are v2 schemas by name. Sorts paths and definitions. */
export function documentV2(paths: readonly PathEntry[], definitions: ReadonlyMap<string, Json>): JsonObject {
  const rendered: JsonObject = {}
  const shared = new Map<string, JsonObject>()
  for (const { path, operations } of paths.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    rendered[path] = pathItem(path, operations, shared)
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: '1.35' },
    paths: rendered,
    definitions: sortedObject(definitions),
    parameters: sortedObject(shared),
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  }
}

function sortedObject(entries: ReadonlyMap<string, Json>): JsonObject {
  const sorted: JsonObject = {}
  for (const key of [...entries.keys()].sort()) sorted[key] = entries.get(key) as Json
  return sorted
}

type SharedParameters = Map<string, JsonObject>

function pathItem(path: string, operations: readonly OpenApiOperation[], shared: SharedParameters): JsonObject {
  const item: JsonObject = {}
  const split = splitParameters(path, operations)
  for (const operation of operations) item[operation.method] = renderOperation(operation, split, shared)
  const first = operations[0]
  if (split.shared.length > 0 && first !== undefined) {
    item['parameters'] = split.shared.map((parameter) => renderParameter(parameter, first, shared))
  }
  return item
}

function renderOperation(operation: OpenApiOperation, split: SplitParameters, shared: SharedParameters): JsonObject {
  const rendered: JsonObject = {}
  if (operation.consumes.length > 0) rendered['consumes'] = [...operation.consumes]
  rendered['produces'] = [...operation.produces]
  rendered['schemes'] = ['https']
  rendered['tags'] = [operation.tag]
  rendered['operationId'] = operation.id
  const parameters = inlineParameters(operation, split).map((each) => renderParameter(each, operation, shared))
  if (operation.body !== undefined) parameters.unshift(renderBody(operation.body, shared))
  if (parameters.length > 0) rendered['parameters'] = parameters
  const responses: JsonObject = {}
  for (const { code, schema } of operation.answers) {
    responses[code] = { schema: schema === undefined ? { type: 'string' } : { $ref: refPrefix + schema } }
  }
  responses[401] = {}
  rendered['responses'] = responses
  if (operation.action !== undefined) rendered['x-kubernetes-action'] = operation.action
  if (operation.kind !== undefined) {
    const { group, kind, version } = operation.kind
    rendered['x-kubernetes-group-version-kind'] = { group, kind, version }
  }
  return rendered
}

function renderParameter(parameter: Parameter, operation: OpenApiOperation, shared: SharedParameters): Json {
  const { name, type } = parameter
  const rendered: JsonObject = { uniqueItems: true, type, name, in: parameter.in }
  if (parameter.in === 'path') rendered['required'] = true
  return refer(sharedParameter(parameter, operation), rendered, shared)
}

function renderBody({ schema, required }: OperationBody, shared: SharedParameters): Json {
  const rendered: JsonObject = { name: 'body', in: 'body' }
  if (required) rendered['required'] = true
  rendered['schema'] = { $ref: refPrefix + schema }
  return refer(sharedBody(schema), rendered, shared)
}

/** Returns the parameter itself if it has no shared name. */
function refer(name: string | undefined, rendered: JsonObject, shared: SharedParameters): Json {
  if (name === undefined) return rendered
  shared.set(name, rendered)
  return { $ref: `#/parameters/${name}` }
}
