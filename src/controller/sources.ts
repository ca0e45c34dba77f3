/** Turns the events of informers into keys of the queue, with the reason for each. */
import { keyOf, keyText, type ApiObject, type Live, type LiveObject, type ObjectKey } from '../api/live-object.ts'
import type { Cache, HandlerRegistration } from '../cache/cache.ts'
import type { Kind } from '../schema/kind.ts'
import type { ControllerDefinition, MapReads, OwnedOptions, Source } from './definition.ts'
import { controllerOf, refersTo } from './owner-references.ts'
import { trigger, type Trigger } from './triggers.ts'

/** Objects of the initial list and resyncs have a lower priority than current events. */
export const lowPriority = -100

export type Enqueue = (key: string, priority: number, why: Trigger) => void

/**
 * Adds a handler to every informer that the controller declared. The registrations show when the initial lists are
 * complete.
 */
export function startSources<T extends ApiObject>(
  cache: Cache,
  definition: ControllerDefinition<T>,
  enqueue: Enqueue,
): HandlerRegistration[] {
  const reads: MapReads = { lister: (kind) => cache.informer(kind).lister }
  const { kind, when, only } = definition
  const own = follow(
    cache,
    kind,
    { when },
    (object) => (only === undefined || only(object, reads) ? [keyOf(object)] : none),
    enqueue,
  )
  return [
    own,
    ...definition.sources
      .filter(isFollowed)
      .map((source) =>
        source.type === 'watched'
          ? follow(cache, source.kind, source, (object) => source.map(object, reads), enqueue)
          : follow(cache, source.kind, ofOwned(source, kind), (object) => controllerKeys(object, kind), enqueue),
      ),
  ]
}

function isFollowed(source: Source): source is Exclude<Source, { type: 'read' }> {
  return source.type !== 'read'
}

type KeysOf<T extends ApiObject> = (object: Live<T>) => Iterable<ObjectKey>

/** What to follow of a kind. */
type Filters<T extends ApiObject> = Pick<OwnedOptions<T>, 'when' | 'ignoreAdds' | 'ignoreDeletes'>

const none: readonly ObjectKey[] = []

/** The filter of updates is asked only about objects that the kind controls: others of theirs are usually many. */
function ofOwned({ when, ...others }: Filters<ApiObject>, kind: Kind): Filters<ApiObject> {
  if (when === undefined) return others
  const isOwned = (object: Live<ApiObject>): boolean => controllerKeys(object, kind).length > 0
  return { ...others, when: (old, object) => (isOwned(old) || isOwned(object)) && when(old, object) }
}

function controllerKeys(object: Live<ApiObject>, kind: Kind): readonly ObjectKey[] {
  const reference = controllerOf(object)
  if (reference === undefined || !refersTo(reference, kind)) return none
  return [kind.namespaced ? { namespace: object.metadata.namespace, name: reference.name } : { name: reference.name }]
}

function follow<T extends ApiObject>(
  cache: Cache,
  kind: Kind<T>,
  { when, ignoreAdds = false, ignoreDeletes = false }: Filters<T>,
  keys: KeysOf<T>,
  enqueue: Enqueue,
): HandlerRegistration {
  const all = (verb: Trigger['verb'], priority: number, object: Live<T>, old?: Live<T>): void => {
    const before = old === undefined ? none : listed(keys(old))
    const now = listed(keys(object))
    // Of most events of a kind that many controllers watch.
    if (before.length + now.length === 0) return
    const why = trigger(verb, kind.kind, object, old)
    for (const key of new Set([...before, ...now].map(keyText))) enqueue(key, priority, why)
  }
  return cache.informer(kind).addHandler({
    onAdd(object, initial) {
      if (!ignoreAdds) all(initial ? 'start' : 'add', initial ? lowPriority : 0, object)
    },
    onUpdate(old, object) {
      if (old.metadata.resourceVersion === object.metadata.resourceVersion) {
        all('resync', lowPriority, object)
      } else if (isBeingDeletedNow(old, object) || (when?.(old, object) ?? true)) {
        all('update', 0, object, old)
      }
    },
    onDelete(object) {
      if (!ignoreDeletes) all('delete', 0, object)
    },
  })
}

function listed(keys: Iterable<ObjectKey>): readonly ObjectKey[] {
  return Array.isArray(keys) ? (keys as readonly ObjectKey[]) : [...keys]
}

/** No filter hides the start of a deletion: clean-up starts with it. */
function isBeingDeletedNow(old: LiveObject, object: LiveObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && old.metadata.deletionTimestamp === undefined
}
