import { afterEach, describe, expect, it } from 'vitest'
import { timestamp } from '../../env/index.ts'
import { CronJob, Job, type batchV1, type Live } from '../../index.ts'
import { embedded, type Embedded, type Snapshot } from '../../testing/index.ts'
import { cronJobs } from './index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

const minuteMs = 60_000
const key = { namespace: 'default', name: 'c' }

/** Starts at the beginning of a minute. */
async function start(spec: object = {}, from?: Snapshot): Promise<Embedded> {
  const cluster = await embedded({ controllers: [cronJobs()], from })
  running.push(cluster)
  await cluster.advance(minuteMs - (cluster.env.now() % minuteMs) + 1)
  await cluster.apply({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: key,
    spec: {
      schedule: '* * * * *',
      jobTemplate: {
        metadata: { labels: { a: 'b' }, annotations: { x: 'y' } },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      },
      ...spec,
    },
  })
  await cluster.advance(1000)
  return cluster
}

const cronJob = ({ client }: Embedded): Promise<Live<CronJob>> => client.get(CronJob, key)
const jobs = async ({ client }: Embedded): Promise<Live<Job>[]> =>
  [...(await client.list(Job, { namespace: 'default' })).items].sort((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  )
const activeNames = async (cluster: Embedded): Promise<(string | undefined)[]> =>
  ((await cronJob(cluster)).status?.active ?? []).map(({ name }) => name)
const reasons = async (cluster: Embedded): Promise<string[]> =>
  (await cluster.events({ metadata: key })).map(({ reason }) => reason)
const change = async ({ client }: Embedded, spec: Partial<batchV1.CronJobSpec>): Promise<void> => {
  await client.patch(CronJob, key, { type: 'merge', patch: { spec } as never })
}

/** The Job controller does not run here. */
async function finish({ client, env }: Embedded, job: Live<Job>, as: 'Complete' | 'Failed'): Promise<void> {
  const now = timestamp(env.now())
  const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: now, lastProbeTime: now })
  const status =
    as === 'Complete'
      ? { completionTime: now, succeeded: 1, conditions: [condition('SuccessCriteriaMet'), condition('Complete')] }
      : { conditions: [condition('FailureTarget'), condition('Failed')] }
  await client.patch(
    Job,
    { namespace: 'default', name: job.metadata.name },
    { type: 'merge', patch: { status: { startTime: now, uncountedTerminatedPods: {}, ...status } } as never },
    { subresource: 'status' },
  )
}

describe('a CronJob', () => {
  it('a CronJob creates a Job each minute, named by the time', async () => {
    const cluster = await start()
    expect(await jobs(cluster)).toEqual([])
    await cluster.advance(minuteMs)
    const [job] = await jobs(cluster)
    const scheduled = Math.floor(cluster.env.now() / minuteMs)
    expect(job?.metadata).toMatchObject({
      name: `c-${scheduled}`,
      labels: { a: 'b' },
      annotations: {
        x: 'y',
        'batch.kubernetes.io/cronjob-scheduled-timestamp': timestamp(scheduled * minuteMs),
      },
      ownerReferences: [{ kind: 'CronJob', name: 'c', controller: true, blockOwnerDeletion: true }],
    })
    const { status } = await cronJob(cluster)
    expect(status).toEqual({
      active: [
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          namespace: 'default',
          name: `c-${scheduled}`,
          uid: job?.metadata.uid,
          resourceVersion: job?.metadata.resourceVersion,
        },
      ],
      lastScheduleTime: timestamp(scheduled * minuteMs),
    })
    await cluster.advance(2 * minuteMs)
    expect(await activeNames(cluster)).toEqual([0, 1, 2].map((more) => `c-${scheduled + more}`))
    expect(await reasons(cluster)).toEqual(['SuccessfulCreate', 'SuccessfulCreate', 'SuccessfulCreate'])
  })

  it('a CronJob sees its Jobs end, and keeps a history of them', async () => {
    const cluster = await start({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 })
    for (const as of ['Complete', 'Complete', 'Failed'] as const) {
      await cluster.advance(minuteMs)
      const active = (await jobs(cluster)).find(({ status }) => status?.conditions === undefined)
      await finish(cluster, active as Live<Job>, as)
      await cluster.advance(1000)
    }
    const names = (await jobs(cluster)).map(({ status }) => status?.conditions?.at(-1)?.type)
    expect(names).toEqual(['Complete'])
    const { status } = await cronJob(cluster)
    expect(status?.active).toBeUndefined()
    expect(status?.lastSuccessfulTime).toBe((await jobs(cluster))[0]?.status?.completionTime)
    // The Job that failed was deleted before its end could be noted.
    expect((await reasons(cluster)).filter((reason) => reason !== 'SuccessfulCreate').sort()).toEqual([
      'SawCompletedJob',
      'SawCompletedJob',
      'SuccessfulDelete',
      'SuccessfulDelete',
    ])
  })

  it('a CronJob that forbids concurrent Jobs starts the next one when the last one has ended', async () => {
    const cluster = await start({ concurrencyPolicy: 'Forbid' })
    await cluster.advance(2.5 * minuteMs)
    const [first, ...others] = await jobs(cluster)
    expect(others).toEqual([])
    expect(await reasons(cluster)).toEqual(['SuccessfulCreate', 'JobAlreadyActive'])
    await finish(cluster, first as Live<Job>, 'Complete')
    await cluster.advance(1000)
    expect(await activeNames(cluster)).toEqual([`c-${Math.floor(cluster.env.now() / minuteMs)}`])
  })

  it('a CronJob that replaces concurrent Jobs deletes the last one', async () => {
    const cluster = await start({ concurrencyPolicy: 'Replace' })
    await cluster.advance(2 * minuteMs)
    const names = (await jobs(cluster)).map(({ metadata }) => metadata.name)
    expect(names).toEqual([`c-${Math.floor(cluster.env.now() / minuteMs)}`])
    expect(await activeNames(cluster)).toEqual(names)
    expect((await reasons(cluster)).sort()).toEqual(['SuccessfulCreate', 'SuccessfulCreate', 'SuccessfulDelete'])
  })

  it('a suspended CronJob rests; resumed, it starts one Job for all that it missed', async () => {
    const cluster = await start({ suspend: true })
    const { revision } = cluster.plane.store
    await cluster.advance(181 * minuteMs)
    expect(cluster.plane.store.revision).toBe(revision)
    await change(cluster, { suspend: false })
    await cluster.advance(1000)
    expect(await activeNames(cluster)).toEqual([`c-${Math.floor(cluster.env.now() / minuteMs)}`])
    expect((await reasons(cluster)).sort()).toEqual(['SuccessfulCreate', 'TooManyMissedTimes'])
  })

  it('a CronJob does not start a Job later than its deadline', async () => {
    const cluster = await start({ suspend: true, startingDeadlineSeconds: 10, schedule: '0 * * * *' })
    await cluster.advance(3.5 * 60 * minuteMs)
    await change(cluster, { suspend: false })
    await cluster.advance(1000)
    expect(await jobs(cluster)).toEqual([])
    await cluster.advance(60 * minuteMs)
    expect((await jobs(cluster)).length).toBe(1)
    expect(await reasons(cluster)).toEqual(['SuccessfulCreate'])
  })

  it('a CronJob with another schedule starts with its next time', async () => {
    const cluster = await start({ schedule: '0 0 1 1 *' })
    await cluster.advance(10 * minuteMs)
    await change(cluster, { schedule: '* * * * *' })
    await cluster.advance(1000)
    expect(await jobs(cluster)).toEqual([])
    await cluster.advance(minuteMs)
    expect((await jobs(cluster)).length).toBe(1)
  })

  it('a CronJob takes the time of its time zone, across a change of the offset', async () => {
    const empty = await embedded()
    running.push(empty)
    const from = { ...empty.snapshot(), time: Date.UTC(2026, 2, 29) }
    const cluster = await start({ schedule: '30 * * * *', timeZone: 'Europe/Berlin' }, from)
    await cluster.advance(2 * 3_600_000)
    const times = (await jobs(cluster)).map(
      ({ metadata }) => metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'],
    )
    expect(times).toEqual(['2026-03-29T01:30:00+01:00', '2026-03-29T03:30:00+02:00'])
  })

  it('a CronJob forgets a Job that somebody deleted', async () => {
    const cluster = await start()
    await cluster.advance(minuteMs)
    const [job] = await jobs(cluster)
    await cluster.client.delete(
      Job,
      { namespace: 'default', name: job?.metadata.name ?? '' },
      { propagationPolicy: 'Background' },
    )
    await cluster.advance(1000)
    expect((await cronJob(cluster)).status?.active).toBeUndefined()
    expect(await reasons(cluster)).toEqual(['SuccessfulCreate', 'MissingJob'])
  })

  it('a CronJob takes over the Job that a run created before it could write the status', async () => {
    const cluster = await start()
    const { metadata } = await cronJob(cluster)
    const name = `c-${Math.floor(cluster.env.now() / minuteMs) + 1}`
    await cluster.apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        namespace: 'default',
        name,
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: metadata.uid, controller: true }],
      },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    })
    await cluster.advance(minuteMs)
    expect(await activeNames(cluster)).toEqual([name])
    expect((await cronJob(cluster)).status?.lastScheduleTime).toBeDefined()
    expect(await reasons(cluster)).toEqual(['UnexpectedJob'])
  })

  it('a CronJob on a day that does not exist reports it', async () => {
    const cluster = await start({ schedule: '59 23 31 2 *' })
    expect((await cluster.events({ metadata: key })).map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'InvalidSchedule: invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second',
    ])
  })
})
