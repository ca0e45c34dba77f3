/**
 * The rules for every single write, by any writer. The bounds cover all values since the cluster was last settled: a
 * controller that has not seen a user's change yet may still act on the previous spec.
 */
import { controllerOf } from '../../src/index.ts'
import type { TransportRequest } from '../../src/client/transport.ts'
import type { StoreEvent } from '../../src/controlplane/storage/store.ts'
import {
  boundsOf,
  ClusterState,
  cpuOf,
  isActive,
  isAvailable,
  isFinished,
  type LiveDeployment,
  type LivePod,
  type LiveSet,
} from './cluster-state.ts'
import { secondPod } from './daemon-sets.ts'
import { JobRules } from './job-rules.ts'
import type { World } from './world.ts'

interface Allowance {
  most: number
  least: number
  /** All pods were available and there were only rollouts since then: the minimum must stay available. */
  calm: boolean
}

export class Rules {
  readonly violations: string[] = []
  readonly state: ClusterState
  readonly jobs: JobRules
  readonly #world: World
  readonly #allowed = new Map<string, Allowance>()
  /** The largest size of each ReplicaSet. */
  readonly #sizes = new Map<string, number>()
  /** Pods or ReplicaSets were adopted, so their owners are not responsible for their number. */
  #adopted = false
  /** Pods whose creation succeeded without a response: their controllers cannot know that they exist. */
  #unknown = 0

  constructor(world: World) {
    this.#world = world
    this.state = new ClusterState(world.plane.store)
    this.jobs = new JobRules(this.state)
    world.plane.store.watch('/registry/', world.plane.store.revision, (event) => this.#check(event))
    world.onMisled = (request) => this.#misled(request)
  }

  /** The cluster is settled: bounds of earlier specs do not apply any more. */
  rested(): void {
    this.#allowed.clear()
    this.#sizes.clear()
    this.#adopted = false
    this.#unknown = 0
    this.jobs.rested()
    for (const set of this.state.sets) this.#noteSize(set)
    for (const deployment of this.state.deployments) {
      const { most, least } = this.#note(deployment)
      const available = this.#availableOf(deployment)
      this.#allowed.set(deployment.metadata.uid, { most, least, calm: available >= (deployment.spec?.replicas ?? 1) })
    }
  }

  /** Pods or nodes were removed, so Deployments are not responsible for the number of available pods. */
  disturbed(): void {
    for (const allowance of this.#allowed.values()) allowance.calm = false
  }

  /** A response was lost, or a request was sent twice. */
  #misled({ method, path }: TransportRequest): void {
    if (method !== 'POST' || !/\/pods(?:\?|$)/.test(path)) return
    this.#unknown++
    this.jobs.misled()
  }

  #check(event: StoreEvent): void {
    const [, , resource] = event.key.split('/')
    const object = event.current.object as unknown
    if (resource === 'deployments' && event.type === 'put') this.#note(object as LiveDeployment)
    if (resource === 'replicasets') this.#checkSet(event)
    if (resource === 'pods') this.#checkPod(event)
    for (const problem of this.jobs.check(event)) this.#violated(event.revision, problem)
  }

  #note(deployment: LiveDeployment): Allowance {
    const { most, least } = boundsOf(deployment)
    const before = this.#allowed.get(deployment.metadata.uid) ?? { most, least, calm: false }
    const now = { most: Math.max(most, before.most), least: Math.min(least, before.least), calm: before.calm }
    this.#allowed.set(deployment.metadata.uid, now)
    return now
  }

  #noteSize({ metadata, spec }: LiveSet): number {
    const largest = Math.max(spec?.replicas ?? 1, this.#sizes.get(metadata.uid) ?? 0)
    this.#sizes.set(metadata.uid, largest)
    return largest
  }

  #checkSet({ type, current, previous, revision }: StoreEvent): void {
    const set = current.object as unknown as LiveSet
    const before = previous?.object as unknown as LiveSet | undefined
    if (type === 'delete') return
    this.#noteSize(set)
    if (before !== undefined && controllerOf(before)?.uid !== controllerOf(set)?.uid) this.#adopted = true
    if ((set.spec?.replicas ?? 1) <= (before?.spec?.replicas ?? 0)) return
    const deployment = this.#deploymentOf(set)
    const allowance = deployment === undefined ? undefined : this.#allowed.get(deployment.metadata.uid)
    if (deployment === undefined || allowance === undefined) return
    const sizes = this.state.setsOf(deployment).reduce((sum, { spec }) => sum + (spec?.replicas ?? 1), 0)
    if (sizes > allowance.most && !this.#adopted)
      this.#violated(
        revision,
        `the ReplicaSets of ${deployment.metadata.name} ask for ${sizes} pods, ${allowance.most} are allowed`,
      )
  }

  #checkPod({ type, current, previous, revision }: StoreEvent): void {
    const pod = current.object as unknown as LivePod
    const before = previous?.object as unknown as LivePod | undefined
    if (type === 'put' && before !== undefined && controllerOf(before)?.uid !== controllerOf(pod)?.uid)
      this.#adopted = true
    if (previous === undefined && !this.#adopted && this.#unknown === 0) {
      const second = secondPod(this.state, pod)
      if (second !== undefined) this.#violated(revision, second)
    }
    const set = this.state.sets.find(({ metadata }) => metadata.uid === controllerOf(pod)?.uid)
    const deployment = set === undefined ? undefined : this.#deploymentOf(set)
    if (set !== undefined && previous === undefined) this.#checkCreated(revision, set, deployment)
    if (deployment !== undefined) this.#checkAvailable(revision, deployment)
    if (type === 'put' && pod.spec?.nodeName !== undefined) this.#checkNode(revision, pod.spec.nodeName)
  }

  #checkCreated(revision: number, set: LiveSet, deployment: LiveDeployment | undefined): void {
    if (this.#adopted) return
    const active = this.state.podsOf(set).filter(isActive).length
    const size = this.#noteSize(set) + this.#unknown
    if (active > size)
      this.#violated(revision, `ReplicaSet ${set.metadata.name} has ${active} pods, ${size} are wanted`)
    if (deployment === undefined) return
    const sets = this.state.setsOf(deployment)
    const pods = this.state.podsOf(...sets)
    const allowed = (this.#allowed.get(deployment.metadata.uid)?.most ?? Infinity) + this.#unknown
    const all = pods.filter(isActive).length
    if (all > allowed) this.#violated(revision, `${deployment.metadata.name} has ${all} pods, ${allowed} are allowed`)
    if (deployment.spec?.strategy?.type !== 'Recreate') return
    const others = pods.filter((pod) => !isFinished(pod) && controllerOf(pod)?.uid !== set.metadata.uid)
    if (others.length > 0)
      this.#violated(
        revision,
        `${deployment.metadata.name} is recreated, and has a new pod beside ${others.length} old ones`,
      )
  }

  #checkAvailable(revision: number, deployment: LiveDeployment): void {
    const allowance = this.#allowed.get(deployment.metadata.uid)
    if (allowance?.calm !== true) return
    const available = this.#availableOf(deployment)
    if (available < allowance.least)
      this.#violated(
        revision,
        `${deployment.metadata.name} has ${available} available pods, ${allowance.least} are the least`,
      )
  }

  #checkNode(revision: number, name: string): void {
    const node = this.state.nodes.find(({ metadata }) => metadata.name === name)
    const here = this.state.pods.filter((pod) => pod.spec?.nodeName === name && !isFinished(pod))
    const used = here.reduce((sum, pod) => sum + cpuOf(pod), 0)
    const has = 1000 * Number(node?.status?.allocatable?.['cpu'] ?? Infinity)
    if (used > has) this.#violated(revision, `${name} has ${has}m CPU, its pods ask for ${used}m`)
  }

  #availableOf(deployment: LiveDeployment): number {
    const now = this.#world.env.now()
    return this.state.podsOf(...this.state.setsOf(deployment)).filter((pod) => isAvailable(pod, deployment, now)).length
  }

  #deploymentOf(set: LiveSet): LiveDeployment | undefined {
    const uid = controllerOf(set)?.uid
    // Nothing is guaranteed for a Deployment in deletion.
    return uid === undefined
      ? undefined
      : this.state.deployments.find(({ metadata }) => metadata.uid === uid && metadata.deletionTimestamp === undefined)
  }

  #violated(revision: number, text: string): void {
    this.violations.push(`${text} (revision ${revision})`)
  }
}
