/**
 * The objects that one reflector has received, of one namespace or of all. Turns lists and events into notifications:
 * an add only for an absent object, an update or a delete only for a present one.
 */
import { equalJson } from '../api/json.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import type { WatchEvent } from '../client/client.ts'
import { addNotification, deleteNotification, updateNotification, type HandlerNotification } from './handler-feed.ts'
import { Latch } from './latch.ts'
import type { IndexFunction } from './object-index.ts'
import { ObjectStore, type IndexFunctions } from './object-store.ts'
import type { ReflectorStore } from './reflector-store.ts'
import type { StoredForm } from './stored-form.ts'
import type { TimeSlice } from './time-slice.ts'
import { compareResourceVersions } from './resource-version-order.ts'

export interface MirrorOwner<T extends ApiObject> {
  readonly turn: TimeSlice
  readonly form: StoredForm<T>
  readonly indexes: () => IndexFunctions<T>
  /** Called after the store or its version has changed. */
  readonly changed: (changes: readonly HandlerNotification<T>[]) => void
  /** Called before a list of a server that was rolled back replaces the store. */
  readonly setBack: () => void
}

export class Mirror<T extends ApiObject> implements ReflectorStore<T> {
  readonly #owner: MirrorOwner<T>
  #store: ObjectStore<T>
  /** The store that is being filled, to replace the current one. */
  #next: ObjectStore<T>
  #version = ''
  #isTrusted = true
  #isRolledBack = false
  /** Opens when a list is complete. */
  readonly filled = new Latch()

  constructor(owner: MirrorOwner<T>) {
    this.#owner = owner
    this.#store = this.#next = new ObjectStore(owner.indexes())
  }

  get store(): ObjectStore<T> {
    return this.#store
  }

  get version(): string {
    return this.#version
  }

  empty(): ObjectStore<T> {
    return (this.#next = new ObjectStore(this.#owner.indexes()))
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#store.addIndex(name, valuesOf)
    if (this.#next !== this.#store) this.#next.addIndex(name, valuesOf)
  }

  form(object: Live<T>): Live<T> {
    const known = this.#store.counterpart(object)
    if (known === undefined || known.metadata.uid !== object.metadata.uid) return this.#owner.form(object)
    const isSameVersion = known.metadata.resourceVersion === object.metadata.resourceVersion
    if (this.#isTrusted) return isSameVersion ? known : this.#owner.form(object, known)
    const form = this.#owner.form(object, known)
    return isSameVersion && equalJson(form, known) ? known : form
  }

  /**
   * The differences are computed in slices, since nothing else changes the two stores meanwhile. Then the new store
   * takes over and handlers are notified in one tick: first of deletes, then of the others.
   */
  async replace(objects: ObjectStore<T>, version: string): Promise<void> {
    const isInitial = !this.filled.isOpen
    const gone: HandlerNotification<T>[] = []
    const rest: HandlerNotification<T>[] = []
    const { turn } = this.#owner
    for (const object of this.#store.values()) {
      if (objects.counterpart(object)?.metadata.uid !== object.metadata.uid) gone.push(deleteNotification(object, true))
      if (turn.isOver()) await turn.others()
    }
    for (const object of objects.values()) {
      const old = this.#store.counterpart(object)
      if (old === undefined || old.metadata.uid !== object.metadata.uid) rest.push(addNotification(object, isInitial))
      else if (old !== object) rest.push(updateNotification(old, object))
      if (turn.isOver()) await turn.others()
    }
    if (this.#isRolledBack || compareResourceVersions(version, this.#version) < 0) this.#owner.setBack()
    this.#isTrusted = true
    this.#isRolledBack = false
    this.#store = objects
    this.#version = version
    this.filled.open()
    this.#owner.changed(gone.length === 0 ? rest : [...gone, ...rest])
  }

  apply(events: readonly WatchEvent<T>[]): void {
    if (events.length === 0) return
    const changes: HandlerNotification<T>[] = []
    for (const event of events) {
      if (event.type === 'BOOKMARK') {
        this.#version = event.resourceVersion
      } else {
        if (event.type === 'DELETED') this.#remove(event.object, changes)
        else this.#put(event.object, changes)
        this.#version = event.object.metadata.resourceVersion
      }
    }
    this.#owner.changed(changes)
  }

  remove(objects: readonly Live<T>[]): void {
    if (objects.length === 0) return
    for (const { metadata } of objects) this.#store.delete(metadata.namespace ?? '', metadata.name)
    this.#owner.changed(objects.map((object) => deleteNotification(object, true)))
  }

  distrust(isRolledBack: boolean): void {
    this.#isTrusted = false
    this.#isRolledBack ||= isRolledBack
  }

  #put(wire: Live<T>, changes: HandlerNotification<T>[]): void {
    const object = this.form(wire)
    const old = this.#store.put(object)
    if (old === object) return
    if (old === undefined) {
      changes.push(addNotification(object, false))
    } else if (old.metadata.uid === object.metadata.uid) {
      changes.push(updateNotification(old, object))
    } else {
      changes.push(deleteNotification(old, true), addNotification(object, false))
    }
  }

  #remove(wire: Live<T>, changes: HandlerNotification<T>[]): void {
    const { name, namespace = '', uid } = wire.metadata
    const old = this.#store.delete(namespace, name)
    if (old === undefined) return
    const isKnown = old.metadata.uid === uid
    changes.push(deleteNotification(isKnown ? this.#owner.form(wire, old) : old, !isKnown))
  }
}
