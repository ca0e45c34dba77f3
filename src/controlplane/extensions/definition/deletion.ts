/**
 * Deletion of a CRD: its objects are deleted first, then the CRD itself.
 *
 * Sequence: a DELETE stores the result of {@link markForDeletion} and responds with it. Then the status of {@link
 * startCleanup} is written, and every object of the CRD is deleted like a client does. When storage has no object left
 * (finalizers may delay that), the result of {@link finishCleanup} is written. It has no finalizer, so the CRD is gone.
 * None of the functions modifies its arguments. `now` is in milliseconds.
 */
import type { KubeObject } from '../../../api/object.ts'
import { timestamp } from '../../../env/env.ts'
import { asObject } from '../../../structural/reading.ts'
import { conditionIs, withDefinitionCondition, type DefinitionCondition } from './conditions.ts'

export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/** The CRD after a DELETE: with deletionTimestamp and finalizer. Its generation and grace period are unchanged. */
export function markForDeletion(crd: KubeObject, now: number): KubeObject {
  const finalizers = crd.metadata.finalizers ?? []
  const metadata = {
    ...crd.metadata,
    deletionTimestamp: crd.metadata.deletionTimestamp ?? timestamp(now),
    finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer],
  }
  return terminating({ ...crd, metadata }, now, {
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  })
}

/** Whether the objects of the CRD must still be deleted. */
export function needsCleanup(crd: KubeObject): boolean {
  return crd.metadata.deletionTimestamp !== undefined && (crd.metadata.finalizers?.includes(cleanupFinalizer) ?? false)
}

/** Written as a status before the objects are deleted. */
export function startCleanup(crd: KubeObject, now: number): KubeObject {
  return terminating(crd, now, {
    status: 'True',
    reason: 'InstanceDeletionInProgress',
    message: 'CustomResource deletion is in progress',
  })
}

/** Written when no object is left, or none could be created. */
export function finishCleanup(crd: KubeObject, now: number): KubeObject {
  const finalizers = (crd.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer)
  const metadata = { ...crd.metadata }
  if (finalizers.length === 0) delete metadata.finalizers
  else metadata.finalizers = finalizers
  const outcome = conditionIs(crd, 'Established', 'True')
    ? { reason: 'InstanceDeletionCompleted', message: 'removed all instances' }
    : { reason: 'NeverEstablished', message: 'resource was never established' }
  return terminating({ ...crd, metadata }, now, { status: 'False', ...outcome })
}

function terminating(crd: KubeObject, now: number, condition: Omit<DefinitionCondition, 'type'>): KubeObject {
  const status = asObject(crd['status'])
  const conditions = withDefinitionCondition(status['conditions'], { type: 'Terminating', ...condition }, now)
  return { ...crd, status: { ...status, conditions } }
}
