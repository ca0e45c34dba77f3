/** Catalog: all resources that are served now, built-in and custom, by group, version and plural name. */
import type { Resource } from '../contract/resource.ts'

export class Catalog {
  readonly #byPath = new Map<string, Resource>()
  /** By plural name, then by group: two lookups are faster than building a combined key. */
  readonly #byName = new Map<string, Map<string, Resource>>()
  #onChange: () => void = () => {}

  /** Called after every change, to drop documents derived from the catalog. */
  set onChange(listener: () => void) {
    this.#onChange = listener
  }

  add(resource: Resource): void {
    this.#byPath.set(pathOf(resource.group, resource.version, resource.plural), resource)
    this.#name(resource)
    this.#onChange()
  }

  remove(resource: Resource): void {
    this.#byPath.delete(pathOf(resource.group, resource.version, resource.plural))
    const { group, plural } = resource
    const named = this.#byName.get(plural)
    // Only the version that was added last is found by name: without another one, many versions cost no search each.
    if (named?.get(group) === resource) {
      named.delete(group)
      for (const other of this.#byPath.values()) if (other.group === group && other.plural === plural) this.#name(other)
    }
    this.#onChange()
  }

  #name(resource: Resource): void {
    let groups = this.#byName.get(resource.plural)
    if (groups === undefined) this.#byName.set(resource.plural, (groups = new Map()))
    groups.set(resource.group, resource)
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    const any = this.findAnyVersion(group, plural)
    return any === undefined || any.version === version ? any : this.#byPath.get(pathOf(group, version, plural))
  }

  /** Any served version of a resource. */
  findAnyVersion(group: string, plural: string): Resource | undefined {
    return this.#byName.get(plural)?.get(group)
  }

  /** Whether a group has built-in resources. Unknown resources of such a group get another 404. */
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
