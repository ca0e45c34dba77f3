/** CronJobs. Their Jobs are managed by the scenario (`managedBy`), so that they end when it says so. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Act, Scenario } from '../scenario.ts'
import { count, cronJobs, each, events, gone, jobs, look, rest, until } from '../steps.ts'

/** Not the Job controller. */
const jobSpec: JsonObject = {
  managedBy: 'example.com/by-hand',
  template: {
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'c', image: 'registry.example/c:1' }],
    },
  },
}

const cronJob = (spec: JsonObject): JsonObject => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'c' },
  spec: {
    schedule: '* * * * *',
    jobTemplate: { metadata: { labels: { a: 'b' }, annotations: { x: 'y' } }, spec: jobSpec },
    ...spec,
  },
})

const suspend = cronJobs.merge('c', { spec: { suspend: true } })
const resume = cronJobs.merge('c', { spec: { suspend: false } })
/** As if the controller had not run since then. */
const lastScheduled = (time: string): Act => cronJobs.sub('status').merge('c', { status: { lastScheduleTime: time } })
const jobCount = (wanted: number): Act => count(jobs.list().path, wanted)
const happened = (reason: string): Act => ({
  until: events.list().path,
  says: `event ${reason}`,
  holds: (found) => ((found?.['items'] ?? []) as JsonObject[]).some((event) => event['reason'] === reason),
})

/** Writes the status of a Job as a controller would. */
function ends(name: string, as: 'Complete' | 'Failed', startTime: Json = '{{now}}'): Act {
  const condition = (type: string): JsonObject => ({
    type,
    status: 'True',
    lastTransitionTime: '{{now}}',
    lastProbeTime: '{{now}}',
  })
  return jobs.sub('status').merge(name, {
    status: {
      startTime,
      uncountedTerminatedPods: {},
      ...(as === 'Complete' ? { completionTime: '{{now}}', succeeded: 1 } : {}),
      conditions: [condition(as === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget'), condition(as)],
    },
  })
}
const allEnd = (as: 'Complete' | 'Failed'): Act => each(jobs.list().path, (name) => [ends(name, as)])

/** A Job of the CronJob that the first request created. */
const ownJob = (name: string): Act =>
  jobs.create({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: '{{0.metadata.uid}}', controller: true },
      ],
    },
    spec: jobSpec,
  })

const path = cronJobs.get('c').path

export const cronJobScenarios: readonly Scenario[] = [
  {
    name: 'cron-job-each-minute',
    steps: [
      cronJobs.create(cronJob({})),
      jobCount(1),
      jobCount(2),
      suspend,
      look('two'),
      allEnd('Complete'),
      until(path, { 'status.active': undefined }),
    ],
  },
  {
    name: 'cron-job-forbids',
    steps: [
      cronJobs.create(cronJob({ concurrencyPolicy: 'Forbid' })),
      jobCount(1),
      happened('JobAlreadyActive'),
      allEnd('Failed'),
      jobCount(2),
      suspend,
    ],
  },
  {
    name: 'cron-job-replaces',
    steps: [
      cronJobs.create(cronJob({ concurrencyPolicy: 'Replace' })),
      jobCount(1),
      happened('SuccessfulDelete'),
      jobCount(1),
      suspend,
    ],
  },
  {
    name: 'cron-job-history',
    steps: [
      cronJobs.create(cronJob({ suspend: true, successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 0 })),
      ...['p', 'q', 'r', 's'].map(ownJob),
      ends('p', 'Complete', '2026-01-01T00:00:02Z'),
      ends('q', 'Complete', '2026-01-01T00:00:01Z'),
      ends('r', 'Complete', '2026-01-01T00:00:03Z'),
      gone(jobs.get('q').path),
      ends('s', 'Failed'),
      gone(jobs.get('s').path),
    ],
  },
  {
    name: 'cron-job-resumed',
    steps: [
      cronJobs.create(cronJob({ suspend: true, schedule: '0 0 1 1 *' })),
      lastScheduled('2020-06-01T00:00:00Z'),
      rest,
      look('suspended'),
      resume,
      jobCount(1),
    ],
  },
  {
    name: 'cron-job-many-missed',
    steps: [
      cronJobs.create(cronJob({ suspend: true, schedule: '@daily', timeZone: 'Asia/Kathmandu' })),
      lastScheduled('2020-06-01T00:00:00Z'),
      resume,
      jobCount(1),
    ],
  },
  {
    name: 'cron-job-every',
    steps: [
      cronJobs.create(cronJob({ suspend: true, schedule: '@every 8760h' })),
      lastScheduled('2020-06-01T00:00:30Z'),
      resume,
      jobCount(1),
    ],
  },
  {
    name: 'cron-job-too-late',
    steps: [
      cronJobs.create(cronJob({ suspend: true, schedule: '0 0 1 1 *', startingDeadlineSeconds: 10 })),
      lastScheduled('2020-06-01T00:00:00Z'),
      rest,
      resume,
    ],
  },
  {
    name: 'cron-job-other-schedule',
    steps: [
      cronJobs.create(cronJob({ schedule: '0 0 29 2 *' })),
      lastScheduled('2020-06-01T00:00:00Z'),
      rest,
      cronJobs.merge('c', { spec: { schedule: '* * * * *' } }),
      look('waits'),
      jobCount(1),
      suspend,
    ],
  },
  {
    name: 'cron-job-of-others',
    steps: [
      cronJobs.create(cronJob({ suspend: true })),
      ownJob('stray'),
      happened('UnexpectedJob'),
      ends('stray', 'Complete'),
      until(path, { 'status.active': undefined }),
    ],
  },
  {
    name: 'cron-job-missing-job',
    steps: [
      cronJobs.create(cronJob({ suspend: true, schedule: '0 0 1 1 *' })),
      lastScheduled('2020-06-01T00:00:00Z'),
      resume,
      jobCount(1),
      rest,
      each(jobs.list().path, (name) => [jobs.delete(name, 'propagationPolicy=Background')]),
      happened('MissingJob'),
    ],
  },
  {
    name: 'cron-job-no-such-day',
    steps: [cronJobs.create(cronJob({ schedule: '59 23 31 2 *' })), happened('InvalidSchedule')],
  },
  {
    name: 'cron-job-deleted',
    steps: [
      cronJobs.create(cronJob({ suspend: true, schedule: '0 0 1 1 *' })),
      lastScheduled('2020-06-01T00:00:00Z'),
      resume,
      jobCount(1),
      rest,
      cronJobs.delete('c', 'propagationPolicy=Foreground'),
      gone(path),
    ],
  },
]
