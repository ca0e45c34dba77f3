/**
 * The CronJob controller: creates Jobs at the times of a schedule. The steps follow kube-controller-manager: 1 read the
 * CronJob and its Jobs, 2 delete finished Jobs beyond the history limits, 3 update the list of active Jobs, 4 find the
 * time that is due, 5 apply the concurrency policy, 6 create the Job, 7 wait until the next time.
 */
import { changed } from '../../controller/index.ts'
import { parseSchedule, TimeZone, type Schedule } from '../../cron/index.ts'
import { controller, CronJob, Job, keyText, requeueAfter, type Live, type ReconcileResult } from '../../index.ts'
import { finishedAs, updateActiveJobs, type CronJobContext } from './active-jobs.ts'
import { deleteOldJobs } from './history.ts'
import { createJob } from './job-creation.ts'
import { deleteActiveJobs } from './job-deletion.ts'
import { jobName } from './job-name.ts'
import { dueTime, msUntilNext, type Progress } from './schedule-times.ts'

/** Ignores how many pods of a Job are running. */
const endChanged = changed<Job>((job) => [finishedAs(job), job.status?.completionTime, job.metadata.ownerReferences])

export function cronJobs() {
  /** The last seen schedule of each CronJob. A new process starts without them, as upstream does. */
  const schedules = new Map<string, string>()
  return controller(CronJob)
    .named('cronjob-controller')
    .ownsWith(Job, { when: endChanged })
    .options({
      concurrency: 5,
      fieldManager: 'kube-controller-manager',
      observedGeneration: false,
      reconcileOwnWrites: 'never',
    })
    .gone((key) => void schedules.delete(keyText(key)))
    .deleting(async (context) => {
      await updateStatus(context)
    })
    .reconcile(async (context) => {
      const { object: cronJob, key } = context
      const text = scheduleText(cronJob)
      const before = schedules.get(keyText(key))
      schedules.set(keyText(key), text)
      if (before !== undefined && before !== text) {
        const waitMs = untilNewSchedule(context, text)
        if (waitMs > 0) return requeueAfter(waitMs)
      }
      await updateStatus(context)
      return start(context, text)
    })
}

async function updateStatus(context: CronJobContext): Promise<void> {
  const jobs = await context.owned(Job)
  await deleteOldJobs(context, jobs)
  await updateActiveJobs(context, jobs)
}

/** Steps 4 to 7. */
async function start(context: CronJobContext, text: string): Promise<ReconcileResult> {
  const { object: cronJob, event, status, now } = context
  const { timeZone, suspend, startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec ?? {}
  if (timeZone !== undefined && TimeZone.named(timeZone) === undefined) {
    event('Warning', 'UnknownTimeZone', `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`)
    return undefined
  }
  if (suspend === true) return undefined
  const schedule = usableSchedule(context, text)
  if (schedule === undefined) return undefined
  const at = now()
  const due = dueTime(progressOf(context), schedule, at)
  if (typeof due === 'string') {
    event('Warning', 'InvalidSchedule', `invalid schedule: ${cronJob.spec?.schedule ?? ''} : ${due}`)
    return undefined
  }
  if (due.isMany) {
    const advice = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew'
    event('Warning', 'TooManyMissedTimes', `too many missed start times. ${advice}`)
  }
  if (due.at === undefined) return untilNext(context, schedule, at)
  if (startingDeadlineSeconds !== undefined && due.at + startingDeadlineSeconds * 1000 < at) {
    event('Warning', 'MissSchedule', `Missed scheduled time to start a job: ${rfc1123(due.at)}`)
    return untilNext(context, schedule, at)
  }
  if (isStarted(context, due.at)) return untilNext(context, schedule, at)
  if (concurrencyPolicy === 'Forbid' && (status.current.active ?? []).length > 0) {
    const why = 'prior execution is running and concurrency policy is Forbid'
    event('Normal', 'JobAlreadyActive', `Not starting job because ${why}`)
    return untilNext(context, schedule, at)
  }
  if (concurrencyPolicy === 'Replace') await deleteActiveJobs(context)
  await createJob(context, due.at)
  return untilNext(context, schedule, at)
}

/** With its time zone, as the parser takes it. */
function scheduleText({ spec }: Live<CronJob>): string {
  const { schedule = '', timeZone } = spec ?? {}
  if (schedule.includes('TZ') || timeZone === undefined || TimeZone.named(timeZone) === undefined) return schedule
  return `TZ=${timeZone} ${schedule}`
}

function usableSchedule({ object: { spec }, event }: CronJobContext, text: string): Schedule | undefined {
  const given = JSON.stringify(spec?.schedule ?? '')
  if (spec?.schedule.includes('TZ') === true) {
    const page = 'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/'
    const why = `CRON_TZ or TZ used in schedule ${given} is not officially supported, see ${page} for more details`
    event('Warning', 'UnsupportedSchedule', why)
  }
  const schedule = parseSchedule(text)
  if (typeof schedule !== 'string') return schedule
  event('Warning', 'UnparseableSchedule', `unparseable schedule: ${given} : ${schedule}`)
  return undefined
}

/** A new schedule starts with its next time: times that it would have had before are not missed. 0: do not wait. */
function untilNewSchedule(context: CronJobContext, text: string): number {
  const schedule = parseSchedule(text)
  return typeof schedule === 'string' ? 0 : (msUntilNext(progressOf(context), schedule, context.now()) ?? 0)
}

function untilNext(context: CronJobContext, schedule: Schedule, at: number): ReconcileResult {
  const waitMs = msUntilNext(progressOf(context), schedule, at)
  return waitMs === undefined ? undefined : requeueAfter(Math.max(1, waitMs))
}

function progressOf({ object: { metadata, spec }, status }: CronJobContext): Progress {
  return {
    since: Date.parse(status.current.lastScheduleTime ?? metadata.creationTimestamp ?? ''),
    deadlineMs: spec?.startingDeadlineSeconds === undefined ? undefined : spec.startingDeadlineSeconds * 1000,
  }
}

function isStarted({ object: { metadata }, status }: CronJobContext, due: number): boolean {
  const { active = [], lastScheduleTime } = status.current
  const name = jobName(metadata.name, due)
  return active.some((job) => job.name === name) || Date.parse(lastScheduleTime ?? '') === due
}

/** As in `Sun, 29 Mar 2026 01:00:00 +0000`. */
function rfc1123(at: number): string {
  return new Date(at).toUTCString().replace(/GMT$/, '+0000')
}
