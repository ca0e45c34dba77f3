/**
 * Which states the operator's objects go through in a run: after each write of the operator, and at rest. States are
 * equal, without what differs from run to run, if their ids are.
 */
import type { KubeObject } from '../../api/object.ts'
import { kindText, type ClusterView, type ObservedChange, type Oracle } from '../changes.ts'
import { HashSum } from '../object-hash.ts'
import { hashText } from './hash.ts'
import type { SeenState } from './runs.ts'

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
  #objects: HashSum | undefined

  /** `types`: the operator's, such as `apps/v1 Deployment`. */
  constructor(types: ReadonlySet<string>, startMs: number) {
    this.#types = types
    this.#startMs = startMs
  }

  #note({ type, by, object }: ObservedChange, world: ClusterView): void {
    if (!this.#types.has(kindText(object))) return
    this.#begin(world).put(keyOf(object), type === 'delete' ? undefined : object)
    if (by === 'operator') this.#see(`${type} ${kindText(object)}`, world)
  }

  #see(phase: string, world: ClusterView): void {
    const { value } = this.#begin(world)
    this.states.push({ id: `${hashText(value)} ${phase}`, atMs: world.now - this.#startMs })
  }

  #begin(world: ClusterView): HashSum {
    if (this.#objects !== undefined) return this.#objects
    this.#objects = new HashSum()
    for (const object of world.all) if (this.#types.has(kindText(object))) this.#objects.put(keyOf(object), object)
    return this.#objects
  }
}

function keyOf(object: KubeObject): string {
  const { namespace = '', name = '' } = object.metadata
  return `${kindText(object)} ${namespace}/${name}`
}
