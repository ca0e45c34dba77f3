/**
 * The PersistentVolume expander: finds bound claims that ask for more than they have. The volumes of CSI drivers are
 * expanded by the drivers' own controllers, and no other plugin can expand a volume.
 */
import { controller, PersistentVolume, PersistentVolumeClaim, type Live } from '../../index.ts'
import { changed } from '../../controller/index.ts'
import { capacityOfClaim, requestedMilli } from '../../scheduler/index.ts'

export const claimExpander = controller(PersistentVolumeClaim)
  .named('persistentvolume-expander-controller')
  .only(wantsMore)
  .when(changed<PersistentVolumeClaim>(({ spec }) => spec?.resources?.requests?.storage))
  .reads(PersistentVolume)
  .options({ fieldManager: 'kube-controller-manager', eventSource: 'volume_expand' })
  .reconcile(async ({ object: claim, get, event }) => {
    if (!wantsMore(claim)) return
    const volume = await get(PersistentVolume, { name: claim.spec?.volumeName ?? '' })
    if (volume === undefined || volume.spec?.claimRef?.uid !== claim.metadata.uid) return
    event('Normal', 'ExternalExpanding', 'waiting for an external controller to expand this PVC')
  })

function wantsMore(claim: Live<PersistentVolumeClaim>): boolean {
  return claim.status?.phase === 'Bound' && requestedMilli(claim) > capacityOfClaim(claim)
}
