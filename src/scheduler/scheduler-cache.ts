/**
 * The scheduler's view of the cluster: which pods use which node, and which pods wait. Pod events and the scheduler's
 * own bindings keep it up to date, so that the cost of scheduling a pod does not depend on the number of pods.
 */
import type { Live, Node, Pod } from '../index.ts'
import { hasRequiredAntiAffinity, type ClusterView, type NodeUsage, type PlacedPod } from './affinity.ts'
import { isPending, isUnschedulable, priorityOf } from './pending.ts'
import { nextPodInfo, podInfo, type PodInfo } from './pod-info.ts'
import { allocatableOf, sumOf, type ResourceTotals } from './resources.ts'

class CountedUsage implements NodeUsage {
  readonly used: Record<string, number> = {}
  readonly #pods = new Map<string, PodInfo>()
  #list: readonly PodInfo[] | undefined

  get pods(): readonly PodInfo[] {
    return (this.#list ??= [...this.#pods.values()])
  }

  put(pod: Live<Pod>): void {
    const { uid } = pod.metadata
    const known = this.#pods.get(uid)
    if (known?.pod === pod) return
    const info = known === undefined ? podInfo(pod) : nextPodInfo(known, pod)
    this.#pods.set(uid, info)
    this.#list = undefined
    if (known?.requests === info.requests) return
    if (known !== undefined) this.#count(known, -1)
    this.#count(info, 1)
  }

  remove(uid: string): void {
    const info = this.#pods.get(uid)
    if (info === undefined) return
    this.#pods.delete(uid)
    this.#list = undefined
    this.#count(info, -1)
  }

  #count({ requests }: PodInfo, sign: 1 | -1): void {
    for (const name in requests) this.used[name] = (this.used[name] ?? 0) + sign * (requests[name] ?? 0)
  }
}

/** A pod that the scheduler has bound, or tried to. */
interface Assumed {
  readonly node: string
  /** The server confirmed the binding. Without a response the pod may be bound, so its resources stay reserved. */
  readonly isBound: boolean
}

const unused: NodeUsage = { used: {}, pods: [] }

export class SchedulerCache {
  readonly #usage = new Map<string, CountedUsage>()
  /** The node on which a pod is counted, by uid. */
  readonly #nodeOf = new Map<string, string>()
  /** Pods that the informer still shows without a node, by uid. */
  readonly #assumed = new Map<string, Assumed>()
  readonly #antiAffinityPods = new Map<string, PlacedPod>()
  /** Priorities of pods that have not been tried yet, by uid. */
  readonly #untried = new Map<string, number>()
  /** The number of untried pods, by priority. */
  readonly #untriedCounts = new Map<number, number>()
  /** Pods that wait for their victims to terminate, by uid. */
  readonly #nominated = new Map<string, Live<Pod>>()
  /** Allocatable resources by node name, for the last observed version of the node. */
  readonly #allocatable = new Map<string, { readonly node: Live<Node>; readonly amounts: ResourceTotals }>()

  /** Updates the cache with the informer's pod; undefined: it is gone. */
  update(uid: string, pod: Live<Pod> | undefined): void {
    const { nodeName = '' } = pod?.spec ?? {}
    if (pod === undefined || nodeName !== '') this.#assumed.delete(uid)
    const isOver = pod === undefined || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
    const node = isOver ? undefined : nodeName === '' ? this.#assumed.get(uid)?.node : nodeName
    this.#removeUnlessOn(uid, node)
    if (pod !== undefined && node !== undefined) this.#put(pod, node)
    this.#updateWaiting(uid, pod)
  }

  /** Replaces all pods by those of the informer: corrects what events have missed. */
  replace(pods: readonly Live<Pod>[]): void {
    const present = uidsOf(pods)
    for (const uid of this.#nodeOf.keys()) if (!present.has(uid)) this.update(uid, undefined)
    this.replaceWaiting(pods)
    for (const pod of pods) this.update(pod.metadata.uid, pod)
  }

  /** Replaces all pods without a node. */
  replaceWaiting(pods: readonly Live<Pod>[]): void {
    const present = uidsOf(pods)
    for (const uid of [...this.#untried.keys(), ...this.#nominated.keys()])
      if (!present.has(uid)) this.#updateWaiting(uid, undefined)
  }

  /** Counts the pod on the node before the informer shows it there. */
  assume(pod: Live<Pod>, node: string, isBound: boolean): void {
    const { uid } = pod.metadata
    this.#assumed.set(uid, { node, isBound })
    this.update(uid, pod)
  }

  /** Removes an assumed pod whose binding failed. */
  forget(pod: Live<Pod>): void {
    this.#assumed.delete(pod.metadata.uid)
    this.update(pod.metadata.uid, pod)
  }

  isBound({ metadata }: Live<Pod>): boolean {
    return this.#assumed.get(metadata.uid)?.isBound === true
  }

  /** Whether a pod of higher priority has not been tried yet. */
  hasMoreImportant(pod: Live<Pod>): boolean {
    for (const priority of this.#untriedCounts.keys()) if (priority > priorityOf(pod)) return true
    return false
  }

  /** The cluster as the pod sees it: pods of at least its priority keep the nodes that they are nominated for. */
  viewFor(pod: Live<Pod>): ClusterView {
    const usageOf = (node: string): NodeUsage => this.#usage.get(node) ?? unused
    const antiAffinityPods = [...this.#antiAffinityPods.values()]
    const view = { usageOf, antiAffinityPods: () => antiAffinityPods }
    const nominated = [...this.#nominated.values()].filter(
      (other) => other.metadata.uid !== pod.metadata.uid && priorityOf(other) >= priorityOf(pod),
    )
    if (nominated.length === 0) return view
    const withNominated = [
      ...antiAffinityPods,
      ...nominated
        .filter(hasRequiredAntiAffinity)
        .map((other) => ({ pod: other, node: other.status?.nominatedNodeName ?? '' })),
    ]
    return {
      usageOf: (node) => {
        const { pods, used } = usageOf(node)
        const infos = nominated.filter(({ status }) => status?.nominatedNodeName === node).map(podInfo)
        return { pods: [...pods, ...infos], used: sumOf([used, ...infos.map(({ requests }) => requests)]) }
      },
      antiAffinityPods: () => withNominated,
    }
  }

  allocatableOf(node: Live<Node>): ResourceTotals {
    const { name } = node.metadata
    const known = this.#allocatable.get(name)
    if (known?.node === node) return known.amounts
    const amounts = allocatableOf(node)
    this.#allocatable.set(name, { node, amounts })
    return amounts
  }

  #put(pod: Live<Pod>, node: string): void {
    const { uid } = pod.metadata
    let usage = this.#usage.get(node)
    if (usage === undefined) this.#usage.set(node, (usage = new CountedUsage()))
    usage.put(pod)
    this.#nodeOf.set(uid, node)
    if (hasRequiredAntiAffinity(pod)) this.#antiAffinityPods.set(uid, { pod, node })
  }

  #removeUnlessOn(uid: string, node: string | undefined): void {
    const before = this.#nodeOf.get(uid)
    if (before === undefined || before === node) return
    this.#usage.get(before)?.remove(uid)
    this.#nodeOf.delete(uid)
    this.#antiAffinityPods.delete(uid)
  }

  #updateWaiting(uid: string, pod: Live<Pod> | undefined): void {
    const isWaiting = pod !== undefined && isPending(pod) && !this.#assumed.has(uid)
    if (isWaiting && pod.status?.nominatedNodeName !== undefined) this.#nominated.set(uid, pod)
    else this.#nominated.delete(uid)
    const before = this.#untried.get(uid)
    const priority = isWaiting && !isUnschedulable(pod) ? priorityOf(pod) : undefined
    if (priority === before) return
    if (before !== undefined) this.#countUntried(before, -1)
    if (priority === undefined) this.#untried.delete(uid)
    else this.#untried.set(uid, priority)
    if (priority !== undefined) this.#countUntried(priority, 1)
  }

  #countUntried(priority: number, change: 1 | -1): void {
    const count = (this.#untriedCounts.get(priority) ?? 0) + change
    if (count === 0) this.#untriedCounts.delete(priority)
    else this.#untriedCounts.set(priority, count)
  }
}

function uidsOf(pods: readonly Live<Pod>[]): ReadonlySet<string> {
  return new Set(pods.map(({ metadata }) => metadata.uid))
}
