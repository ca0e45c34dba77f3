/**
 * The state of a server without what differs from run to run: uids, versions, times, generated names, allocated
 * addresses. A uid inside an object is replaced by the name of its object, so that a reference to another object is a
 * difference.
 */
import type { KubeObject } from '../api/object.ts'
import { kindText } from './changes.ts'

/** Normalised objects, by type and name. */
export type State = ReadonlyMap<string, unknown>

export interface StateOptions {
  /** Types to compare: `apps/v1 Deployment`. */
  readonly types: ReadonlySet<string>
  /**
   * Fields to ignore: `status.attempts`, or for one type `apps/v1 ReplicaSet metadata.generation`; `*` stands for any
   * one key or index.
   */
  readonly ignore: readonly string[]
  /** The states of external systems, by name. Each is one object of the type `external NAME`. */
  readonly externals?: Readonly<Record<string, unknown>> | undefined
}

const uidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
/** Allocated values: only their presence is compared. */
const allocated = new Set([
  'clusterIP',
  'clusterIPs',
  'nodePort',
  'healthCheckNodePort',
  'podIP',
  'podIPs',
  'hostIP',
  'hostIPs',
])
const timePattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g

export function stateOf(objects: readonly KubeObject[], { types, ignore, externals = {} }: StateOptions): State {
  const form = new NormalForm(objects, ignore)
  const named = objects
    .filter((object) => types.has(kindText(object)))
    .map((object) => ({ name: `${kindText(object)} ${form.nameOf(object)}`, value: form.of(object), text: '' }))
  for (const each of named) each.text = JSON.stringify(each.value)
  named.sort((a, b) => compareText(a.name, b.name) || compareText(a.text, b.text))
  const state = new Map<string, unknown>()
  const seen = new Map<string, number>()
  for (const { name, value } of named) {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    state.set(count === 1 ? name : `${name} (${count})`, value)
  }
  for (const [name, value] of Object.entries(externals)) state.set(`external ${name}`, form.ofExternal(name, value))
  return state
}

class NormalForm {
  readonly #owners = new Map<string, string>()
  readonly #generated = new Map<string, string>()
  readonly #ignored: readonly { readonly type: string; readonly path: readonly string[] }[]

  constructor(objects: readonly KubeObject[], ignore: readonly string[]) {
    this.#ignored = ignore.map((field) => {
      const space = field.lastIndexOf(' ')
      return { type: field.slice(0, Math.max(space, 0)), path: field.slice(space + 1).split('.') }
    })
    for (const object of objects) {
      const { uid = '', name = '', generateName } = object.metadata
      if (generateName !== undefined) this.#generated.set(name, `${generateName}*`)
      this.#owners.set(uid, `uid of ${kindText(object)} ${this.nameOf(object)}`)
    }
  }

  nameOf({ metadata: { namespace, name = '', generateName } }: KubeObject): string {
    const called = generateName === undefined ? name : `${generateName}*`
    return namespace === undefined ? called : `${namespace}/${called}`
  }

  of(object: KubeObject): unknown {
    const { uid: _uid, resourceVersion: _version, managedFields = [], ...metadata } = object.metadata
    const managers = managedFields
      .map(({ time: _time, ...entry }) => entry)
      .sort((a, b) =>
        compareText(`${a.manager} ${a.operation} ${a.subresource}`, `${b.manager} ${b.operation} ${b.subresource}`),
      )
    return this.#value(
      { ...object, metadata: { ...metadata, ...(managers.length === 0 ? {} : { managedFields: managers }) } },
      [],
      this.#ignoredOf(kindText(object)),
    )
  }

  ofExternal(name: string, state: unknown): unknown {
    return this.#value(state, [], this.#ignoredOf(`external ${name}`))
  }

  #ignoredOf(of: string): readonly (readonly string[])[] {
    return this.#ignored.flatMap(({ type, path }) => (type === '' || type === of ? [path] : []))
  }

  #value(value: unknown, path: readonly string[], ignored: readonly (readonly string[])[]): unknown {
    if (typeof value === 'string') return this.#text(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value))
      return inOrder(value, path).flatMap((item, index) => {
        const at = [...path, String(index)]
        return ignored.some((each) => isAt(each, at)) ? [] : [this.#value(item, at, ignored)]
      })
    const entries = Object.entries(value).map(([key, item]) => [key, [...path, key], item] as const)
    const counts = new Map<string, number>()
    return Object.fromEntries(
      entries
        .filter(([, at]) => !ignored.some((each) => isAt(each, at)))
        .map(([key, at, item]) => [
          numbered(this.#text(key), counts),
          allocated.has(key) && item !== 'None' ? 'given out' : this.#value(item, at, ignored),
        ]),
    )
  }

  #text(text: string): string {
    let plain = text
      .replace(timePattern, 'some time')
      .replace(uidPattern, (uid) => this.#owners.get(uid) ?? 'uid of nothing that is there')
    for (const [name, called] of this.#generated) plain = plain.replaceAll(name, called)
    return plain
  }
}

/** Keys may become equal: uids of objects that are gone. */
function numbered(key: string, counts: Map<string, number>): string {
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  return count === 1 ? key : `${key} (${count})`
}

function isAt(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((part, index) => part === '*' || part === path[index])
}

/** Conditions are compared by type, not by order. */
function inOrder(list: readonly unknown[], path: readonly string[]): readonly unknown[] {
  return path.at(-1) === 'conditions'
    ? (list as readonly { readonly type?: string }[]).toSorted((a, b) => compareText(a.type ?? '', b.type ?? ''))
    : list
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** One line for each difference, up to a maximum. */
export function differences(expected: State, actual: State, most = 20): readonly string[] {
  const lines: string[] = []
  for (const name of new Set([...expected.keys(), ...actual.keys()])) {
    if (!actual.has(name)) lines.push(`${name} is missing`)
    else if (!expected.has(name)) lines.push(`${name} should not be there`)
    else compare(expected.get(name), actual.get(name), name, lines)
    if (lines.length >= most) break
  }
  return lines.slice(0, most)
}

function compare(expected: unknown, actual: unknown, path: string, lines: string[]): void {
  if (Object.is(expected, actual)) return
  const [a, b] = [childrenOf(expected), childrenOf(actual)]
  if (a === undefined || b === undefined) {
    lines.push(`${path}: ${shown(actual)} instead of ${shown(expected)}`)
    return
  }
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
    compare(a[key], b[key], `${path}${path.includes(': ') ? '.' : ': '}${key}`, lines)
}

function childrenOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}
