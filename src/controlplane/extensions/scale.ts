/** The scale subresource of custom resources: reads and writes replicas at the paths of the CRD. */
import { getOwn, isObject, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError, ApiError } from '../../api/status.ts'
import { AccessError, nestedInteger, nestedText, splitPath, type ScalePaths } from '../../structural/nested-values.ts'
import type { ScaleAccess } from '../contract/resource.ts'

/** The scale of a custom resource. Reading fails with a 500 if the object has no replicas at the path of the CRD. */
export function customScale(paths: ScalePaths): ScaleAccess {
  const specPath = splitPath(paths.specReplicasPath)
  const statusPath = splitPath(paths.statusReplicasPath)
  const selectorPath = (paths.labelSelectorPath ?? '') === '' ? undefined : splitPath(paths.labelSelectorPath as string)
  return {
    path: specPath,
    read(object, missing) {
      const content = object
      try {
        const replicas = nestedInteger(content, specPath)
        const current = nestedInteger(content, statusPath) ?? 0
        const selector = selectorPath === undefined ? undefined : nestedText(content, selectorPath)
        if (replicas === undefined && missing === undefined) {
          throw internalError(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`)
        }
        return scaleObject(object, replicas ?? missing ?? 0, current, selector ?? '')
      } catch (error) {
        throw error instanceof AccessError ? apiError.internal(error.message) : error
      }
    },
    write: (object, replicas) => writeNested(object, specPath, replicas),
  }
}

function scaleObject(object: KubeObject, replicas: number, current: number, selector: string): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const metadata: KubeObject['metadata'] = {}
  if (name !== undefined) metadata.name = name
  if (namespace !== undefined && namespace !== '') metadata.namespace = namespace
  if (uid !== undefined) metadata.uid = uid
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion
  if (creationTimestamp !== undefined) metadata.creationTimestamp = creationTimestamp
  const status: JsonObject = { replicas: current | 0 }
  if (selector !== '') status['selector'] = selector
  const wanted = replicas | 0
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata,
    spec: wanted === 0 ? {} : { replicas: wanted },
    status,
  }
}

/** Creates missing parent objects; fails if a parent is not an object. */
function writeNested(object: JsonObject, path: readonly string[], value: Json): void {
  let at = object
  for (const [i, name] of path.slice(0, -1).entries()) {
    let next = getOwn(at, name)
    if (next === undefined) {
      next = {}
      setOwn(at, name, next)
    }
    if (!isObject(next)) {
      const way = path
        .slice(0, i + 1)
        .map((part) => `.${part}`)
        .join('')
      throw apiError.internal(`value cannot be set because ${way} is not a map[string]interface{}`)
    }
    at = next
  }
  setOwn(at, path[path.length - 1] as string, value)
}

/** A 500 with the reason InternalError and the text as the cause. */
function internalError(text: string): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${text}`,
    reason: 'InternalError',
    details: { causes: [{ message: text }] },
    code: 500,
  })
}
