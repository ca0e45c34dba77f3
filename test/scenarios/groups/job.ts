/** Jobs. Their pods are on the node by-hand and end as the scenario says. */
import type { JsonObject } from '../../../src/api/json.ts'
import { byHand, object, pod, podSpec } from '../objects.ts'
import type { Act, Each, Scenario } from '../scenario.ts'
import {
  count,
  each,
  gone,
  jobs,
  look,
  podEnds,
  podExits,
  podIs,
  pods,
  quotas,
  rest,
  until,
  valueAt,
} from '../steps.ts'

const work = jobs.get('work').path

const job = (spec: JsonObject = {}, template: JsonObject = {}, metadata: JsonObject = {}): JsonObject =>
  object('batch/v1', 'Job', 'work', {
    spec: { template: { metadata, spec: podSpec({ restartPolicy: 'Never', ...byHand, ...template }) }, ...spec },
  })
const indexed = (completions: number, spec: JsonObject = {}): JsonObject =>
  job({ completionMode: 'Indexed', completions, parallelism: completions, ...spec })

/** Creates a Job and waits until so many pods are scheduled. */
const started = (created: JsonObject, many: number): readonly Act[] => [
  jobs.create(created),
  count(pods.path, many),
  rest,
]

const unfinished = (found: JsonObject): boolean =>
  !['Succeeded', 'Failed'].includes(String(valueAt(found, 'status.phase'))) &&
  valueAt(found, 'metadata.deletionTimestamp') === undefined
const exit = (code: number, most?: number): Each =>
  each(pods.path, (name, found) => (unfinished(found) ? [podExits(name, code)] : []), most)
const indexOf = (found: JsonObject): number =>
  Number(((valueAt(found, 'metadata.annotations') ?? {}) as JsonObject)['batch.kubernetes.io/job-completion-index'])
const exitOf = (index: number, code: number): Each =>
  each(pods.path, (name, found) => (unfinished(found) && indexOf(found) === index ? [podExits(name, code)] : []))
const allReady = each(pods.path, (name) => [podIs(name, true)])
const allEnd = each(pods.path, (name, found) =>
  valueAt(found, 'metadata.deletionTimestamp') === undefined ? [] : [podEnds(name)],
)
const is = (type: string): Act => until(work, { [`status.conditions[${type}].status`]: 'True' })
const has = (fields: JsonObject): Act =>
  until(work, Object.fromEntries(Object.entries(fields).map(([name, value]) => [`status.${name}`, value])))
const change = (spec: JsonObject): Act => jobs.merge('work', { spec })
const codes = (action: string, operator: string, ...values: number[]): JsonObject => ({
  action,
  onExitCodes: { operator, values },
})
const disrupted = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }
const condition = { type: 'DisruptionTarget', status: 'True', lastTransitionTime: '{{now}}' }

export const jobScenarios: readonly Scenario[] = [
  {
    name: 'job-completed',
    steps: [...started(job(), 1), allReady, has({ ready: 1 }), look('running'), exit(0), is('Complete')],
  },
  {
    name: 'job-parallel',
    steps: [
      ...started(job({ completions: 3, parallelism: 2 }), 2),
      exit(0, 1),
      has({ succeeded: 1 }),
      count(pods.path, 3),
      rest,
      look('second'),
      exit(0),
      is('Complete'),
    ],
  },
  {
    name: 'job-work-queue',
    steps: [
      ...started(job({ parallelism: 2 }), 2),
      exit(0, 1),
      has({ succeeded: 1 }),
      look('one left'),
      exit(0),
      is('Complete'),
    ],
  },
  { name: 'job-without-completions', steps: [jobs.create(job({ completions: 0 })), is('Complete')] },
  { name: 'job-without-parallelism', steps: [jobs.create(job({ parallelism: 0 })), has({ ready: 0 })] },
  {
    name: 'job-indexed',
    steps: [
      ...started(indexed(3, { parallelism: 2 }), 2),
      exitOf(1, 0),
      has({ completedIndexes: '1' }),
      count(pods.path, 3),
      rest,
      look('middle'),
      exit(0),
      is('Complete'),
    ],
  },
  {
    name: 'job-indexed-template',
    steps: [
      jobs.create(
        job(
          { completionMode: 'Indexed', completions: 1 },
          {
            hostname: 'other',
            initContainers: [{ name: 'first', image: 'i:1' }],
            containers: [
              { name: 'c', image: 'i:1', env: [{ name: 'A', value: 'b' }] },
              { name: 'own', image: 'i:1', env: [{ name: 'JOB_COMPLETION_INDEX', value: 'mine' }] },
            ],
          },
          { annotations: { a: 'b' }, labels: { c: 'd' }, finalizers: ['example.com/keep'] },
        ),
      ),
      count(pods.path, 1),
    ],
  },
  {
    name: 'job-backoff-limit',
    steps: [
      ...started(job({ backoffLimit: 1 }), 1),
      exit(1),
      has({ failed: 1 }),
      look('waiting'),
      count(pods.path, 2),
      rest,
      exit(1),
      is('Failed'),
    ],
  },
  {
    name: 'job-without-retries',
    steps: [
      ...started(job({ backoffLimit: 0, completions: 2, parallelism: 2 }), 2),
      allReady,
      has({ ready: 2 }),
      exit(1, 1),
      is('FailureTarget'),
      look('ending'),
      allEnd,
      is('Failed'),
    ],
  },
  {
    name: 'job-pod-deleted',
    steps: [
      ...started(job({ backoffLimit: 1 }), 1),
      each(pods.path, (name) => [pods.delete(name)]),
      has({ failed: 1 }),
      look('deleted'),
      allEnd,
      count(pods.path, 1),
      rest,
      exit(0),
      is('Complete'),
    ],
  },
  {
    name: 'job-restarts-count',
    steps: [
      ...started(job({ backoffLimit: 2 }, { restartPolicy: 'OnFailure' }), 1),
      each(pods.path, (name) => [
        pods.sub('status').merge(name, {
          status: {
            phase: 'Running',
            containerStatuses: [{ name: 'c', image: 'i:1', imageID: '', ready: false, restartCount: 2, state: {} }],
          },
        }),
      ]),
      is('FailureTarget'),
      allEnd,
      is('Failed'),
    ],
  },
  {
    name: 'job-rule-fail-job',
    steps: [
      ...started(
        job({ completions: 2, parallelism: 2, podFailurePolicy: { rules: [disrupted, codes('FailJob', 'In', 3, 4)] } }),
        2,
      ),
      exit(3, 1),
      is('FailureTarget'),
      look('ending'),
      each(pods.path, (name, found) =>
        valueAt(found, 'metadata.deletionTimestamp') === undefined ? [] : [podEnds(name)],
      ),
      is('Failed'),
    ],
  },
  {
    name: 'job-rule-ignore',
    steps: [
      ...started(job({ backoffLimit: 0, podFailurePolicy: { rules: [disrupted] } }), 1),
      each(pods.path, (name) => [
        pods.sub('status').strategic(name, { status: { phase: 'Failed', conditions: [condition] } }),
      ]),
      count(pods.path, 2),
      rest,
      look('ignored'),
      exit(0),
      is('Complete'),
    ],
  },
  {
    name: 'job-rule-count',
    steps: [
      ...started(
        job({ backoffLimit: 0, podFailurePolicy: { rules: [codes('Count', 'In', 5), codes('FailJob', 'NotIn', 9)] } }),
        1,
      ),
      exit(5),
      is('Failed'),
    ],
  },
  {
    name: 'job-rule-fail-index',
    steps: [
      ...started(
        indexed(2, { backoffLimitPerIndex: 3, podFailurePolicy: { rules: [codes('FailIndex', 'In', 7)] } }),
        2,
      ),
      exitOf(0, 7),
      has({ failedIndexes: '0' }),
      look('one failed'),
      exitOf(1, 0),
      is('Failed'),
    ],
  },
  {
    name: 'job-backoff-per-index',
    steps: [
      ...started(indexed(2, { backoffLimitPerIndex: 1 }), 2),
      exitOf(0, 1),
      rest,
      look('waiting'),
      count(pods.path, 3),
      rest,
      look('retried'),
      exitOf(0, 1),
      has({ failedIndexes: '0' }),
      exitOf(1, 0),
      is('Failed'),
    ],
  },
  {
    name: 'job-max-failed-indexes',
    steps: [
      ...started(indexed(4, { backoffLimitPerIndex: 0, maxFailedIndexes: 1 }), 4),
      exitOf(0, 1),
      has({ failedIndexes: '0' }),
      look('one failed'),
      exitOf(2, 1),
      is('FailureTarget'),
      allEnd,
      is('Failed'),
    ],
  },
  {
    name: 'job-success-policy',
    steps: [
      ...started(indexed(3, { successPolicy: { rules: [{ succeededIndexes: '0' }] } }), 3),
      exitOf(1, 0),
      has({ completedIndexes: '1' }),
      exitOf(0, 0),
      is('SuccessCriteriaMet'),
      look('ending'),
      allEnd,
      is('Complete'),
    ],
  },
  {
    name: 'job-success-policy-count',
    steps: [
      ...started(
        indexed(4, {
          successPolicy: {
            rules: [
              { succeededIndexes: '0,3', succeededCount: 2 },
              { succeededIndexes: '1-3', succeededCount: 2 },
            ],
          },
        }),
        4,
      ),
      exitOf(1, 0),
      exitOf(3, 0),
      is('SuccessCriteriaMet'),
      allEnd,
      is('Complete'),
    ],
  },
  {
    name: 'job-deadline',
    steps: [
      jobs.create(job({ activeDeadlineSeconds: 5 })),
      count(pods.path, 1),
      is('FailureTarget'),
      look('ending'),
      allEnd,
      is('Failed'),
    ],
  },
  {
    name: 'job-suspended',
    steps: [
      jobs.create(job({ suspend: true, completions: 2, parallelism: 2 })),
      is('Suspended'),
      look('suspended'),
      change({ suspend: false }),
      count(pods.path, 2),
      rest,
      look('resumed'),
      exit(0, 1),
      has({ succeeded: 1 }),
      change({ suspend: true }),
      is('Suspended'),
      look('suspended again'),
      allEnd,
      rest,
      change({ suspend: false }),
      count(pods.path, 2),
      rest,
      exit(0),
      is('Complete'),
    ],
  },
  {
    name: 'job-resumed-after-deadline',
    steps: [
      ...started(job({ activeDeadlineSeconds: 8 }), 1),
      change({ suspend: true }),
      is('Suspended'),
      allEnd,
      rest,
      rest,
      rest,
      rest,
      rest,
      rest,
      look('suspended'),
      change({ suspend: false }),
      rest,
    ],
  },
  {
    name: 'job-scaled',
    steps: [
      ...started(job({ completions: 5, parallelism: 1 }), 1),
      allReady,
      has({ ready: 1 }),
      change({ parallelism: 3 }),
      count(pods.path, 3),
      rest,
      look('larger'),
      change({ parallelism: 1 }),
      has({ active: 1 }),
      rest,
      allEnd,
      rest,
      look('smaller'),
      change({ parallelism: 0 }),
      has({ terminating: 1 }),
      allEnd,
    ],
  },
  {
    name: 'job-elastic',
    steps: [
      ...started(indexed(2), 2),
      exitOf(1, 0),
      has({ completedIndexes: '1' }),
      change({ completions: 4, parallelism: 4 }),
      count(pods.path, 4),
      rest,
      look('larger'),
      change({ completions: 1, parallelism: 1 }),
      has({ active: 1, completedIndexes: undefined as never }),
      allEnd,
      rest,
      exit(0),
      is('Complete'),
    ],
  },
  {
    name: 'job-replaces-failed-only',
    steps: [
      ...started(job({ podReplacementPolicy: 'Failed', backoffLimit: 1 }), 1),
      each(pods.path, (name) => [pods.delete(name)]),
      has({ terminating: 1 }),
      look('terminating'),
      each(pods.path, (name) => [podExits(name, 137)]),
      has({ failed: 1 }),
      allEnd,
      count(pods.path, 1, { 'metadata.deletionTimestamp': undefined }),
      rest,
      exit(0),
      is('Complete'),
    ],
  },
  {
    name: 'job-managed-by-another',
    steps: [jobs.create(job({ managedBy: 'example.com/other' })), rest],
  },
  {
    name: 'job-managed-by-name',
    steps: [...started(job({ managedBy: 'kubernetes.io/job-controller' }), 1), exit(0), is('Complete')],
  },
  {
    name: 'job-time-to-live',
    steps: [...started(job({ ttlSecondsAfterFinished: 2 }), 1), exit(0), gone(work)],
  },
  {
    name: 'job-time-to-live-set-later',
    steps: [...started(job(), 1), exit(0), is('Complete'), rest, change({ ttlSecondsAfterFinished: 0 }), gone(work)],
  },
  {
    name: 'job-deleted-in-background',
    steps: [
      ...started(job({ completions: 3, parallelism: 2 }), 2),
      exit(0, 1),
      has({ succeeded: 1 }),
      count(pods.path, 3),
      rest,
      jobs.delete('work', 'propagationPolicy=Background'),
      gone(work),
      rest,
      allEnd,
      count(pods.path, 0),
    ],
  },
  {
    name: 'job-deleted-in-foreground',
    steps: [
      ...started(job({ completions: 2, parallelism: 2 }), 2),
      jobs.delete('work', 'propagationPolicy=Foreground'),
      rest,
      look('deleting'),
      allEnd,
      gone(work),
    ],
  },
  {
    name: 'job-orphans',
    steps: [
      ...started(job({ completions: 2, parallelism: 2 }), 2),
      exit(0, 1),
      has({ succeeded: 1 }),
      jobs.delete('work', 'propagationPolicy=Orphan'),
      gone(work),
    ],
  },
  {
    name: 'job-adopts',
    steps: [
      pods.create(pod('a', { ...byHand, restartPolicy: 'Never' })),
      pods.create(pod('b', { ...byHand, restartPolicy: 'Never' }, { labels: { app: 'other' } })),
      rest,
      jobs.create(
        job(
          { manualSelector: true, selector: { matchLabels: { app: 'web' } }, completions: 2, parallelism: 2 },
          {},
          { labels: { app: 'web' } },
        ),
      ),
      count(pods.path, 3),
      rest,
      look('adopted'),
      pods.merge('a', { metadata: { labels: { app: 'other' } } }),
      count(pods.path, 4),
      rest,
      look('released'),
      podExits('a', 0),
      podExits('b', 0),
      rest,
    ],
  },
  {
    name: 'job-finished-pods-deleted',
    steps: [
      ...started(job({ completions: 2, parallelism: 2 }), 2),
      exit(0),
      is('Complete'),
      rest,
      each(pods.path, (name) => [podEnds(name)]),
      count(pods.path, 0),
    ],
  },
  {
    name: 'job-quota',
    steps: [
      quotas.create(object('v1', 'ResourceQuota', 'few', { spec: { hard: { pods: '1' } } })),
      until(quotas.get('few').path, { 'status.hard.pods': '1' }),
      jobs.create(job({ completions: 3, parallelism: 3 })),
      has({ active: 1 }),
    ],
  },
]
