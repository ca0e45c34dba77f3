/** CronJobs over a simulated day, in this process. A real cluster would take the day. */
import { CronJob, Job } from '../../src/index.ts'
import { embedded } from '../../src/testing/index.ts'

const dayMs = 24 * 3600 * 1000
const stepMs = 60_000

export interface CronFigures {
  readonly cpuMs: number
  /** Jobs that were created. */
  readonly jobCount: number
}

/** Each CronJob runs once an hour, at a minute of its own. */
export async function dayOfCronJobs(count: number): Promise<CronFigures> {
  const cluster = await embedded({ nodes: 3 })
  try {
    for (let i = 0; i < count; i++) {
      await cluster.client.create(CronJob, {
        metadata: { name: `cron-${i}`, namespace: 'default' },
        spec: {
          schedule: `${i % 60} * * * *`,
          jobTemplate: {
            spec: {
              template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'batch:1' }] } },
            },
          },
        },
      })
    }
    let jobCount = 0
    cluster.plane.store.watch('/registry/jobs/', cluster.plane.store.revision, ({ type, previous }) => {
      if (type === 'put' && previous === undefined) jobCount++
    })
    const before = process.cpuUsage()
    for (let ms = 0; ms < dayMs; ms += stepMs) await cluster.advance(stepMs)
    const { user, system } = process.cpuUsage(before)
    const { items } = await cluster.client.list(Job, { namespace: 'default' })
    // Three successful Jobs of each are kept by default.
    if (items.length < count) throw new Error(`only ${items.length} Jobs are left of ${count} CronJobs`)
    return { cpuMs: (user + system) / 1000, jobCount }
  } finally {
    await cluster.stop()
  }
}
