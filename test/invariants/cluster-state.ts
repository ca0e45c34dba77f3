/** The workloads in the store at a moment, without a cache, and the bounds that the API's fields define for them. */
import {
  controllerOf,
  type ControllerRevision,
  type DaemonSet,
  type Deployment,
  type Job,
  type Live,
  type LiveObject,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type ReplicaSet,
  type StatefulSet,
} from '../../src/index.ts'
import type { Store } from '../../src/controlplane/storage/store.ts'

export type LivePod = Live<Pod>
export type LiveSet = Live<ReplicaSet>
export type LiveStatefulSet = Live<StatefulSet>
export type LiveDeployment = Live<Deployment>
export type LiveJob = Live<Job>
export type LiveClaim = Live<PersistentVolumeClaim>
export type LiveVolume = Live<PersistentVolume>

export class ClusterState {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  get pods(): readonly LivePod[] {
    return this.#all('pods')
  }

  get sets(): readonly LiveSet[] {
    return this.#all('replicasets')
  }

  get deployments(): readonly LiveDeployment[] {
    return this.#all('deployments')
  }

  get daemonSets(): readonly Live<DaemonSet>[] {
    return this.#all('daemonsets')
  }

  get statefulSets(): readonly LiveStatefulSet[] {
    return this.#all('statefulsets')
  }

  get claims(): readonly LiveClaim[] {
    return this.#all('persistentvolumeclaims')
  }

  get volumes(): readonly LiveVolume[] {
    return this.#all('persistentvolumes')
  }

  get revisions(): readonly Live<ControllerRevision>[] {
    return this.#all('controllerrevisions')
  }

  get jobs(): readonly LiveJob[] {
    return this.#all('jobs')
  }

  get nodes(): readonly Live<Node>[] {
    return this.#all('minions')
  }

  setsOf(deployment: LiveDeployment): readonly LiveSet[] {
    return controlledBy(deployment, this.sets)
  }

  podsOf(...sets: readonly LiveSet[]): readonly LivePod[] {
    const { pods } = this
    return sets.flatMap((set) => controlledBy(set, pods))
  }

  #all<T>(resource: string): readonly T[] {
    return this.#store.list(`/registry/${resource}/`).items.map(({ object }) => object as unknown as T)
  }
}

export function controlledBy<T extends LiveObject>(owner: LiveObject, objects: readonly T[]): readonly T[] {
  return objects.filter((object) => controllerOf(object)?.uid === owner.metadata.uid)
}

export function isFinished({ status }: LivePod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

/** Neither finished nor in deletion: what controllers count. */
export function isActive(pod: LivePod): boolean {
  return !isFinished(pod) && pod.metadata.deletionTimestamp === undefined
}

export function isAvailable(pod: LivePod, { spec }: LiveDeployment, now: number): boolean {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')
  return (
    isActive(pod) &&
    ready?.status === 'True' &&
    Date.parse(ready.lastTransitionTime ?? '') + (spec?.minReadySeconds ?? 0) * 1000 <= now
  )
}

/** The maximum of pods of a Deployment, and the minimum of available pods during a rollout. */
export function boundsOf({ spec }: LiveDeployment): { readonly most: number; readonly least: number } {
  const replicas = spec?.replicas ?? 1
  if (spec?.strategy?.type === 'Recreate') return { most: replicas, least: 0 }
  const { maxSurge = '25%', maxUnavailable = '25%' } = spec?.strategy?.rollingUpdate ?? {}
  const surge = typeof maxSurge === 'number' ? maxSurge : Math.ceil((Number.parseInt(maxSurge, 10) * replicas) / 100)
  const missing =
    typeof maxUnavailable === 'number'
      ? maxUnavailable
      : Math.floor((Number.parseInt(maxUnavailable, 10) * replicas) / 100)
  // Both may round to 0. One pod may then be unavailable, or the rollout could not progress.
  return { most: replicas + surge, least: replicas - (surge === 0 && missing === 0 ? 1 : missing) }
}

/** The CPU requests of a pod, in thousandths. */
export function cpuOf({ spec }: LivePod): number {
  return (spec?.containers ?? []).reduce(
    (sum, { resources }) => sum + Number.parseInt(String(resources?.requests?.['cpu'] ?? '0m'), 10),
    0,
  )
}
