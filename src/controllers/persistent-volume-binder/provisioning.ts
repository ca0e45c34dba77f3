/** Claims without a volume: the default class, and the request for a new volume of an external provisioner. */
import { mutableCopy, PersistentVolumeClaim, StorageClass, type Live, type ReconcileContext } from '../../index.ts'
import { namesClass, volumeAnnotations } from '../../scheduler/index.ts'

type ClaimContext = ReconcileContext<PersistentVolumeClaim>

const defaultClassMarks = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

/** In-tree provisioners that CSI drivers have replaced. */
const csiDrivers: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': 'ebs.csi.aws.com',
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
}

/** Gives a claim that names no class the default class, which may be newer than the claim. True if there is one. */
export async function assignDefaultClass(context: ClaimContext): Promise<boolean> {
  const { object: claim, client, signal } = context
  if (namesClass(claim)) return false
  const found = defaultClass(await context.list(StorageClass))
  if (found === undefined) return false
  const copy = mutableCopy(claim)
  copy.spec = { ...copy.spec, storageClassName: found.metadata.name }
  await client.update(PersistentVolumeClaim, copy, { signal })
  return true
}

export function isDefaultClass({ metadata }: Live<StorageClass>): boolean {
  return defaultClassMarks.some((mark) => metadata.annotations?.[mark] === 'true')
}

/** Of several default classes the newest, then the first by name. */
function defaultClass(classes: readonly Live<StorageClass>[]): Live<StorageClass> | undefined {
  const age = ({ metadata }: Live<StorageClass>): string => metadata.creationTimestamp ?? ''
  return classes
    .filter(isDefaultClass)
    .sort((a, b) => (age(a) === age(b) ? (a.metadata.name < b.metadata.name ? -1 : 1) : age(a) > age(b) ? -1 : 1))[0]
}

/** Asks the provisioner of the class for a volume, by an annotation of the claim. */
export async function provision(
  { object: claim, client, signal, event }: ClaimContext,
  className: string,
  found: Live<StorageClass> | undefined,
): Promise<void> {
  if (found === undefined) {
    event('Warning', 'ProvisioningFailed', `storageclass.storage.k8s.io "${className}" not found`)
    return
  }
  const provisioner = csiDrivers[found.provisioner] ?? found.provisioner
  if (provisioner.startsWith('kubernetes.io/')) {
    event('Warning', 'ProvisioningFailed', `no volume plugin matched name: ${provisioner}`)
    return
  }
  if (claim.metadata.annotations?.[volumeAnnotations.provisioner] !== provisioner) {
    const copy = mutableCopy(claim)
    copy.metadata.annotations = {
      ...copy.metadata.annotations,
      [volumeAnnotations.betaProvisioner]: provisioner,
      [volumeAnnotations.provisioner]: provisioner,
    }
    await client.update(PersistentVolumeClaim, copy, { signal })
  }
  event(
    'Normal',
    'ExternalProvisioning',
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the ` +
      'system administrator. If volume creation is delayed, please verify that the provisioner is running and ' +
      'correctly registered.',
  )
}
