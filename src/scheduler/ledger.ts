/**
 * Who is where: which pods hold something of which node, and who waits. Kept by the events of pods and by what the
 * scheduler gives away itself, so that placing a pod costs the same however many there are.
 */
import type { Live, Pod } from '../index.ts'
import { isLoner, type Placed, type Placement } from './affinity.ts'
import { isPending, priorityOf, wasRefused } from './pending.ts'
import { requestsOf, type Amounts } from './resources.ts'

/** What is held of one node. */
class Share {
  readonly used: Record<string, number> = {}
  readonly #pods = new Map<string, Live<Pod>>()
  #list: readonly Live<Pod>[] | undefined

  get pods(): readonly Live<Pod>[] {
    return (this.#list ??= [...this.#pods.values()])
  }

  put(pod: Live<Pod>): void {
    this.take(pod.metadata.uid)
    this.#pods.set(pod.metadata.uid, pod)
    this.#count(pod, 1)
  }

  take(uid: string): void {
    const pod = this.#pods.get(uid)
    if (pod === undefined) return
    this.#pods.delete(uid)
    this.#count(pod, -1)
  }

  #count(pod: Live<Pod>, sign: 1 | -1): void {
    const amounts = requestsOf(pod)
    for (const name in amounts) this.used[name] = (this.used[name] ?? 0) + sign * (amounts[name] ?? 0)
    this.#list = undefined
  }
}

interface Given {
  readonly node: string
  /** The server has said so. Without an answer the pod may be there, and its room is not given away. */
  readonly isSure: boolean
}

const nothing: Amounts = {}
const nobody: readonly never[] = []

export class Ledger {
  readonly #shares = new Map<string, Share>()
  /** By uid: the node on which the pod is counted. */
  readonly #places = new Map<string, string>()
  /** By uid: bound, but the cache still shows them without a node. */
  readonly #given = new Map<string, Given>()
  readonly #loners = new Map<string, Placed>()
  /** Of those that have not been looked at, by uid. */
  readonly #newcomers = new Map<string, number>()
  /** How many newcomers there are, by priority. */
  readonly #ranks = new Map<number, number>()
  /** Those for which room is being made, by uid. */
  readonly #nominated = new Map<string, Live<Pod>>()

  /** The pod as the cache has it now; undefined: it is gone. */
  saw(uid: string, pod: Live<Pod> | undefined): void {
    const { nodeName = '' } = pod?.spec ?? {}
    if (pod === undefined || nodeName !== '') this.#given.delete(uid)
    const isOver = pod === undefined || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
    const node = isOver ? undefined : nodeName === '' ? this.#given.get(uid)?.node : nodeName
    this.#leave(uid, node)
    if (pod !== undefined && node !== undefined) this.#put(pod, node)
    this.#noteWaiting(uid, pod)
  }

  /** Everybody, as the cache has them: what no event has told is found here. */
  sawAll(pods: readonly Live<Pod>[]): void {
    const present = uidsOf(pods)
    for (const uid of this.#places.keys()) if (!present.has(uid)) this.saw(uid, undefined)
    this.sawWaiting(pods)
    for (const pod of pods) this.saw(pod.metadata.uid, pod)
  }

  /** The same, of those that have no node: nobody else waits. */
  sawWaiting(pods: readonly Live<Pod>[]): void {
    const present = uidsOf(pods)
    for (const uid of [...this.#newcomers.keys(), ...this.#nominated.keys()])
      if (!present.has(uid)) this.#noteWaiting(uid, undefined)
  }

  /** The pod goes to the node. */
  give(pod: Live<Pod>, node: string, isSure: boolean): void {
    const { uid } = pod.metadata
    this.#given.set(uid, { node, isSure })
    this.saw(uid, pod)
  }

  /** It does not go there after all. */
  takeBack(pod: Live<Pod>): void {
    this.#given.delete(pod.metadata.uid)
    this.saw(pod.metadata.uid, pod)
  }

  isBound({ metadata }: Live<Pod>): boolean {
    return this.#given.get(metadata.uid)?.isSure === true
  }

  /** Somebody who matters more has not been looked at yet. */
  hasMoreImportant(pod: Live<Pod>): boolean {
    for (const rank of this.#ranks.keys()) if (rank > priorityOf(pod)) return true
    return false
  }

  /** What the pod finds on nodes. Where room was made for another that matters as much, that room is its own. */
  seenBy(pod: Live<Pod>): Pick<Placement, 'podsOn' | 'usedOn' | 'loners'> {
    const podsOn = (node: string): readonly Live<Pod>[] => this.#shares.get(node)?.pods ?? nobody
    const usedOn = (node: string): Amounts => this.#shares.get(node)?.used ?? nothing
    const loners = [...this.#loners.values()]
    const promised = [...this.#nominated.values()].filter(
      (other) => other.metadata.uid !== pod.metadata.uid && priorityOf(other) >= priorityOf(pod),
    )
    if (promised.length === 0) return { podsOn, usedOn, loners: () => loners }
    const guests = (node: string): Live<Pod>[] => promised.filter(({ status }) => status?.nominatedNodeName === node)
    const lonely = [
      ...loners,
      ...promised.filter(isLoner).map((other) => ({ pod: other, node: other.status?.nominatedNodeName ?? '' })),
    ]
    return {
      podsOn: (node) => [...podsOn(node), ...guests(node)],
      usedOn: (node) => guests(node).reduce((sum, guest) => added(sum, requestsOf(guest)), usedOn(node)),
      loners: () => lonely,
    }
  }

  #put(pod: Live<Pod>, node: string): void {
    const { uid } = pod.metadata
    let share = this.#shares.get(node)
    if (share === undefined) this.#shares.set(node, (share = new Share()))
    share.put(pod)
    this.#places.set(uid, node)
    if (isLoner(pod)) this.#loners.set(uid, { pod, node })
  }

  /** Unless it stays on that node. */
  #leave(uid: string, node: string | undefined): void {
    const place = this.#places.get(uid)
    if (place === undefined || place === node) return
    this.#shares.get(place)?.take(uid)
    this.#places.delete(uid)
    this.#loners.delete(uid)
  }

  #noteWaiting(uid: string, pod: Live<Pod> | undefined): void {
    const isWaiting = pod !== undefined && isPending(pod) && !this.#given.has(uid)
    if (isWaiting && pod.status?.nominatedNodeName !== undefined) this.#nominated.set(uid, pod)
    else this.#nominated.delete(uid)
    const before = this.#newcomers.get(uid)
    const rank = isWaiting && !wasRefused(pod) ? priorityOf(pod) : undefined
    if (rank === before) return
    if (before !== undefined) this.#rank(before, -1)
    if (rank === undefined) this.#newcomers.delete(uid)
    else this.#newcomers.set(uid, rank)
    if (rank !== undefined) this.#rank(rank, 1)
  }

  #rank(rank: number, change: 1 | -1): void {
    const count = (this.#ranks.get(rank) ?? 0) + change
    if (count === 0) this.#ranks.delete(rank)
    else this.#ranks.set(rank, count)
  }
}

function uidsOf(pods: readonly Live<Pod>[]): ReadonlySet<string> {
  return new Set(pods.map(({ metadata }) => metadata.uid))
}

function added(to: Amounts, more: Amounts): Amounts {
  const sum: Record<string, number> = { ...to }
  for (const name in more) sum[name] = (sum[name] ?? 0) + (more[name] ?? 0)
  return sum
}
