/**
 * Makes the stored objects those of a snapshot, by ordinary writes: the server and its clients go on, and see that
 * somebody has undone all changes. Versions are new ones.
 */
import type { KubeObject } from '../api/object.ts'
import type { Store } from '../controlplane/storage/store.ts'
import type { Snapshot } from './embedded-handle.ts'

export function rewind(store: Store, { items }: Snapshot): void {
  const wanted = new Map(items.map(({ key, object }) => [key, object]))
  for (const { key, object, revision } of store.list('/registry/').items)
    if (!canBecome(object, wanted.get(key))) store.delete(key, revision, (next) => atRevision(object, next))
  for (const [key, object] of wanted) {
    const current = store.get(key)
    if (current === undefined || !isSame(current.object, object))
      store.put(key, current?.revision ?? 0, (next) => atRevision(object, next))
  }
}

/** By an update: no update changes a uid, or ends a deletion. Controllers rely on it. */
function canBecome({ metadata: current }: KubeObject, wanted: KubeObject | undefined): boolean {
  const isRevived = current.deletionTimestamp !== undefined && wanted?.metadata.deletionTimestamp === undefined
  return wanted?.metadata.uid === current.uid && !isRevived
}

function atRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

/** Stored objects are immutable, and share their fields with the object that they were written from. */
function isSame(a: KubeObject, b: KubeObject): boolean {
  return sameFields(a, b, 'metadata') && sameFields(a.metadata, b.metadata, 'resourceVersion')
}

function sameFields(a: object, b: object, except: string): boolean {
  const [keys, others] = [Object.keys(a), Object.keys(b)]
  return (
    keys.length === others.length &&
    keys.every((key) => key === except || (a as never)[key] === ((b as never)[key] as unknown))
  )
}
