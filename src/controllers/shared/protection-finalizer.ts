/** A finalizer that keeps an object while it is in use. Admission adds it to new objects, and this to all others. */
import type { ApiObject, LiveObject, ReconcileContext } from '../../index.ts'

/** The object is protected and being deleted, or is not protected. */
export function needsProtectionSync({ metadata }: LiveObject, finalizer: string): boolean {
  return (metadata.deletionTimestamp !== undefined) === isProtected(metadata, finalizer)
}

export function isProtected({ finalizers }: LiveObject['metadata'], finalizer: string): boolean {
  return finalizers?.includes(finalizer) === true
}

/** Adds the finalizer to an object that lives, and removes it from one that is deleted and not in use. */
export async function syncProtection<T extends ApiObject>(
  { object, patch }: ReconcileContext<T>,
  finalizer: string,
  isUsed: () => boolean | Promise<boolean>,
): Promise<void> {
  if (!needsProtectionSync(object, finalizer)) return
  const others = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer)
  if (object.metadata.deletionTimestamp === undefined) await patch({ metadata: { finalizers: [...others, finalizer] } })
  else if (!(await isUsed())) await patch({ metadata: { finalizers: others } })
}
