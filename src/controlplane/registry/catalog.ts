/** Catalog: every resource that is served, built-in and custom, by group, version and plural name. */
import type { Resource } from './resource.ts'

export class Catalog {
  readonly #byPath = new Map<string, Resource>()
  readonly #groupVersions = new Map<string, Set<Resource>>()
  #onChange: () => void = () => {}

  /** Called after every change, to drop documents made from the catalog. */
  set onChange(listener: () => void) {
    this.#onChange = listener
  }

  add(resource: Resource): void {
    this.#byPath.set(pathOf(resource.group, resource.version, resource.plural), resource)
    const groupVersion = `${resource.group}/${resource.version}`
    const members = this.#groupVersions.get(groupVersion) ?? new Set()
    for (const member of members) if (member.plural === resource.plural) members.delete(member)
    members.add(resource)
    this.#groupVersions.set(groupVersion, members)
    this.#onChange()
  }

  remove(resource: Resource): void {
    this.#byPath.delete(pathOf(resource.group, resource.version, resource.plural))
    const groupVersion = `${resource.group}/${resource.version}`
    const members = this.#groupVersions.get(groupVersion)
    members?.delete(resource)
    if (members?.size === 0) this.#groupVersions.delete(groupVersion)
    this.#onChange()
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(pathOf(group, version, plural))
  }

  /** Any served version of a resource: all versions share their storage. */
  findAnyVersion(group: string, plural: string): Resource | undefined {
    for (const resource of this.#byPath.values()) {
      if (resource.group === group && resource.plural === plural) return resource
    }
    return undefined
  }

  servesGroup(group: string): boolean {
    for (const groupVersion of this.#groupVersions.keys()) if (groupVersion.startsWith(`${group}/`)) return true
    return false
  }

  all(): readonly Resource[] {
    return [...this.#byPath.values()]
  }
}

function pathOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`
}
