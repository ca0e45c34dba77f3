/** Empty lists of a write on their way to the store. */
import type { Resource, WriteContext } from '../contract/resource.ts'

/** Groups that upstream stores as JSON, which keeps them. */
const keeping = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/** As upstream reads it back: protobuf knows no empty list. */
export function dropUnstoredLists(resource: Resource, { decoded }: WriteContext): void {
  if (!keeping.has(resource.group)) decoded?.empty?.dropLists()
}
