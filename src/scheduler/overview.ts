/**
 * Which pods hold something of which node. Made of all pods, which takes a while where there are many; so one overview serves for
 * several pods that are placed in a row, each of which is added to it. What it does not know yet can only be room that has come.
 */
import type { Live, Pod } from '../index.ts'
import { isLoner, type Placed } from './affinity.ts'
import type { Amounts, NodeSums } from './resources.ts'

/** Milliseconds, and pods, for which an overview serves. */
const longest = 20
const most = 100

export class Overview {
  readonly #until: number
  readonly #onNode = new Map<string, Live<Pod>[]>()
  readonly #loners: Placed[] = []
  readonly #sums: NodeSums
  #left = most

  /** `assumed`: where pods were bound that the cache still shows without a node, by uid. */
  constructor(pods: readonly Live<Pod>[], assumed: ReadonlyMap<string, string>, sums: NodeSums, now: number) {
    this.#until = now + longest
    this.#sums = sums
    for (const pod of pods) {
      const node = pod.spec?.nodeName ?? assumed.get(pod.metadata.uid) ?? ''
      if (node !== '' && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed') this.add(pod, node)
    }
    this.#left = most
  }

  serves(now: number): boolean {
    return now <= this.#until && this.#left > 0
  }

  add(pod: Live<Pod>, node: string): void {
    this.#left--
    const present = this.#onNode.get(node)
    if (present === undefined) this.#onNode.set(node, [pod])
    else present.push(pod)
    if (isLoner(pod)) this.#loners.push({ pod, node })
  }

  /** With pods that are on no node yet, but have been promised room there. */
  with(promised: readonly Placed[]): { podsOn(node: string): readonly Live<Pod>[]; usedOn(node: string): Amounts; loners(): readonly Placed[] } {
    const more = (node: string): readonly Live<Pod>[] => promised.filter((each) => each.node === node).map(({ pod }) => pod)
    const podsOn = (node: string): readonly Live<Pod>[] => {
      const present = this.#onNode.get(node) ?? []
      return promised.length === 0 ? present : [...present, ...more(node)]
    }
    return { podsOn, usedOn: (node) => this.#sums.of(node, podsOn(node)), loners: () => [...this.#loners, ...promised.filter(({ pod }) => isLoner(pod))] }
  }
}
