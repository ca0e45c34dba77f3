/** Empty lists of a write on their way to the store. */
import { dropEmptyLists } from '../../api/emptied.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Resource } from '../contract/resource.ts'

/** Groups that upstream stores as JSON, which keeps them. */
const keeping = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/** As upstream reads it back: protobuf knows no empty list. */
export function dropUnstoredLists(resource: Resource, object: KubeObject): void {
  if (!keeping.has(resource.group)) dropEmptyLists(object)
}
