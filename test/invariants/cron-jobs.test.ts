/**
 * CronJobs under random users, crashes and lost replies: never two Jobs at once unless the policy allows it, an exact
 * list of active Jobs, no more history than the limits, no writes at rest.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cronJobs } from '../../src/controllers/cron-job/index.ts'
import { timestamp } from '../../src/env/index.ts'
import { CronJob, Job, type Live } from '../../src/index.ts'
import { embedded, type Embedded, type Fault } from '../../src/testing/index.ts'

const many = process.env['COXSWAIN_INVARIANTS']
const settings = many === undefined ? { numRuns: 6, seed: 7 } : { numRuns: Number(many) }

const namespace = 'default'
const key = { namespace, name: 'c' }
const limits = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 }

const fault = fc.record({
  /** The number of writes before it. */
  at: fc.nat({ max: 20 }),
  type: fc.constantFrom('refuse', 'drop-before', 'drop-after', 'duplicate', 'crash'),
})
const minute = fc.constantFrom('wait', 'complete', 'fail', 'delete', 'crash', 'suspend', 'resume')
const story = fc.record({
  policy: fc.constantFrom('Allow', 'Forbid', 'Replace'),
  faults: fc.array(fault, { maxLength: 4 }),
  minutes: fc.array(minute, { minLength: 3, maxLength: 7 }),
})

async function allJobs({ client }: Embedded): Promise<readonly Live<Job>[]> {
  return (await client.list(Job, { namespace })).items
}
const isRunning = ({ status, metadata }: Live<Job>): boolean =>
  status?.conditions === undefined && metadata.deletionTimestamp === undefined

async function end({ client, env }: Embedded, { metadata }: Live<Job>, as: 'Complete' | 'Failed'): Promise<void> {
  const now = timestamp(env.now())
  const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: now, lastProbeTime: now })
  const conditions = [condition(as === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget'), condition(as)]
  const done = as === 'Complete' ? { completionTime: now, succeeded: 1 } : {}
  const status = { startTime: now, uncountedTerminatedPods: {}, conditions, ...done }
  const patch = { type: 'merge' as const, patch: { status } as never }
  await client.patch(Job, { namespace, name: metadata.name }, patch, { subresource: 'status' })
}

async function act(cluster: Embedded, what: string): Promise<void> {
  const { client } = cluster
  const job = (await allJobs(cluster)).find(isRunning)
  if (what === 'crash') await cluster.crash()
  if (what === 'complete' && job !== undefined) await end(cluster, job, 'Complete')
  if (what === 'fail' && job !== undefined) await end(cluster, job, 'Failed')
  if (what === 'delete' && job !== undefined)
    await client.delete(Job, { namespace, name: job.metadata.name }, { propagationPolicy: 'Background' })
  if (what === 'suspend' || what === 'resume')
    await client.patch(CronJob, key, { type: 'merge', patch: { spec: { suspend: what === 'suspend' } } })
}

async function play({ policy, faults, minutes }: typeof story extends fc.Arbitrary<infer T> ? T : never) {
  let writes = 0
  const cluster = await embedded({
    controllers: [cronJobs()],
    faults: ({ method }) => {
      if (method === 'GET') return undefined
      const found = faults.find(({ at }) => at === writes)
      writes++
      return found === undefined ? undefined : ({ type: found.type } as Fault)
    },
  })
  try {
    await cluster.client.create(CronJob, {
      metadata: key,
      spec: {
        schedule: '* * * * *',
        concurrencyPolicy: policy,
        ...limits,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
        },
      },
    })
    for (const what of minutes) {
      await cluster.advance(60_000)
      const running = (await allJobs(cluster)).filter(isRunning)
      if (policy !== 'Allow') expect(running.length, policy).toBeLessThanOrEqual(1)
      await act(cluster, what)
    }
    await act(cluster, 'suspend')
    await cluster.advance(60_000)
    const jobs = await allJobs(cluster)
    const { status } = await cluster.client.get(CronJob, key)
    const names = (list: readonly Live<Job>[]): string[] => list.map(({ metadata }) => metadata.name).sort()
    expect((status?.active ?? []).map(({ name = '' }) => name).sort()).toEqual(names(jobs.filter(isRunning)))
    expect(jobs.length - jobs.filter(isRunning).length).toBeLessThanOrEqual(2)
    expect(await cluster.writesDuring(3_600_000)).toEqual([])
  } finally {
    await cluster.stop()
  }
}

test('CronJobs keep their rules whatever users do and whoever crashes', { timeout: 240_000 }, async () => {
  await fc.assert(fc.asyncProperty(story, play), settings)
})
