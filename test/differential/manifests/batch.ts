/** batch/v1. */
import type { JsonObject } from '../../../src/api/json.ts'
import { badMetadata, fullMetadata, long, variants, type KindManifests } from './manifest.ts'
import { badPodSpecsAt, fullPodSpec } from './pod-specs.ts'

const batch = { group: 'batch', version: 'v1' } as const
const minimalTemplate: JsonObject = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
const fullContainers = (fullPodSpec['containers'] as JsonObject[]).map((container) => ({
  ...container,
  resizePolicy: null,
}))
const fullTemplate: JsonObject = {
  metadata: { labels: { app: 'full' } },
  spec: { ...fullPodSpec, containers: fullContainers, restartPolicy: 'Never' },
}

const fullJobSpec: JsonObject = {
  parallelism: 2,
  completions: 4,
  completionMode: 'Indexed',
  backoffLimitPerIndex: 1,
  maxFailedIndexes: 3,
  activeDeadlineSeconds: 600,
  ttlSecondsAfterFinished: 60,
  suspend: true,
  podReplacementPolicy: 'Failed',
  podFailurePolicy: {
    rules: [
      { action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'In', values: [3, 42] } },
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      { action: 'FailIndex', onExitCodes: { operator: 'NotIn', values: [0] } },
    ],
  },
  successPolicy: { rules: [{ succeededIndexes: '0,2-3', succeededCount: 2 }, { succeededCount: 1 }] },
  template: fullTemplate,
}

export const batchManifests: readonly KindManifests[] = [
  {
    ...batch,
    resource: 'jobs',
    kind: 'Job',
    namespaced: true,
    minimal: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'min' }, spec: { template: minimalTemplate } },
    full: { apiVersion: 'batch/v1', kind: 'Job', metadata: fullMetadata('full'), spec: fullJobSpec },
    change: { spec: { parallelism: 1, suspend: false, activeDeadlineSeconds: 700, ttlSecondsAfterFinished: 70 } },
    status: {
      status: {
        active: 1,
        ready: 1,
        failed: 1,
        startTime: '2026-01-02T03:04:05Z',
        uncountedTerminatedPods: {},
        completedIndexes: '0',
        failedIndexes: '1',
        terminating: 0,
      },
    },
    badStatus: variants({
      'below zero': { status: { active: -1, failed: -2 } },
      'bad indexes': { status: { completedIndexes: '9-1', failedIndexes: 'x' } },
      'complete and failed': {
        status: {
          conditions: [
            { type: 'Complete', status: 'True' },
            { type: 'Failed', status: 'True' },
          ],
        },
      },
    }),
    bad: variants({
      ...badMetadata,
      ...badPodSpecsAt('spec', 'template', 'spec'),
      'restart always': { spec: { template: { spec: { restartPolicy: 'Always' } } } },
      'parallelism below zero': { spec: { parallelism: -1 } },
      'completions below zero': { spec: { completions: -1 } },
      'no completions': { spec: { completions: null, successPolicy: null } },
      'backoff below zero': { spec: { backoffLimit: -1 } },
      'deadline below zero': { spec: { activeDeadlineSeconds: -1 } },
      'ttl below zero': { spec: { ttlSecondsAfterFinished: -1 } },
      'unknown mode': { spec: { completionMode: 'Odd' } },
      'other mode': { spec: { completionMode: 'NonIndexed' } },
      'selector of its own': { spec: { selector: { matchLabels: { a: 'b' } } } },
      'bad exit code': {
        spec: { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [0, 0] } }] } },
      },
      'rule of nothing': { spec: { podFailurePolicy: { rules: [{ action: 'Odd' }] } } },
      'bad success index': { spec: { successPolicy: { rules: [{ succeededIndexes: '9', succeededCount: 0 }] } } },
      'replacement policy': { spec: { podReplacementPolicy: 'TerminatingOrFailed' } },
      'managed by': { spec: { managedBy: 'not valid' } },
      'other template': { spec: { template: { spec: { containers: [{ name: 'other', image: 'o' }] } } } },
    }),
  },
  {
    ...batch,
    resource: 'cronjobs',
    kind: 'CronJob',
    namespaced: true,
    minimal: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'min' },
      spec: { schedule: '* * * * *', jobTemplate: { spec: { template: minimalTemplate } } },
    },
    full: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: fullMetadata('full'),
      spec: {
        schedule: '*/5 0-12 1,15 * MON-FRI',
        timeZone: 'Europe/Zurich',
        startingDeadlineSeconds: 100,
        concurrencyPolicy: 'Forbid',
        suspend: true,
        successfulJobsHistoryLimit: 5,
        failedJobsHistoryLimit: 2,
        jobTemplate: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: fullJobSpec },
      },
    },
    change: { spec: { schedule: '@hourly', suspend: false } },
    status: {
      status: {
        active: [{ kind: 'Job', name: 'j', namespace: 'x' }],
        lastScheduleTime: '2026-01-02T03:04:05Z',
        lastSuccessfulTime: '2026-01-02T03:04:06Z',
      },
    },
    bad: variants({
      ...badMetadata,
      ...badPodSpecsAt('spec', 'jobTemplate', 'spec', 'template', 'spec'),
      'no schedule': { spec: { schedule: '' } },
      'bad schedule': { spec: { schedule: '61 * * * *' } },
      'short schedule': { spec: { schedule: '* * *' } },
      'zone in schedule': { spec: { schedule: 'TZ=UTC * * * * *' } },
      'bad zone': { spec: { timeZone: 'Nowhere/City' } },
      'empty zone': { spec: { timeZone: '' } },
      'deadline below zero': { spec: { startingDeadlineSeconds: -1 } },
      'unknown policy': { spec: { concurrencyPolicy: 'Maybe' } },
      'history below zero': { spec: { successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 } },
      'name too long': { metadata: { name: long(53) } },
      'restart always': { spec: { jobTemplate: { spec: { template: { spec: { restartPolicy: 'Always' } } } } } },
      'manual selector': { spec: { jobTemplate: { spec: { manualSelector: true } } } },
    }),
  },
]
