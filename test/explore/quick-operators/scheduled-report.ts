/** A ScheduledReport is a CronJob; the annotation `run-now` starts a Job at once. The status counts those runs. */
import { createHash } from 'node:crypto'
import { controller, CronJob, Job, resource, t, type batchV1 } from 'coxswain'
import { controllerReference } from 'coxswain/controller'

export const runNow = 'quick.example.dev/run-now'

export const ScheduledReport = resource('quick.example.dev/v1', 'ScheduledReport', {
  spec: t.object({
    schedule: t.string(),
    query: t.string().minLength(1),
    suspended: t.boolean().default(false),
  }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    runs: t.int().optional(),
    lastJob: t.string().optional(),
    /** Of the corrected operator only. */
    lastRequest: t.string().optional(),
    conditions: t.conditions().optional(),
  }),
})

function reportJob(labels: Readonly<Record<string, string>>, query: string): batchV1.JobSpec {
  const containers = [{ name: 'report', image: 'reports:1', args: [query] }]
  return { backoffLimit: 2, template: { metadata: { labels }, spec: { restartPolicy: 'Never', containers } } }
}

/** As it was written. */
export const scheduledReports = controller(ScheduledReport)
  .owns(CronJob, Job)
  .may('create', Job)
  .reconcile(async ({ object, apply, client, patch, status, event }) => {
    const { name, namespace, annotations } = object.metadata
    const { schedule, query, suspended } = object.spec
    const labels = { report: name }
    const job = reportJob(labels, query)
    await apply(CronJob, {
      metadata: { name, labels },
      spec: { schedule, suspend: suspended, jobTemplate: { metadata: { labels }, spec: job } },
    })

    if (annotations?.[runNow] !== undefined) {
      const started = await client.create(Job, {
        metadata: {
          generateName: `${name}-manual-`,
          ...(namespace !== undefined && { namespace }),
          labels,
          ownerReferences: [controllerReference(ScheduledReport, object)],
        },
        spec: job,
      })
      event('Normal', 'Started', `started ${started.metadata.name}`)
      status.set({ runs: (object.status?.runs ?? 0) + 1, lastJob: started.metadata.name })
      await patch({ metadata: { annotations: { [runNow]: null } } })
    }
    status.condition({ type: 'Ready', status: true, reason: suspended ? 'Suspended' : 'Scheduled' })
  })

/**
 * The corrected operator. The value of the annotation names the run: the Job has a name made of it, and the status
 * records it in the same write that counts it. The annotation stays: it belongs to the user.
 */
export const correctScheduledReports = controller(ScheduledReport)
  .owns(CronJob, Job)
  .reconcile(async ({ object, get, apply, status }) => {
    const { name, annotations } = object.metadata
    const { schedule, query, suspended } = object.spec
    const labels = { report: name }
    const job = reportJob(labels, query)
    await apply(CronJob, {
      metadata: { name, labels },
      spec: { schedule, suspend: suspended, jobTemplate: { metadata: { labels }, spec: job } },
    })

    const request = annotations?.[runNow]
    if (request !== undefined && request !== object.status?.lastRequest) {
      const lastJob = `${name}-manual-${createHash('sha256').update(request).digest('hex').slice(0, 8)}`
      if ((await get(Job, lastJob)) === undefined) await apply(Job, { metadata: { name: lastJob, labels }, spec: job })
      status.set({ runs: (object.status?.runs ?? 0) + 1, lastJob, lastRequest: request })
    }
    status.condition({ type: 'Ready', status: true, reason: suspended ? 'Suspended' : 'Scheduled' })
  })
