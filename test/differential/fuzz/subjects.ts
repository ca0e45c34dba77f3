/** What the fuzzer works on: built-in kinds by their manifests, and the custom resources of `definitions.ts`. */
import type { JsonObject } from '../../../src/api/json.ts'
import { manifests } from '../manifests/index.ts'
import { resource } from '../steps.ts'
import type { Requests } from '../steps.ts'
import { fuzzGroup, shapes } from './definitions.ts'

export interface Subject {
  readonly kind: string
  readonly requests: Requests
  readonly builtIn: boolean
  readonly minimal: JsonObject
  readonly full: JsonObject
  /** Merge patches that make sense. */
  readonly changes: readonly JsonObject[]
  /** A merge patch on the status; undefined without that subresource. */
  readonly status: JsonObject | undefined
  readonly scale: boolean
}

/** Namespaced kinds of many natures: data, workloads, lists by key, lists by several keys, spec without status. */
const builtInKinds = [
  'ConfigMap', 'Secret', 'ServiceAccount', 'Service', 'Pod', 'ReplicationController', 'PersistentVolumeClaim', 'LimitRange',
  'Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'CronJob', 'Ingress', 'NetworkPolicy',
  'PodDisruptionBudget', 'Lease', 'EndpointSlice', 'HorizontalPodAutoscaler', 'Role', 'RoleBinding',
]

const scaled = new Set(['Deployment', 'StatefulSet', 'ReplicaSet', 'ReplicationController'])

function builtIns(): Subject[] {
  return builtInKinds.flatMap((name) => {
    const kind = manifests.find((each) => each.kind === name && each.namespaced)
    if (kind === undefined) return []
    return [{
      kind: name,
      requests: resource(kind.resource, kind.group === '' ? kind.version : `${kind.group}/${kind.version}`),
      builtIn: true,
      minimal: kind.minimal,
      full: kind.full,
      changes: [kind.change, ...kind.bad.map(({ patch }) => patch)],
      status: kind.status,
      scale: scaled.has(name),
    }]
  })
}

function custom(): Subject[] {
  return shapes.map(({ kind, plural, minimal, full, status, scale }) => ({
    kind,
    requests: resource(plural, `${fuzzGroup}/v1`),
    builtIn: false,
    minimal,
    full,
    changes: [],
    status: status ? { status: { phase: 'Ready', replicas: 2, seen: 5, selector: 'a=b' } } : undefined,
    scale,
  }))
}

export const subjects: readonly Subject[] = [...builtIns(), ...custom()]
