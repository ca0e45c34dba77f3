/** Step 2: deletes the oldest finished Jobs beyond the history limits, with their pods. */
import type { Job, Live } from '../../index.ts'
import { finishedAs, type CronJobContext } from './active-jobs.ts'
import { deleteJob } from './job-deletion.ts'

export async function deleteOldJobs(context: CronJobContext, jobs: readonly Live<Job>[]): Promise<void> {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = context.object.spec ?? {}
  for (const [condition, limit] of [
    ['Complete', successfulJobsHistoryLimit],
    ['Failed', failedJobsHistoryLimit],
  ] as const) {
    if (limit === undefined) continue
    const finished = jobs.filter((job) => finishedAs(job) === condition).sort(byStart)
    for (const { metadata } of finished.slice(0, Math.max(0, finished.length - limit))) {
      // A failure is reported as an event, and must not keep the next Job from starting.
      await deleteJob(context, metadata).catch(() => undefined)
    }
  }
}

/** Jobs without a start last. */
function byStart(a: Live<Job>, b: Live<Job>): number {
  const start = ({ status }: Live<Job>): number =>
    status?.startTime === undefined ? Infinity : Date.parse(status.startTime)
  const [one, other] = [start(a), start(b)]
  if (one !== other) return one < other ? -1 : 1
  return a.metadata.name < b.metadata.name ? -1 : 1
}
