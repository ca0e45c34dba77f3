/**
 * What a spec has led to, so that it can be compared with what the same spec led to on another way: the state of all
 * objects, without what counts how often they changed.
 */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { kindText } from '../changes.ts'
import { stateOf, type State, type StateOptions } from '../state.ts'

/** How often a Deployment or one of its like has rolled out. */
const revision = 'deployment.kubernetes.io/revision'

export function observedState(objects: readonly KubeObject[], options: StateOptions): State {
  return stateOf(objects.map(withoutCounts), options)
}

/** The explored object, with only what the operator writes of it. */
export function asOperatorWrites(object: KubeObject): KubeObject {
  const { apiVersion = '', kind = '', metadata } = object
  const { name, namespace, uid, finalizers } = metadata
  const { generation = 0 } = metadata
  const status = object['status']
  return { apiVersion, kind, metadata: { name, namespace, uid, finalizers, generation }, status } as KubeObject
}

/** What the user writes. */
export function contentOf(object: KubeObject): JsonObject {
  const { metadata: _, status: __, ...content } = object
  return content
}

export function isSame(a: KubeObject, b: KubeObject): boolean {
  return (
    kindText(a) === kindText(b) && a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace
  )
}

/** Generations are replaced by how far they have been observed. */
function withoutCounts(object: KubeObject): KubeObject {
  const { generation, annotations, ...metadata } = object.metadata
  const status = object['status']
  const { [revision]: _, ...kept } = annotations ?? {}
  return {
    ...object,
    metadata: { ...metadata, ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }) },
    ...(status === undefined ? {} : { status: relative(status as JsonObject, generation ?? 0) }),
  }
}

function relative(status: JsonObject, generation: number): JsonObject {
  return JSON.parse(
    JSON.stringify(status, (key, value: unknown) =>
      key === 'observedGeneration' && typeof value === 'number' ? `${generation - value} behind` : value,
    ),
  ) as JsonObject
}
