/**
 * Custom resources: the {@link Resource}s that a CRD adds to the catalog, one for each served version. All versions of
 * a CRD share one storage prefix, and objects are stored in the storage version.
 */
import { getOwn, type JsonObject } from '../../api/json.ts'
import { compareKubeAwareVersions } from '../../api/kube-version.ts'
import { apiVersionOf, type KubeObject } from '../../api/object.ts'
import { splitPath } from '../../structural/nested-values.ts'
import { asObject, objectOf, objectsOf, textOf } from '../../structural/reading.ts'
import type { Resource } from '../contract/resource.ts'
import { CustomResource, readScale, selectablePaths, type CustomOptions, type SharedParts } from './custom-resource.ts'
import { CustomVersion, CustomVersions } from './versions.ts'

/**
 * The resources of a CRD; none before its names are accepted. A version is compiled when it is first used, so call this
 * when the CRD changes and keep the result. The CRD has been validated and defaulted.
 */
export function customResources(crd: KubeObject, options: CustomOptions = {}): Resource[] {
  const names = acceptedNames(crd)
  if (names === undefined) return []
  const versions = sharedParts(crd, names, options)
  return versions.given
    .filter((version) => version['served'] === true)
    .map((version) => new CustomResource(crd, version, names, versions, options))
}

/** The storage version, served or not; undefined before the names are accepted. */
export function storageResource(crd: KubeObject, options: CustomOptions = {}): Resource | undefined {
  const names = acceptedNames(crd)
  const version = versionsOf(crd).find((candidate) => candidate['storage'] === true)
  if (names === undefined || version === undefined) return undefined
  return new CustomResource(crd, version, names, sharedParts(crd, names, options), options)
}

function sharedParts(crd: KubeObject, names: JsonObject, options: CustomOptions): SharedParts {
  const given = versionsOf(crd)
  const storage = given.find((version) => version['storage'] === true) ?? {}
  const group = textOf(asObject(crd['spec']), 'group')
  const found = given.map((version) => new CustomVersion(version))
  const all = new CustomVersions(group, textOf(names, 'kind'), found, textOf(storage, 'name'), options.converter)
  return { given, newest: newestVersion(given), replicasPaths: replicasPaths(group, given), all }
}

/** What discovery and OpenAPI need about a version beyond its {@link Resource}. */
export interface VersionDetails {
  readonly storageVersion: string
  /** As its author wrote it. */
  readonly schema: JsonObject
  /** JSON paths with their leading dot. */
  readonly selectableFields: readonly string[]
}

/** By the name of the version. */
export function versionDetails(crd: KubeObject): ReadonlyMap<string, VersionDetails> {
  const versions = versionsOf(crd)
  const storage = versions.find((candidate) => candidate['storage'] === true)
  const details = new Map<string, VersionDetails>()
  if (storage === undefined) return details
  const storageVersion = textOf(storage, 'name')
  for (const version of versions) {
    const schema = objectOf(objectOf(version, 'schema'), 'openAPIV3Schema')
    details.set(textOf(version, 'name'), { storageVersion, schema, selectableFields: selectablePaths(version) })
  }
  return details
}

function newestVersion(versions: readonly JsonObject[]): string | undefined {
  let newest: string | undefined
  for (const version of versions) {
    if (version['served'] !== true || version['deprecated'] === true) continue
    const name = textOf(version, 'name')
    if (newest === undefined || compareKubeAwareVersions(newest, name) < 0) newest = name
  }
  return newest
}

function acceptedNames(crd: KubeObject): JsonObject | undefined {
  const names = objectOf(asObject(crd['status']), 'acceptedNames')
  return ['plural', 'singular', 'kind', 'listKind'].every((name) => textOf(names, name) !== '') ? names : undefined
}

function versionsOf(crd: KubeObject): JsonObject[] {
  return objectsOf(asObject(crd['spec']), 'versions')
}

/** The path of the replicas in each version, by apiVersion. */
function replicasPaths(group: string, versions: readonly JsonObject[]): Record<string, readonly string[]> {
  return Object.fromEntries(
    versions.map((version) => {
      const scale = readScale(getOwn(objectOf(version, 'subresources'), 'scale'))
      return [
        apiVersionOf(group, textOf(version, 'name')),
        scale === undefined ? [] : splitPath(scale.specReplicasPath),
      ]
    }),
  )
}
