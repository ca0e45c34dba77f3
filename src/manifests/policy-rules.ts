/** The rules of a role: the smallest set that grants exactly the needed permissions, in a stable order. */
import type { Access, Verb } from '../controller/access.ts'
import type { PolicyRule } from '../schema/builtin/rbac-v1.ts'

const verbOrder: readonly Verb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']

/** Verbs for which RBAC cannot check resource names. */
const nameless: ReadonlySet<Verb> = new Set(['create', 'deletecollection'])

export function policyRules(needed: readonly Access[]): PolicyRule[] {
  const byResource = joined(needed.flatMap(byName), ({ group, resource, names }) => [group, resource, names])
  const rights = [...byResource.values()].map((entries) => ({
    ...(entries[0] as Entry),
    verbs: inOrder(entries.flatMap(({ verbs }) => verbs)),
  }))
  const withoutCovered = rights.filter((right) => !rights.some((other) => covers(other, right)))
  const rules = [...joined(withoutCovered, ({ group, names, verbs }) => [group, names, verbs]).values()].map(
    (entries) => {
      const { group, names, verbs } = entries[0] as Entry
      return {
        apiGroups: [group],
        resources: entries.map(({ resource }) => resource).sort(),
        ...(names.length === 0 ? {} : { resourceNames: [...names] }),
        verbs: [...verbs],
      }
    },
  )
  return rules.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

interface Entry {
  readonly group: string
  readonly resource: string
  readonly names: readonly string[]
  readonly verbs: readonly Verb[]
}

function byName({ kind, subresource, names = [], verbs }: Access): readonly Entry[] {
  const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`
  const entry = { group: kind.group, resource }
  if (names.length === 0) return [{ ...entry, names, verbs }]
  return [
    { ...entry, names: [...names].sort(), verbs: verbs.filter((verb) => !nameless.has(verb)) },
    { ...entry, names: [], verbs: verbs.filter((verb) => nameless.has(verb)) },
  ].filter((each) => each.verbs.length > 0)
}

/** Whether the other entry, for all names, already grants this one for some names. */
function covers(other: Entry, { group, resource, names, verbs }: Entry): boolean {
  return (
    names.length > 0 &&
    other.names.length === 0 &&
    other.group === group &&
    other.resource === resource &&
    verbs.every((verb) => other.verbs.includes(verb))
  )
}

function joined(
  entries: readonly Entry[],
  key: (entry: Entry) => readonly unknown[],
): ReadonlyMap<string, readonly Entry[]> {
  const found = new Map<string, Entry[]>()
  for (const entry of entries) {
    const id = JSON.stringify(key(entry))
    found.set(id, [...(found.get(id) ?? []), entry])
  }
  return found
}

function inOrder(verbs: readonly Verb[]): readonly Verb[] {
  return verbOrder.filter((verb) => verbs.includes(verb))
}

function sortKey({ apiGroups = [], resources = [], resourceNames = [] }: PolicyRule): string {
  return [apiGroups, resources, resourceNames].map((names) => names.join()).join(' ')
}
