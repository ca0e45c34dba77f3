/** Step 6: the Job of a scheduled time. Its name contains the time, so that it is created once. */
import { isNamespaceTerminating } from '../../api/index.ts'
import { controllerReference } from '../../controller/index.ts'
import { TimeZone } from '../../cron/index.ts'
import { CronJob, isAlreadyExists, isControlledBy, Job, type batchV1, type Live } from '../../index.ts'
import { addActive, type CronJobContext } from './active-jobs.ts'
import { jobName, scheduledAnnotation } from './job-name.ts'

export async function createJob(context: CronJobContext, scheduledAt: number): Promise<void> {
  const { client, event, signal } = context
  const wanted = jobFor(context.object, scheduledAt)
  let job: Live<Job>
  try {
    job = await client.create(Job, wanted, { signal, fieldManager: 'kube-controller-manager' })
    event('Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`)
  } catch (error) {
    if (isNamespaceTerminating(error)) return
    if (!isAlreadyExists(error)) {
      event('Warning', 'FailedCreate', `Error creating job: ${error instanceof Error ? error.message : String(error)}`)
      throw error
    }
    // Created by a run that ended before it wrote the status, or by somebody else.
    job = await client.get(Job, { namespace: wanted.metadata.namespace, name: wanted.metadata.name ?? '' }, { signal })
    if (!isControlledBy(job, context.object)) return
  }
  addActive(context, job, scheduledAt)
}

function jobFor(cronJob: Live<CronJob>, scheduledAt: number): Job {
  const { name, namespace } = cronJob.metadata
  // Sent as it is and never modified.
  const { metadata, spec } = (cronJob.spec?.jobTemplate ?? {}) as batchV1.JobTemplateSpec
  const zone = TimeZone.named(cronJob.spec?.timeZone ?? 'UTC') ?? TimeZone.utc
  return {
    metadata: {
      name: jobName(name, scheduledAt),
      ...(namespace === undefined ? {} : { namespace }),
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: { ...metadata?.annotations, [scheduledAnnotation]: zone.text(scheduledAt) },
      ownerReferences: [controllerReference(CronJob, cronJob)],
    },
    ...(spec === undefined ? {} : { spec }),
  }
}
