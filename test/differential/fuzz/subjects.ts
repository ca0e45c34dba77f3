/** The kinds of the fuzzer: built-in kinds with their manifests, and the custom resources of `definitions.ts`. */
import type { JsonObject } from '../../../src/api/json.ts'
import { manifests } from '../manifests/index.ts'
import { placed, requestsOf } from '../manifests/placed.ts'
import { clusterResource, resource } from '../steps.ts'
import type { Requests } from '../steps.ts'
import { fuzzGroup, shapes } from './definitions.ts'

/** A version of a kind. */
export interface Served {
  readonly apiVersion: string
  readonly requests: Requests
}

export interface Subject {
  readonly kind: string
  readonly namespaced: boolean
  readonly versions: readonly Served[]
  /** Objects without a name. */
  readonly minimal: JsonObject
  readonly full: JsonObject
  /** Merge patches for the full object, valid and invalid ones. */
  readonly changes: readonly JsonObject[]
  /** A merge patch for the status; undefined without that subresource. */
  readonly status: JsonObject | undefined
  readonly scale: boolean
  /** Field selectors that only this kind has. */
  readonly selectors: readonly string[]
}

/** Kinds that would affect other sequences, or that the real server itself changes. */
const leftOut = new Set([
  'APIService',
  'FlowSchema',
  'PriorityLevelConfiguration',
  'ServiceCIDR',
  'IPAddress',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
])

const scaled = new Set(['Deployment', 'StatefulSet', 'ReplicaSet', 'ReplicationController'])

export const builtInSubjects: readonly Subject[] = manifests
  .filter(({ kind }) => !leftOut.has(kind))
  .map(placed)
  .map((kind) => ({
    kind: kind.kind,
    namespaced: kind.namespaced,
    versions: [{ apiVersion: String(kind.full['apiVersion']), requests: requestsOf(kind) }],
    minimal: unnamed(kind.minimal),
    full: unnamed(kind.full),
    changes: [kind.change, ...kind.bad.map(({ patch }) => patch)],
    status: kind.status,
    scale: scaled.has(kind.kind),
    selectors: [],
  }))

/** The requests set names. A global default priority class would apply to the pods of other sequences. */
function unnamed({ globalDefault: _globalDefault, ...object }: JsonObject): JsonObject {
  const { name: _name, ...metadata } = object['metadata'] as JsonObject
  return { ...object, metadata }
}

export const customSubjects: readonly Subject[] = shapes.map(({ plural, versions, ...shape }) => ({
  ...shape,
  versions: versions.map((version) => {
    const groupVersion = `${fuzzGroup}/${version}`
    return { apiVersion: groupVersion, requests: (shape.namespaced ? resource : clusterResource)(plural, groupVersion) }
  }),
}))

export const subjects: readonly Subject[] = [...builtInSubjects, ...customSubjects]
