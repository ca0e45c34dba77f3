import { afterEach, describe, expect, it } from 'vitest'
import { Job, Pod, type Live } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

const builtin = [
  'job-controller',
  'ttl-after-finished-controller',
  'garbage-collector-controller',
  'node-lifecycle-controller',
]

async function start(nodes = 1): Promise<Embedded> {
  const cluster = await embedded({ nodes, builtin })
  running.push(cluster)
  return cluster
}

const job = (spec: object = {}, annotations: object = { 'coxswain.dev/exit-after': '2s' }, template: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'work', namespace: 'default' },
  spec: {
    template: {
      metadata: { annotations },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }], ...template },
    },
    ...spec,
  },
})
const key = { namespace: 'default', name: 'work' }
const endless = { 'coxswain.dev/exit-after': 'never' }
const failing = { 'coxswain.dev/exit-after': '1s', 'coxswain.dev/exit-code': '3' }

const pods = async ({ client }: Embedded): Promise<readonly Live<Pod>[]> =>
  (await client.list(Pod, { namespace: 'default' })).items
const conditions = async ({ client }: Embedded): Promise<string[]> =>
  ((await client.get(Job, key)).status?.conditions ?? []).map(
    ({ type, status, reason }) => `${type} ${status} ${reason}`,
  )
const messages = async (cluster: Embedded): Promise<string[]> =>
  (await cluster.events({ metadata: key })).map(
    ({ reason, message }) => `${reason} ${message.replaceAll(/(work(?:-\d+)?)-[a-z0-9]{5}\b/g, '$1-*')}`,
  )

describe('a Job', () => {
  it('runs its completions, at most as many at a time as its parallelism, and is at rest then', async () => {
    const cluster = await start()
    await cluster.apply(job({ completions: 5, parallelism: 2 }))
    await cluster.advance(1500)
    expect((await cluster.client.get(Job, key)).status).toMatchObject({ active: 2, ready: 2, terminating: 0 })
    await cluster.advance(60_000)
    const { status } = await cluster.client.get(Job, key)
    expect(status).toMatchObject({ succeeded: 5, ready: 0, terminating: 0, uncountedTerminatedPods: {} })
    expect(status?.active).toBeUndefined()
    expect(await conditions(cluster)).toEqual([
      'SuccessCriteriaMet True CompletionsReached',
      'Complete True CompletionsReached',
    ])
    expect(await messages(cluster)).toEqual([
      ...Array.from({ length: 5 }, () => 'SuccessfulCreate Created pod: work-*'),
      'Completed Job completed',
    ])
    expect((await pods(cluster)).map(({ metadata }) => metadata.finalizers)).toEqual(Array(5).fill(undefined))
    const { resourceVersion } = (await cluster.client.get(Job, key)).metadata
    await cluster.advance(60_000)
    expect((await cluster.client.get(Job, key)).metadata.resourceVersion).toBe(resourceVersion)
  })

  it('an Indexed Job gives each pod its index', async () => {
    const cluster = await start()
    await cluster.apply(job({ completions: 3, parallelism: 3, completionMode: 'Indexed' }))
    await cluster.advance(60_000)
    expect((await cluster.client.get(Job, key)).status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' })
    const found = [...(await pods(cluster))].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    expect(found.map(({ spec }) => spec?.hostname)).toEqual(['work-0', 'work-1', 'work-2'])
    expect(found[1]?.metadata.name).toMatch(/^work-1-\w{5}$/)
    expect(found[1]?.metadata.labels).toMatchObject({ 'batch.kubernetes.io/job-completion-index': '1' })
    expect(found[1]?.metadata.annotations).toMatchObject({ 'batch.kubernetes.io/job-completion-index': '1' })
    expect(found[1]?.spec?.containers[0]?.env).toEqual([
      {
        name: 'JOB_COMPLETION_INDEX',
        valueFrom: {
          fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" },
        },
      },
    ])
  })

  it('replaces failed pods with a growing delay, until the backoff limit', async () => {
    const cluster = await start()
    await cluster.apply(job({ backoffLimit: 2 }, failing))
    await cluster.advance(10_000)
    expect((await cluster.client.get(Job, key)).status).toMatchObject({ failed: 1 })
    expect(await pods(cluster)).toHaveLength(1)
    await cluster.advance(6000)
    expect((await cluster.client.get(Job, key)).status).toMatchObject({ failed: 2 })
    await cluster.advance(15_000)
    expect(await pods(cluster)).toHaveLength(2)
    await cluster.advance(60_000)
    expect((await cluster.client.get(Job, key)).status).toMatchObject({ failed: 3 })
    expect(await conditions(cluster)).toEqual([
      'FailureTarget True BackoffLimitExceeded',
      'Failed True BackoffLimitExceeded',
    ])
    expect((await messages(cluster)).at(-1)).toBe('BackoffLimitExceeded Job has reached the specified backoff limit')
  })

  it('retries each index by itself, and fails when one has no retries left', async () => {
    const cluster = await start()
    await cluster.apply(
      job(
        { completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 1, maxFailedIndexes: 1 },
        failing,
      ),
    )
    await cluster.advance(10_000)
    const [first] = await pods(cluster)
    expect(first?.metadata.finalizers).toContain('batch.kubernetes.io/job-tracking')
    await cluster.advance(60_000)
    expect((await cluster.client.get(Job, key)).status).toMatchObject({ failed: 4, failedIndexes: '0,1' })
    expect((await conditions(cluster)).at(-1)).toBe('Failed True MaxFailedIndexesExceeded')
    const counts = (await pods(cluster)).map(
      ({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-index-failure-count'],
    )
    expect(counts.toSorted((a = '', b = '') => a.localeCompare(b))).toEqual(['0', '0', '1', '1'])
  })

  it('a rule of the pod failure policy fails the Job at once', async () => {
    const cluster = await start()
    const rules = [
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      { action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } },
    ]
    await cluster.apply(job({ parallelism: 2, completions: 2, podFailurePolicy: { rules } }, failing))
    await cluster.advance(30_000)
    expect((await conditions(cluster)).at(-1)).toBe('Failed True PodFailurePolicy')
    expect((await messages(cluster)).at(-1)).toBe(
      'PodFailurePolicy Container c for pod default/work-* failed with exit code 3 matching FailJob rule at index 1',
    )
  })

  it('stops at its deadline, which a suspension interrupts', async () => {
    const cluster = await start()
    const spec = { activeDeadlineSeconds: 20 }
    await cluster.apply(job(spec, endless))
    await cluster.advance(10_000)
    await cluster.apply(job({ ...spec, suspend: true }, endless))
    await cluster.advance(5000)
    expect(await pods(cluster)).toHaveLength(0)
    expect(await conditions(cluster)).toEqual(['Suspended True JobSuspended'])
    await cluster.apply(job({ ...spec, suspend: false }, endless))
    await cluster.advance(15_000)
    expect(await pods(cluster)).toHaveLength(1)
    expect(await conditions(cluster)).toEqual(['Suspended False JobResumed'])
    await cluster.advance(15_000)
    expect((await conditions(cluster)).at(-1)).toBe('Failed True DeadlineExceeded')
    expect(await pods(cluster)).toHaveLength(0)
    expect((await cluster.client.get(Job, key)).status).toMatchObject({ failed: 1, terminating: 0 })
  })

  it.each(['Background', 'Foreground'] as const)(
    'a deleted Job takes its pods with it (%s)',
    async (propagationPolicy) => {
      const cluster = await start()
      await cluster.apply(job({ completions: 3, parallelism: 3 }, endless))
      await cluster.advance(5000)
      await cluster.client.delete(Job, key, { propagationPolicy })
      await cluster.advance(60_000)
      expect(await pods(cluster)).toHaveLength(0)
      await expect(cluster.client.get(Job, key)).rejects.toThrow(/not found/)
    },
  )

  it('is deleted when its time to live is over, unless that changes before', async () => {
    const cluster = await start()
    await cluster.apply(job({ ttlSecondsAfterFinished: 100 }))
    await cluster.advance(50_000)
    await cluster.client.patch(Job, key, { type: 'merge', patch: { spec: { ttlSecondsAfterFinished: 200 } } })
    await cluster.advance(100_000)
    expect(await conditions(cluster)).toHaveLength(2)
    await cluster.advance(100_000)
    await expect(cluster.client.get(Job, key)).rejects.toThrow(/not found/)
    expect(await pods(cluster)).toHaveLength(0)
  })
})
