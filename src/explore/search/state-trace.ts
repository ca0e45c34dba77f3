/**
 * Which states the operator's objects go through in a run: after each write of the operator, and at rest. States
 * without what differs from run to run (uids, versions, times, the object's own generated name) are equal if their ids
 * are.
 *
 * An object is hashed once: stored objects are immutable, and runs from one snapshot share them.
 */
import type { KubeObject } from '../../api/object.ts'
import { kindText, type ClusterView, type ObservedChange, type Oracle } from '../changes.ts'
import { hashOf, hashText, type HashValue } from './hash.ts'
import type { SeenState } from './runs.ts'

const varying = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g
const hashes = new WeakMap<KubeObject, HashValue>()

export class StateTrace {
  readonly states: SeenState[] = []
  /** Sees everything, and objects to nothing. */
  readonly oracle: Oracle = {
    name: 'states',
    change: (change, world) => {
      this.#note(change, world)
      return undefined
    },
    rest: (world) => {
      this.#see('rest', world)
      return undefined
    },
  }
  readonly #types: ReadonlySet<string>
  readonly #startMs: number
  #objects: Map<string, HashValue> | undefined
  /** The sum over all objects: one that changes is subtracted and added. */
  #sum: HashValue = [0, 0]

  /** `types`: the operator's, such as `apps/v1 Deployment`. */
  constructor(types: ReadonlySet<string>, startMs: number) {
    this.#types = types
    this.#startMs = startMs
  }

  #note({ type, by, object }: ObservedChange, world: ClusterView): void {
    if (!this.#types.has(kindText(object))) return
    this.#begin(world)
    this.#put(object, type === 'delete' ? undefined : hashOfObject(object))
    if (by === 'operator') this.#see(`${type} ${kindText(object)}`, world)
  }

  #see(phase: string, world: ClusterView): void {
    this.#begin(world)
    this.states.push({ id: `${hashText(this.#sum)} ${phase}`, atMs: world.now - this.#startMs })
  }

  #begin(world: ClusterView): void {
    if (this.#objects !== undefined) return
    this.#objects = new Map()
    for (const object of world.all) if (this.#types.has(kindText(object))) this.#put(object, hashOfObject(object))
  }

  #put(object: KubeObject, hash: HashValue | undefined): void {
    const { namespace = '', name = '' } = object.metadata
    const key = `${kindText(object)} ${namespace}/${name}`
    const [oldA, oldB] = this.#objects?.get(key) ?? [0, 0]
    const [a, b] = hash ?? [0, 0]
    this.#sum = [(this.#sum[0] - oldA + a) >>> 0, (this.#sum[1] - oldB + b) >>> 0]
    if (hash === undefined) this.#objects?.delete(key)
    else this.#objects?.set(key, hash)
  }
}

function hashOfObject(object: KubeObject): HashValue {
  const known = hashes.get(object)
  if (known !== undefined) return known
  const {
    uid: _uid,
    resourceVersion: _version,
    managedFields: _fields,
    name,
    generateName,
    ...metadata
  } = object.metadata
  const text = JSON.stringify({ ...object, metadata: { ...metadata, name: generateName ?? name } })
  const plain = text.replace(varying, '')
  const hash = hashOf(generateName === undefined || name === undefined ? plain : plain.replaceAll(name, ''))
  hashes.set(object, hash)
  return hash
}
