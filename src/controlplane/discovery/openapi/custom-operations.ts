/** The OpenAPI operations of custom resources: the same for all, except for scope and subresources. */
import type { Resource } from '../../contract/resource.ts'
import type { PathEntry } from './builtin-operations.ts'
import { customListName, customTypeName } from './custom-schema.ts'
import { customDialect, metaSchema, methods, resourceOperation, type Method, type Target } from './operation.ts'

const listQuery = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'pretty',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
]
const writeQuery = ['dryRun', 'fieldManager', 'fieldValidation', 'pretty']

/** The action of each method and its query parameters. */
type Actions = Partial<Record<Method, readonly [action: string, query: readonly string[]]>>

const readList: Actions = { get: ['list', listQuery] }
const onCollection: Actions = {
  ...readList,
  post: ['post', writeQuery],
  delete: ['deletecollection', listQuery],
}
const onSubresource: Actions = {
  get: ['get', ['pretty', 'resourceVersion']],
  put: ['put', writeQuery],
  patch: ['patch', [...writeQuery, 'force']],
}
const onObject: Actions = {
  ...onSubresource,
  delete: [
    'delete',
    [
      'dryRun',
      'gracePeriodSeconds',
      'ignoreStoreReadErrorWithClusterBreakingPotential',
      'orphanDependents',
      'pretty',
      'propagationPolicy',
    ],
  ],
}

/** The paths of one version of a custom resource, sorted. */
export function customPaths(resource: Resource): readonly PathEntry[] {
  const { group, version, kind, plural } = resource
  const target: Target = {
    group,
    version,
    resourceKind: kind,
    namespaced: resource.namespaced,
    subresource: '',
    kind: { group, version, kind },
    schema: customTypeName(group, version, kind),
    listSchema: customListName(resource),
    deleteSchema: metaSchema('Status'),
  }
  const root = `/apis/${group}/${version}`
  const collection = resource.namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`
  const object = `${collection}/{name}`
  const entries = [pathEntry(collection, onCollection, target), pathEntry(object, onObject, target)]
  if (resource.namespaced) entries.push(pathEntry(`${root}/${plural}`, readList, target))
  if (resource.subresources.has('status')) {
    entries.push(pathEntry(`${object}/status`, onSubresource, { ...target, subresource: 'status' }))
  }
  if (resource.subresources.has('scale')) {
    const scale = { ...target, subresource: 'scale', schema: 'io.k8s.api.autoscaling.v1.Scale' }
    entries.push(pathEntry(`${object}/scale`, onSubresource, scale))
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function pathEntry(path: string, actions: Actions, target: Target): PathEntry {
  const operations = methods.flatMap((method) => {
    const found = actions[method]
    return found === undefined ? [] : [resourceOperation(path, method, ...found, target, customDialect)]
  })
  return { path, operations }
}
