/** A handler that checks every notification against its own record and collects the impossible ones. */
import { keyOf, keyText, type ApiObject, type Live } from '../../src/api/live-object.ts'
import type { Handler } from '../../src/cache/cache.ts'

export class Transitions implements Handler<ApiObject> {
  readonly wrong: string[] = []
  readonly #known = new Map<string, Live<ApiObject>>()

  onAdd = (object: Live<ApiObject>): void => {
    if (this.#known.has(nameOf(object))) this.wrong.push(`added twice: ${describe(object)}`)
    this.#known.set(nameOf(object), object)
  }

  onUpdate = (old: Live<ApiObject>, object: Live<ApiObject>): void => {
    const known = this.#known.get(nameOf(object))
    if (known === undefined) this.wrong.push(`updated, though not there: ${describe(object)}`)
    else if (known !== old) this.wrong.push(`updated from ${describe(old)}, though ${describe(known)} was the last`)
    if (old.metadata.uid !== object.metadata.uid)
      this.wrong.push(`updated into another object: ${describe(old)}, ${describe(object)}`)
    if (BigInt(old.metadata.resourceVersion) > BigInt(object.metadata.resourceVersion))
      this.wrong.push(`set back: ${describe(old)}, ${describe(object)}`)
    this.#known.set(nameOf(object), object)
  }

  onDelete = (object: Live<ApiObject>): void => {
    const known = this.#known.get(nameOf(object))
    if (known === undefined) this.wrong.push(`deleted, though not there: ${describe(object)}`)
    else if (known.metadata.uid !== object.metadata.uid)
      this.wrong.push(`another one was deleted: ${describe(known)}, ${describe(object)}`)
    this.#known.delete(nameOf(object))
  }

  get objects(): readonly Live<ApiObject>[] {
    return [...this.#known.values()]
  }
}

function nameOf(object: Live<ApiObject>): string {
  return keyText(keyOf(object))
}

export function describe(object: Live<ApiObject>): string {
  return `${nameOf(object)} ${object.metadata.uid} ${object.metadata.resourceVersion}`
}
