/**
 * What a controller applied last, by owner. Distinguishes drift (the same desired state, but a difference) from a new
 * desired state, and prevents repeated no-op applies. Lost with the process; it stores only digests, so it stays small.
 */
import { hash } from 'node:crypto'
import type { JsonObject } from '../api/json.ts'
import { keyOf, keyText, type LiveObject, type ObjectKey } from '../api/live-object.ts'
import { kindName, type Kind } from '../schema/kind.ts'

interface Memory {
  /** The digest of the last desired state that was in place. */
  desired: string
  /** The digest of a desired state and an object that seemed to differ, but did not. */
  ineffective?: string
}

export class AppliedMemory {
  readonly #byOwner = new Map<string, Map<string, Memory>>()

  /** The memory of the objects of one owner. */
  of(owner: string): OwnerMemory {
    return new OwnerMemory(this.#byOwner, owner)
  }

  forget(owner: string): void {
    this.#byOwner.delete(owner)
  }
}

export class OwnerMemory {
  readonly #byOwner: Map<string, Map<string, Memory>>
  readonly #owner: string

  constructor(byOwner: Map<string, Map<string, Memory>>, owner: string) {
    this.#byOwner = byOwner
    this.#owner = owner
  }

  /** Whether this desired state was in place before; undefined if nothing is known about the object. */
  isSameDesired(kind: Kind, body: JsonObject): boolean | undefined {
    const memory = this.#memories?.get(childOf(kind, body))
    return memory === undefined ? undefined : memory.desired === digest(body)
  }

  knows(kind: Kind, body: JsonObject): boolean {
    return this.#memories?.has(childOf(kind, body)) === true
  }

  inPlace(kind: Kind, body: JsonObject): void {
    let memories = this.#memories
    if (memories === undefined) this.#byOwner.set(this.#owner, (memories = new Map<string, Memory>()))
    memories.set(childOf(kind, body), { desired: digest(body) })
  }

  /** The apply was sent and changed nothing. */
  noteIneffective(kind: Kind, body: JsonObject, existing: LiveObject): void {
    this.inPlace(kind, body)
    const memory = this.#memories?.get(childOf(kind, body))
    if (memory !== undefined) memory.ineffective = applyDigest(body, existing)
  }

  isIneffective(kind: Kind, body: JsonObject, existing: LiveObject): boolean {
    const ineffective = this.#memories?.get(childOf(kind, body))?.ineffective
    return ineffective !== undefined && ineffective === applyDigest(body, existing)
  }

  /** The controller itself has deleted the object. */
  forget(kind: Kind, key: ObjectKey): void {
    this.#memories?.delete(`${kindName(kind)} ${keyText(key)}`)
  }

  get #memories(): Map<string, Memory> | undefined {
    return this.#byOwner.get(this.#owner)
  }
}

function childOf(kind: Kind, body: JsonObject): string {
  return `${kindName(kind)} ${keyText(keyOf(body as unknown as LiveObject))}`
}

/** A digest of everything that an apply depends on, except the status. */
function applyDigest(body: JsonObject, existing: LiveObject): string {
  const { status: _, metadata, ...rest } = existing as unknown as JsonObject
  const { resourceVersion: __, ...kept } = metadata as JsonObject
  return digest([body, kept, rest])
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64')
}
