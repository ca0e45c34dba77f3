/** CSI volumes: the names under which they are attached. */
import { createHash } from 'node:crypto'
import type { coreV1, Live, PersistentVolume } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'

type CsiSource = DeepReadonly<coreV1.CSIPersistentVolumeSource>

export interface CsiVolume {
  readonly volume: Live<PersistentVolume>
  readonly csi: CsiSource
}

/** The name of the VolumeAttachment of a volume and a node. */
export function attachmentName({ driver, volumeHandle }: CsiSource, node: string): string {
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${node}`).digest('hex')}`
}

/** The name of a volume in the status of a node. */
export function volumeName({ driver, volumeHandle }: CsiSource): string {
  return `kubernetes.io/csi/${driver}^${volumeHandle}`
}

/** It can be attached to one node only. */
export function isExclusive({ spec }: Live<PersistentVolume>): boolean {
  const modes = spec?.accessModes ?? []
  return modes.length > 0 && !modes.includes('ReadWriteMany') && !modes.includes('ReadOnlyMany')
}
