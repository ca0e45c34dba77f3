/**
 * The rules for Jobs: never more active pods than the parallelism, terminating ones included if the Job waits for their
 * end; every pod that ends is counted exactly once, as the pod failure policy says.
 */
import { controllerOf } from '../../src/index.ts'
import type { StoreEvent } from '../../src/controlplane/storage/store.ts'
import { controlledBy, isActive, isFinished, type ClusterState, type LiveJob, type LivePod } from './cluster-state.ts'

const finalizer = 'batch.kubernetes.io/job-tracking'
/** Pods that fail by themselves do so with this exit code, which the pod failure policies name. */
export const failureCode = 3
const indexAnnotation = 'batch.kubernetes.io/job-completion-index'

/** What happened to the pods of a Job, by uid or index. */
interface Truth {
  readonly succeeded: Set<string>
  /** Failed, unless the policy ignores it, or deleted before they ended. */
  readonly ended: Set<string>
  /** A pod has failed although the policy says that the Job then fails. */
  isDoomed: boolean
  /** The largest parallelism since the cluster was last settled. */
  parallelism: number
}

const newTruth = (): Truth => ({ succeeded: new Set(), ended: new Set(), isDoomed: false, parallelism: 0 })

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
    if (truth === undefined) this.#truths.set(uid, (truth = newTruth()))
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
    const job = this.#state.jobs.find(({ metadata }) => metadata.uid === owner.uid)
    const action = job === undefined ? undefined : actionFor(job, pod)
    if (isTracked && pod.status?.phase === 'Succeeded')
      truth.succeeded.add(pod.metadata.annotations?.[indexAnnotation] ?? pod.metadata.uid)
    const hasFailed = pod.status?.phase === 'Failed' && action !== 'Ignore'
    if (hasFailed || pod.metadata.deletionTimestamp !== undefined || type === 'delete')
      truth.ended.add(pod.metadata.uid)
    if (isTracked && action === 'FailJob') truth.isDoomed = true
    if (type === 'delete' || previous !== undefined || job === undefined) return []
    const counts = waitsForTermination(job) ? (each: LivePod): boolean => !isFinished(each) : isActive
    const active = controlledBy(job, this.#state.pods).filter(counts).length
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
        .filter((pod) => !this.#isAwaitingRetry(pod))
        .map(({ metadata }) => `pod ${metadata.name} is not counted`),
    ]
  }

  /** With a backoff limit per index, a failed pod stays until the parallelism allows the one that replaces it. */
  #isAwaitingRetry(pod: LivePod): boolean {
    const job = this.#state.jobs.find(({ metadata }) => metadata.uid === controllerOf(pod)?.uid)
    if (job?.spec?.backoffLimitPerIndex === undefined || isOver(job) || pod.status?.phase !== 'Failed') return false
    const { suspend = false, parallelism = 1 } = job.spec
    return suspend || controlledBy(job, this.#state.pods).filter(isActive).length >= parallelism
  }

  #jobProblems(job: LiveJob): string[] {
    const { metadata, spec, status } = job
    const { succeeded, isDoomed } = this.#truth(metadata.uid)
    const active = controlledBy(job, this.#state.pods).filter(isActive).length
    const most = isOver(job) || spec?.suspend === true ? 0 : (spec?.parallelism ?? 1)
    const told = {
      active: status?.active ?? 0,
      succeeded: status?.succeeded ?? 0,
      terminating: status?.terminating ?? 0,
      uncounted: Object.keys(status?.uncountedTerminatedPods ?? {}).length,
    }
    const should = { active, succeeded: succeeded.size, terminating: 0, uncounted: 0 }
    return [
      ...(isDoomed && !isOver(job) ? [`Job ${metadata.name} goes on after a failure that ends it`] : []),
      ...(active > most ? [`Job ${metadata.name} has ${active} active pods, ${most} are wanted`] : []),
      ...(JSON.stringify(told) === JSON.stringify(should)
        ? []
        : [`Job ${metadata.name} is ${JSON.stringify(told)} and should be ${JSON.stringify(should)}`]),
    ]
  }
}

function isOver({ status }: LiveJob): boolean {
  const ends = status?.conditions?.filter(({ type }) => type === 'Complete' || type === 'Failed') ?? []
  return ends.some(({ status: is }) => is === 'True')
}

/** Whether a pod in deletion is replaced only when it has ended. */
function waitsForTermination({ spec }: LiveJob): boolean {
  return spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined
}

/** What the pod failure policy says about this pod; undefined if it has not failed by itself. */
function actionFor({ spec }: LiveJob, { status }: LivePod): string | undefined {
  const code = status?.containerStatuses?.[0]?.state?.terminated?.exitCode
  return status?.phase === 'Failed' && code === failureCode ? spec?.podFailurePolicy?.rules[0]?.action : undefined
}

function hasJob(pod: LivePod): boolean {
  return controllerOf(pod)?.kind === 'Job'
}
