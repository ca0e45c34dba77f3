/** The rules for Jobs: never more active pods than the parallelism, and every pod that ends is counted exactly once. */
import { controllerOf } from '../../src/index.ts'
import type { StoreEvent } from '../../src/controlplane/storage/store.ts'
import { controlledBy, isActive, isFinished, type ClusterState, type LiveJob, type LivePod } from './cluster-state.ts'

const finalizer = 'batch.kubernetes.io/job-tracking'
const indexAnnotation = 'batch.kubernetes.io/job-completion-index'

/** What happened to the pods of a Job, by uid or index. */
interface Truth {
  readonly succeeded: Set<string>
  /** Failed, or deleted before they ended. */
  readonly ended: Set<string>
  /** The largest parallelism since the cluster was last settled. */
  parallelism: number
}

export class JobRules {
  readonly #state: ClusterState
  readonly #truths = new Map<string, Truth>()
  /** Creates whose response was lost: the controller cannot know of these pods yet. */
  #unknown = 0

  constructor(state: ClusterState) {
    this.#state = state
  }

  rested(): void {
    this.#unknown = 0
    for (const job of this.#state.jobs) this.#truth(job.metadata.uid).parallelism = job.spec?.parallelism ?? 1
  }

  misled(): void {
    this.#unknown++
  }

  /** What is wrong with this write. */
  check(event: StoreEvent): string[] {
    const [, , resource] = event.key.split('/')
    if (resource === 'jobs' && event.type === 'put') return this.#checkJob(event.current.object as unknown as LiveJob)
    if (resource === 'pods') return this.#checkPod(event)
    return []
  }

  #truth(uid: string): Truth {
    let truth = this.#truths.get(uid)
    if (truth === undefined) this.#truths.set(uid, (truth = { succeeded: new Set(), ended: new Set(), parallelism: 0 }))
    return truth
  }

  #checkJob({ metadata, spec, status }: LiveJob): string[] {
    const truth = this.#truth(metadata.uid)
    truth.parallelism = Math.max(truth.parallelism, spec?.parallelism ?? 1)
    const { uncountedTerminatedPods: uncounted } = status ?? {}
    const succeeded = (status?.succeeded ?? 0) + (uncounted?.succeeded?.length ?? 0)
    const failed = (status?.failed ?? 0) + (uncounted?.failed?.length ?? 0)
    return [
      ...(succeeded > truth.succeeded.size
        ? [`Job ${metadata.name} counts ${succeeded} successes, there were ${truth.succeeded.size}`]
        : []),
      ...(failed > truth.ended.size ? [`Job ${metadata.name} counts ${failed} failures of ${truth.ended.size}`] : []),
    ]
  }

  #checkPod({ type, current, previous }: StoreEvent): string[] {
    const pod = current.object as unknown as LivePod
    const owner = controllerOf(pod)
    if (owner?.kind !== 'Job') return []
    const truth = this.#truth(owner.uid)
    const isTracked = pod.metadata.finalizers?.includes(finalizer) === true
    if (isTracked && pod.status?.phase === 'Succeeded')
      truth.succeeded.add(pod.metadata.annotations?.[indexAnnotation] ?? pod.metadata.uid)
    if (pod.status?.phase === 'Failed' || pod.metadata.deletionTimestamp !== undefined || type === 'delete')
      truth.ended.add(pod.metadata.uid)
    if (type === 'delete' || previous !== undefined) return []
    const job = this.#state.jobs.find(({ metadata }) => metadata.uid === owner.uid)
    if (job === undefined) return []
    const active = controlledBy(job, this.#state.pods).filter(isActive).length
    const allowed = truth.parallelism + this.#unknown
    return active > allowed ? [`Job ${owner.name} has ${active} active pods, ${allowed} are allowed`] : []
  }

  problemsAtRest(): string[] {
    const { jobs, pods } = this.#state
    const uids = new Set(jobs.map(({ metadata }) => metadata.uid))
    return [
      ...jobs.flatMap((job) => this.#jobProblems(job)),
      ...pods
        .filter((pod) => controllerOf(pod)?.kind === 'Job' && !uids.has(controllerOf(pod)?.uid ?? ''))
        .map(({ metadata }) => `pod ${metadata.name} is left of a Job that is gone`),
      ...pods
        .filter((pod) => pod.metadata.finalizers?.includes(finalizer) === true && (isFinished(pod) || !hasJob(pod)))
        .map(({ metadata }) => `pod ${metadata.name} is not counted`),
    ]
  }

  #jobProblems(job: LiveJob): string[] {
    const { metadata, spec, status } = job
    const { succeeded } = this.#truth(metadata.uid)
    const active = controlledBy(job, this.#state.pods).filter(isActive).length
    const isOver = status?.conditions?.some(
      ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
    )
    const most = isOver === true || spec?.suspend === true ? 0 : (spec?.parallelism ?? 1)
    const told = {
      active: status?.active ?? 0,
      succeeded: status?.succeeded ?? 0,
      terminating: status?.terminating ?? 0,
      uncounted: Object.keys(status?.uncountedTerminatedPods ?? {}).length,
    }
    const should = { active, succeeded: succeeded.size, terminating: 0, uncounted: 0 }
    return [
      ...(active > most ? [`Job ${metadata.name} has ${active} active pods, ${most} are wanted`] : []),
      ...(JSON.stringify(told) === JSON.stringify(should)
        ? []
        : [`Job ${metadata.name} is ${JSON.stringify(told)} and should be ${JSON.stringify(should)}`]),
    ]
  }
}

function hasJob(pod: LivePod): boolean {
  return controllerOf(pod)?.kind === 'Job'
}
