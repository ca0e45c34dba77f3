/** Step 3: the list of active Jobs and the time of the last success. */
import type { DeepReadonly } from '../../api/index.ts'
import { timestamp } from '../../env/index.ts'
import { isNotFound, Job, type coreV1, type CronJob, type Live, type ReconcileContext } from '../../index.ts'
import { scheduledTime } from './job-name.ts'

export type CronJobContext = ReconcileContext<CronJob>

/** The condition of a finished Job. */
export function finishedAs({ status }: Live<Job>): 'Complete' | 'Failed' | undefined {
  for (const { type, status: is } of status?.conditions ?? [])
    if ((type === 'Complete' || type === 'Failed') && is === 'True') return type
  return undefined
}

export async function updateActiveJobs(context: CronJobContext, jobs: readonly Live<Job>[]): Promise<void> {
  for (const job of jobs) noteJob(context, job)
  await forgetMissingJobs(context, jobs)
}

function noteJob(context: CronJobContext, job: Live<Job>): void {
  const { status, event } = context
  const { name, uid } = job.metadata
  const isListed = status.current.active?.some((each) => each.uid === uid) === true
  const condition = finishedAs(job)
  if (condition === undefined) {
    if (!isListed) noteUnexpected(context, job)
    return
  }
  if (isListed) {
    removeActive(context, uid)
    event('Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${condition}`)
  }
  const { completionTime } = job.status ?? {}
  const { lastSuccessfulTime } = status.current
  if (condition !== 'Complete' || completionTime === undefined) return
  if (lastSuccessfulTime === undefined || Date.parse(completionTime) > Date.parse(lastSuccessfulTime))
    status.set({ lastSuccessfulTime: completionTime })
}

/** A Job that a run created, but could not write to the status, is active. Upstream only emits the event. */
function noteUnexpected(context: CronJobContext, job: Live<Job>): void {
  const { name, deletionTimestamp } = job.metadata
  context.event('Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`)
  const scheduledAt = scheduledTime(context.object.metadata.name, job)
  if (scheduledAt !== undefined && deletionTimestamp === undefined) addActive(context, job, scheduledAt)
}

/** A Job that somebody deleted is no longer active. The server knows better than the cache. */
async function forgetMissingJobs(context: CronJobContext, jobs: readonly Live<Job>[]): Promise<void> {
  const { client, status, event, signal } = context
  for (const { namespace, name = '', uid = '' } of status.current.active ?? []) {
    if (jobs.some(({ metadata }) => metadata.uid === uid)) continue
    try {
      await client.get(Job, { namespace, name }, { signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
      event('Normal', 'MissingJob', `Active job went missing: ${name}`)
      removeActive(context, uid)
    }
  }
}

/** With the time that it is for, unless a later one was scheduled already. */
export function addActive({ status }: CronJobContext, { metadata }: Live<Job>, scheduledAt: number): void {
  const { namespace = '', name, uid, resourceVersion } = metadata
  const { active = [], lastScheduleTime } = status.current
  const added: coreV1.ObjectReference = { kind: 'Job', namespace, name, uid, apiVersion: 'batch/v1', resourceVersion }
  const isLater = lastScheduleTime === undefined || scheduledAt > Date.parse(lastScheduleTime)
  status.set({ active: [...active, added], ...(isLater ? { lastScheduleTime: timestamp(scheduledAt) } : {}) })
}

export function removeActive({ status }: CronJobContext, uid: string): void {
  const { active = [] } = status.current
  const left: readonly DeepReadonly<coreV1.ObjectReference>[] = active.filter((each) => each.uid !== uid)
  if (left.length < active.length) status.set({ active: left.length === 0 ? undefined : [...left] })
}
