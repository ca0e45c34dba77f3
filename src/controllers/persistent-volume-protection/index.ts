/** The PersistentVolume protection controller: keeps a deleted volume while it is bound to a claim. */
import { controller, PersistentVolume, type ReconcileContext } from '../../index.ts'
import { needsProtectionSync, syncProtection } from '../shared/protection-finalizer.ts'

const finalizer = 'kubernetes.io/pv-protection'

export const volumeProtection = controller(PersistentVolume)
  .named('persistentvolume-protection-controller')
  .only((volume) => needsProtectionSync(volume, finalizer))
  .options({ fieldManager: 'kube-controller-manager' })
  .deleting(protect)
  .reconcile(protect)

function protect(context: ReconcileContext<PersistentVolume>): Promise<void> {
  return syncProtection(context, finalizer, () => context.object.status?.phase === 'Bound')
}
