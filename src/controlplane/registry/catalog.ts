/** Catalog: every resource that is served, built-in and custom, by group, version and plural name. */
import type { Resource } from './resource.ts'

export class Catalog {
  readonly #byPath = new Map<string, Resource>()
  readonly #byName = new Map<string, Resource>()
  #onChange: () => void = () => {}

  /** Called after every change, to drop documents made from the catalog. */
  set onChange(listener: () => void) {
    this.#onChange = listener
  }

  add(resource: Resource): void {
    this.#byPath.set(pathOf(resource.group, resource.version, resource.plural), resource)
    this.#byName.set(`${resource.group}/${resource.plural}`, resource)
    this.#onChange()
  }

  remove(resource: Resource): void {
    this.#byPath.delete(pathOf(resource.group, resource.version, resource.plural))
    const name = `${resource.group}/${resource.plural}`
    this.#byName.delete(name)
    for (const other of this.#byPath.values()) if (`${other.group}/${other.plural}` === name) this.#byName.set(name, other)
    this.#onChange()
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(pathOf(group, version, plural))
  }

  /** Any served version of a resource. */
  findAnyVersion(group: string, plural: string): Resource | undefined {
    return this.#byName.get(`${group}/${plural}`)
  }

  /** Whether a group is built in: what is unknown there is answered otherwise than elsewhere. */
  hasBuiltins(group: string): boolean {
    for (const resource of this.#byPath.values()) if (resource.builtin && resource.group === group) return true
    return false
  }

  all(): readonly Resource[] {
    return [...this.#byPath.values()]
  }
}

function pathOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`
}
