/**
 * Facts: tables of what a real kube-apiserver v1.35.8 reports about its types. Read from disk on first use, then
 * cached. `tools/facts` and the recorder generate them; nothing here is written by hand.
 */
import { readFileSync } from 'node:fs'
import type { Json, JsonObject } from '../api/json.ts'
import type { GroupVersionKind, KubeObject } from '../api/object.ts'
import { LineTable } from './line-table.ts'

/** One OpenAPI v3 schema of `schemas.json`, or a part of one. */
export interface TypeSchema {
  readonly type?: string
  readonly format?: string
  readonly $ref?: string
  readonly allOf?: readonly TypeSchema[]
  readonly oneOf?: readonly TypeSchema[]
  readonly properties?: Readonly<Record<string, TypeSchema>>
  readonly required?: readonly string[]
  readonly items?: TypeSchema
  readonly additionalProperties?: TypeSchema
  readonly default?: Json
  readonly enum?: readonly Json[]
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular'
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[]
}

/** How Go encodes one type: its fields in order as [name, rule, Go type]; see `tools/facts`. */
export interface TypeEncoding {
  readonly go: string
  readonly fields: readonly (readonly [name: string, rule: 'a' | 's' | 'n', goType: string])[]
}

/** A discovery document (`APIGroupDiscoveryList`) of the built-in groups, in the order of the real server. */
export interface GroupDiscoveryList {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: Readonly<Record<string, never>>
  readonly items: readonly GroupDiscovery[]
}

export interface GroupDiscovery {
  /** The core group has no name. */
  readonly metadata: { readonly name?: string }
  readonly versions: readonly VersionDiscovery[]
}

export interface VersionDiscovery {
  readonly version: string
  readonly resources: readonly ResourceDiscovery[]
  readonly freshness: string
}

export interface ResourceDiscovery {
  readonly resource: string
  /** Empty group and version: those of the enclosing group-version. */
  readonly responseKind: GroupVersionKind
  readonly scope: 'Namespaced' | 'Cluster'
  readonly singularResource: string
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly SubresourceDiscovery[]
}

export interface SubresourceDiscovery {
  readonly subresource: string
  readonly responseKind: GroupVersionKind
  readonly verbs: readonly string[]
}

/** One operation of a path. Paths without an action do not belong to a kind (`/version/`, `/apis/apps/v1/`). */
export interface OperationFact {
  readonly action?: string
  readonly kind?: string
  /** Names of query parameters. */
  readonly query: readonly string[]
}

/** OpenAPI v3 document (`apis/apps/v1`) → path → method → operation; paths are sorted. */
export type OperationFacts = Readonly<Record<string, DocumentOperations>>
export type DocumentOperations = Readonly<Record<string, PathOperations>>
export type PathOperations = Readonly<Record<string, OperationFact>>

/** A version that a server serves only on demand. */
export interface OptionalVersion {
  /** That of its APIService. */
  readonly versionPriority: number
  readonly discovery: VersionDiscovery
  readonly operations: DocumentOperations
}

/** A column of `kubectl get`; see `Column` of the registry. */
export interface ColumnFact {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly priority: number
}

/** Number and type of a protobuf field; a leading dot marks the full name of a message in another package. */
export type ProtobufField =
  | readonly [number: number, type: string]
  | readonly [number: number, label: 'list', type: string]
  | readonly [number: number, label: 'map', key: string, value: string]

export type ProtobufMessage = Readonly<Record<string, ProtobufField>>

/** A default role or binding without the metadata that all of them share; `default-roles.ts` adds it. */
export interface DefaultPolicyFact {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly rules?: readonly JsonObject[] | null
  readonly aggregationRule?: JsonObject
  readonly subjects?: readonly JsonObject[]
  readonly roleRef?: JsonObject
}

const bytesOf = (file: string): Buffer => readFileSync(new URL(file, import.meta.url))

function table<T>(file: string): () => T {
  let loaded: T | undefined
  return () => (loaded ??= JSON.parse(bytesOf(file).toString()) as T)
}

function lineTable<T>(file: string): () => LineTable<T> {
  let loaded: LineTable<T> | undefined
  return () => (loaded ??= new LineTable(bytesOf(file)))
}

/** By type name, such as `io.k8s.api.core.v1.Pod`; so are encodings. */
export const schemas = lineTable<TypeSchema>('./schemas.json')
export const encoding = lineTable<TypeEncoding>('./encoding.json')
/** The responses of `/api` and `/apis`. */
export const discovery = table<Readonly<Record<'api' | 'apis', GroupDiscoveryList>>>('./discovery.json')
export const operations = table<OperationFacts>('./operations.json')
/** By group and version, such as `admissionregistration.k8s.io/v1beta1`. */
export const optionalVersions = table<Readonly<Record<string, OptionalVersion>>>('./optional-versions.json')
/** By resource, such as `v1/pods` or `apps/v1/deployments`. */
export const columns = table<Readonly<Record<string, readonly ColumnFact[]>>>('./columns.json')
/** By message name, such as `k8s.io.api.core.v1.Pod`: field name → number and type. */
export const protobuf = lineTable<ProtobufMessage>('./protobuf.json')
/** By plural name, in the order in which a real server creates them. */
export const defaultPolicy = table<Readonly<Record<string, readonly DefaultPolicyFact[]>>>('./rbac.json')

/** The range in the recorded objects, which is kube-apiserver's default. */
export const recordedRange = { cidr: '10.0.0.0/24', firstIp: '10.0.0.1' }

/**
 * The objects that a server creates at startup, by key. Each call returns new objects with `time` as their creation
 * time and without uids. `serviceRange`: the range of cluster IPs, and the first of them.
 */
export function startObjects(
  time: string,
  serviceRange: { readonly cidr: string; readonly firstIp: string } = recordedRange,
): readonly (readonly [key: string, object: KubeObject])[] {
  const text = bytesOf('./start-objects.json')
    .toString()
    .replaceAll(`"${recordedRange.cidr}"`, `"${serviceRange.cidr}"`)
    .replaceAll(/(?<=["/])10\.0\.0\.1"/g, `${serviceRange.firstIp}"`)
    .replaceAll('@now', time)
    .replaceAll('@today', time.slice(0, 10))
  return JSON.parse(text) as [string, KubeObject][]
}
