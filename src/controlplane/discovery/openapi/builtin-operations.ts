/** The paths and operations of built-in OpenAPI documents, from facts. */
import { apiVersionOf, type GroupVersionKind } from '../../../api/object.ts'
import {
  discovery,
  operations,
  optionalVersions,
  schemas,
  type OperationFact,
  type PathOperations,
  type ResourceDiscovery,
} from '../../../facts/facts.ts'
import {
  apiEncodings,
  builtinDialect,
  metaSchema,
  methods,
  resourceOperation,
  type Method,
  type OpenApiOperation,
  type Target,
} from './operation.ts'
import { groupVersionLabel, operationTag } from './operation-id.ts'

/** One path and its operations, in the order of {@link methods}. */
export interface PathEntry {
  readonly path: string
  readonly operations: readonly OpenApiOperation[]
}

/** The names of all built-in documents: `api/v1`, `apis/apps`, `version`. */
export function builtinDocumentNames(optional: readonly string[]): readonly string[] {
  const names = Object.keys(operations())
  return optional.length === 0 ? names : [...names, ...optional.map((version) => `apis/${version}`)].sort()
}

/** Whether the schema is of a version that is not served: `optional` are those that are, beside the default ones. */
export function isUnserved(schema: string, optional: readonly string[]): boolean {
  return Object.keys(optionalVersions()).some((name) => {
    const [group = '', version = ''] = name.split('/')
    return schema.startsWith(`io.k8s.api.${group.split('.', 1)[0]}.${version}.`) && !optional.includes(name)
  })
}

/** The paths of a document, sorted. */
export function builtinPaths(document: string): readonly PathEntry[] {
  const facts = operations()[document] ?? optionalVersions()[document.slice('apis/'.length)]?.operations
  const paths = Object.entries(facts ?? {})
  return paths.map(([path, methods]) => ({ path, operations: pathOperations(path, methods) }))
}

function pathOperations(path: string, facts: PathOperations): OpenApiOperation[] {
  const found: OpenApiOperation[] = []
  let target: Target | undefined
  for (const method of methods) {
    const fact = facts[method] ?? unrecorded(method, facts)
    if (fact === undefined) continue
    const { action, query } = fact
    if (action === undefined) {
      found.push(plainOperation(path))
    } else {
      target ??= targetOf(path)
      found.push(resourceOperation(path, method, action, query, target, builtinDialect))
    }
  }
  return found
}

/** Proxies accept every method; facts omit two that no other path has. */
function unrecorded(method: Method, facts: PathOperations): OperationFact | undefined {
  const proxied = facts['get']?.action === 'connect' && facts['put'] !== undefined
  return proxied && (method === 'options' || method === 'head') ? facts['get'] : undefined
}

/** `/apis/apps/v1/watch/namespaces/{namespace}/deployments/{name}` is about Deployments. */
function targetOf(path: string): Target {
  const [root, ...rest] = path.slice(1).split('/')
  const group = root === 'api' ? '' : (rest.shift() as string)
  const version = rest.shift() as string
  if (rest[0] === 'watch') rest.shift()
  if (rest[0] === 'namespaces' && rest[1] === '{namespace}') rest.splice(0, 2)
  const [plural = '', , subresource = ''] = rest
  const resource = findResource(group, version, plural)
  const described = resource.subresources?.find((each) => each.subresource === subresource) ?? resource
  const { responseKind } = described
  const kind = responseKind.version === '' ? { group, version, kind: responseKind.kind } : responseKind
  const schema = subresource === 'log' ? undefined : schemaOf(kind)
  return {
    group,
    version,
    kind,
    subresource,
    schema,
    resourceKind: resource.responseKind.kind,
    namespaced: resource.scope === 'Namespaced',
    listSchema: `${schema}List`,
    deleteSchema: schema !== undefined && deletedObjects.has(`${group}/${kind.kind}`) ? schema : statusSchema,
  }
}

const statusSchema = metaSchema('Status')

/** Kinds whose delete returns the object instead of a Status. */
const deletedObjects: ReadonlySet<string> = new Set([
  '/PersistentVolume',
  '/PersistentVolumeClaim',
  '/Pod',
  '/PodTemplate',
  '/ResourceQuota',
  '/Service',
  '/ServiceAccount',
  'resource.k8s.io/DeviceClass',
  'resource.k8s.io/ResourceClaim',
  'resource.k8s.io/ResourceClaimTemplate',
  'resource.k8s.io/ResourceSlice',
  'storage.k8s.io/CSIDriver',
  'storage.k8s.io/CSINode',
  'storage.k8s.io/StorageClass',
  'storage.k8s.io/VolumeAttachment',
  'storage.k8s.io/VolumeAttributesClass',
])

function findResource(group: string, version: string, plural: string): ResourceDiscovery {
  const list = group === '' ? discovery().api : discovery().apis
  const versions = list.items.find((each) => (each.metadata.name ?? '') === group)?.versions
  const found =
    versions?.find((each) => each.version === version) ?? optionalVersions()[`${group}/${version}`]?.discovery
  const resources = found?.resources
  const resource = resources?.find((each) => each.resource === plural)
  if (resource === undefined) throw new Error(`no facts of ${plural} in ${apiVersionOf(group, version)}`)
  return resource
}

let schemaNames: Map<string, string> | undefined

function schemaOf({ group, version, kind }: GroupVersionKind): string | undefined {
  if (schemaNames === undefined) {
    schemaNames = new Map()
    for (const [name, schema] of schemas().entries()) {
      for (const each of schema['x-kubernetes-group-version-kind'] ?? []) {
        schemaNames.set(`${each.group}/${each.version}/${each.kind}`, name)
      }
    }
  }
  return schemaNames.get(`${group}/${version}/${kind}`)
}

/** Paths that are not about a kind, except for those of groups and group-versions. */
const singlePaths: Readonly<Record<string, Omit<OpenApiOperation, 'method' | 'query'>>> = {
  '/.well-known/openid-configuration/': {
    id: 'getServiceAccountIssuerOpenIDConfiguration',
    tag: 'WellKnown',
    consumes: [],
    produces: ['application/json'],
    answers: [{ code: 200, schema: undefined }],
  },
  '/openid/v1/jwks/': {
    id: 'getServiceAccountIssuerOpenIDKeyset',
    tag: 'openid',
    consumes: [],
    produces: ['application/jwk-set+json'],
    answers: [{ code: 200, schema: undefined }],
  },
  '/version/': {
    id: 'getCodeVersion',
    tag: 'version',
    consumes: ['application/json'],
    produces: ['application/json'],
    answers: [{ code: 200, schema: 'io.k8s.apimachinery.pkg.version.Info' }],
  },
  '/api/': discoveryOperation('getCoreAPIVersions', 'core', 'APIVersions'),
  '/apis/': discoveryOperation('getAPIVersions', 'apis', 'APIGroupList'),
}

function discoveryOperation(id: string, tag: string, schema: string): Omit<OpenApiOperation, 'method' | 'query'> {
  const answers = [{ code: 200, schema: metaSchema(schema) }]
  return { id, tag, consumes: apiEncodings, produces: apiEncodings, answers }
}

function plainOperation(path: string): OpenApiOperation {
  const rest = { method: 'get', query: [] } as const
  const single = singlePaths[path]
  if (single !== undefined) return { ...single, ...rest }
  const parts = path.slice(1, -1).split('/')
  const [group = '', version] = parts[0] === 'api' ? ['', parts[1]] : [parts[1], parts[2]]
  const label = groupVersionLabel(group, version)
  const tag = operationTag(group, version)
  if (version === undefined) return { ...discoveryOperation(`get${label}APIGroup`, tag, 'APIGroup'), ...rest }
  return { ...discoveryOperation(`get${label}APIResources`, tag, 'APIResourceList'), ...rest }
}
