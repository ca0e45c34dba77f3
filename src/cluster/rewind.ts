/**
 * Makes the stored objects those of a snapshot, by ordinary writes: the server and its clients go on, and see that
 * somebody has undone all changes. Versions are new ones.
 */
import type { KubeObject } from '../api/object.ts'
import type { Store } from '../controlplane/storage/store.ts'
import type { Snapshot } from './embedded-handle.ts'

export function rewind(store: Store, { items }: Snapshot): void {
  const wanted = new Set(items.map(({ key }) => key))
  for (const { key, object, revision } of store.list('/registry/').items)
    if (!wanted.has(key)) store.delete(key, revision, (next) => atRevision(object, next))
  for (const { key, object } of items) {
    const current = store.get(key)
    if (current === undefined || !isSame(current.object, object))
      store.put(key, current?.revision ?? 0, (next) => atRevision(object, next))
  }
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
