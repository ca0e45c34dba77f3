/** Changes that the garbage collector makes. They grant no permissions, so they need no escalation check. */
import { equalJson } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'

/** Whether only owner references, finalizers and managedFields differ. */
export function changesOnlyOwners(object: KubeObject, old: KubeObject): boolean {
  return equalJson(withoutOwners(object), withoutOwners(old))
}

function withoutOwners(object: KubeObject): unknown {
  const metadata: Record<string, unknown> = { ...object.metadata }
  for (const field of ['ownerReferences', 'finalizers', 'managedFields', 'selfLink']) delete metadata[field]
  return { ...object, metadata }
}
