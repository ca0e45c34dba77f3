/** Which objects of a kind an event concerns that happened to another object of their namespace. */
import type { MapReads } from '../../controller/index.ts'
import { keyOf, type ApiObject, type Kind, type Live, type LiveObject, type ObjectKey } from '../../index.ts'

const none: readonly ObjectKey[] = []

/** One function for many controllers: each event of a pod calls it several times, mostly for kinds without objects. */
export function keysInNamespace<T extends ApiObject>(
  reads: MapReads,
  kind: Kind<T>,
  { metadata }: LiveObject,
  isConcerned: (each: Live<T>) => boolean,
): readonly ObjectKey[] {
  const objects = reads.lister(kind).list({ namespace: metadata.namespace })
  return objects.length === 0 ? none : objects.filter(isConcerned).map(keyOf)
}
