/** Drops empty lists before a write is stored. */
import type { Resource, WriteContext } from '../contract/resource.ts'

/** Groups that upstream stores as JSON, which keeps empty lists. */
const keeping = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/** Upstream stores most kinds as protobuf, which cannot represent an empty list. */
export function dropUnstoredLists(resource: Resource, { decoded }: WriteContext): void {
  if (!keeping.has(resource.group)) decoded?.empty?.dropLists()
}
