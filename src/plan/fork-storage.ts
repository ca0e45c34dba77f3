/** Storage in a copy of a cluster: its volumes can be reached from every node, and every class is simulated. */
import { isObject, type JsonObject } from '../api/json.ts'
import { simulatedDriver } from '../cluster/live-cluster.ts'
import type { Manifest } from './manifest.ts'

/** The classes of a cluster keep their names; their provisioners are not there. */
export function simulatedClass(storageClass: JsonObject): JsonObject {
  const { allowedTopologies: _topologies, ...rest } = storageClass
  return { ...rest, provisioner: simulatedDriver }
}

/** The nodes of the copy have other names and labels. */
export function withoutNodes({ nodeAffinity: _nodes, ...spec }: JsonObject): JsonObject {
  return spec
}

/** Volumes for bound claims whose own volumes were not read. Without a volume a claim would be lost. */
export function standInVolumes(objects: readonly Manifest[]): readonly Manifest[] {
  const present = new Set(objects.filter((object) => isCore(object, 'PersistentVolume')).map(nameOf))
  return objects.flatMap((claim) => {
    const { spec, status } = claim
    if (!isCore(claim, 'PersistentVolumeClaim') || !isObject(spec) || !isObject(status)) return []
    const { volumeName, storageClassName, volumeMode, volumeAttributesClassName } = spec
    if (status['phase'] !== 'Bound' || typeof volumeName !== 'string' || present.has(volumeName)) return []
    const { namespace, name, uid } = claim.metadata
    const given = { storageClassName, volumeMode, volumeAttributesClassName }
    const volume = {
      accessModes: status['accessModes'] ?? spec['accessModes'],
      capacity: status['capacity'] ?? (isObject(spec['resources']) ? spec['resources']['requests'] : undefined),
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
      csi: { driver: simulatedDriver, volumeHandle: volumeName },
      persistentVolumeReclaimPolicy: 'Retain',
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    } as JsonObject
    return [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: volumeName },
        spec: volume,
        status: { phase: 'Bound' },
      },
    ]
  })
}

function isCore({ apiVersion, kind }: Manifest, wanted: string): boolean {
  return apiVersion === 'v1' && kind === wanted
}

function nameOf({ metadata }: Manifest): string {
  return metadata.name ?? ''
}
