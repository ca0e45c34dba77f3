/** The scale subresource of built-in workloads: `spec.replicas`, `status.replicas` and the selector. */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject, ObjectMeta } from '../../api/object.ts'
import type { ScaleAccess } from '../contract/resource.ts'
import { tryLabelSelector } from './shared/label-selector.ts'
import { int, specOf, struct } from './shared/values.ts'

/** A Scale has only these fields of the object's metadata. */
const shown = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'] as const

function builtinScale(selectorText: (spec: JsonObject | undefined) => string): ScaleAccess {
  return {
    path: ['spec', 'replicas'],
    read(object) {
      const spec = struct(object.spec)
      const metadata: ObjectMeta = {}
      for (const field of shown) {
        const value = object.metadata[field]
        if (value !== undefined) metadata[field] = value
      }
      const replicas = int(spec?.replicas)
      const selector = selectorText(spec)
      const status: JsonObject = { replicas: int(struct(object.status)?.replicas) }
      if (selector !== '') status.selector = selector
      return {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata,
        spec: replicas === 0 ? {} : { replicas },
        status,
      }
    },
    write: (object: KubeObject, replicas: number) => {
      specOf(object).replicas = replicas
    },
  }
}

const bySelector = builtinScale((spec) => String(tryLabelSelector(spec?.selector) ?? ''))
const byLabels = builtinScale((spec) => String(tryLabelSelector({ matchLabels: spec?.selector ?? {} }) ?? ''))

/** The selector of a ReplicationController is a map of labels. */
export function scaleOf(kind: string): ScaleAccess {
  return kind === 'ReplicationController' ? byLabels : bySelector
}
