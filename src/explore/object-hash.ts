/**
 * Hashes of objects without what differs from run to run: uids, versions, times, allocated addresses (also as the name
 * of an IPAddress) and the object's own generated name. An object is hashed once: stored objects are immutable, and
 * runs from one snapshot share them.
 */
import type { KubeObject } from '../api/object.ts'
import { hashOf, type HashValue } from './search/hash.ts'

const uid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`
const allocatedKey = '(?:clusterIP|podIP|hostIP|nodePort|healthCheckNodePort)s?'
const allocated = String.raw`(?<="${allocatedKey}":)(?!"None")(?:"[^"]*"|\[[^\]]*\]|\d+)`
const varying = new RegExp(`${uid}|${time}|${allocated}`, 'g')

const hashes = new WeakMap<KubeObject, HashValue>()

export function hashOfObject(object: KubeObject): HashValue {
  const known = hashes.get(object)
  if (known !== undefined) return known
  const { uid: _uid, resourceVersion: _version, managedFields = [], name, generateName, ...metadata } = object.metadata
  const managers = managedFields.map((entry) => JSON.stringify(entry)).sort()
  const ownName = object.kind === 'IPAddress' ? undefined : (generateName ?? name)
  const text = JSON.stringify({ ...object, metadata: { ...metadata, name: ownName, managers } })
  const plain = text.replace(varying, '')
  const hash = hashOf(generateName === undefined || name === undefined ? plain : plain.replaceAll(name, ''))
  hashes.set(object, hash)
  return hash
}

/** The state of external systems, without what differs from run to run. */
export function plainText(state: unknown): string {
  return JSON.stringify(state).replace(varying, '')
}

/** The hash of a set of objects, kept up to date: an object that changes is subtracted and added. */
export class HashSum {
  readonly #hashes = new Map<string, HashValue>()
  #value: HashValue = [0, 0]

  get value(): HashValue {
    return this.#value
  }

  /** Undefined: there is no such object. */
  put(key: string, object: KubeObject | undefined): void {
    const [oldA, oldB] = this.#hashes.get(key) ?? [0, 0]
    const hash = object === undefined ? undefined : hashOfObject(object)
    const [a, b] = hash ?? [0, 0]
    this.#value = [(this.#value[0] - oldA + a) >>> 0, (this.#value[1] - oldB + b) >>> 0]
    if (hash === undefined) this.#hashes.delete(key)
    else this.#hashes.set(key, hash)
  }
}
