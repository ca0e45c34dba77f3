/** Changes by which garbage is collected: they give nobody rights, so everybody who may update may make them. */
import { equalJson } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'

/** Whether nothing differs but owners, finalizers and who manages which field. */
export function changesOnlyOwners(object: KubeObject, old: KubeObject): boolean {
  return equalJson(withoutOwners(object), withoutOwners(old))
}

function withoutOwners(object: KubeObject): unknown {
  const metadata: Record<string, unknown> = { ...object.metadata }
  for (const field of ['ownerReferences', 'finalizers', 'managedFields', 'selfLink']) delete metadata[field]
  return { ...object, metadata }
}
