/** Step 5: deletes Jobs, with their pods; with the concurrency policy Replace, the active ones. */
import { isNotFound, Job } from '../../index.ts'
import { removeActive, type CronJobContext } from './active-jobs.ts'

export async function deleteActiveJobs(context: CronJobContext): Promise<void> {
  for (const { namespace, name = '', uid = '' } of context.status.current.active ?? [])
    await deleteJob(context, { namespace, name, uid })
}

interface JobId {
  readonly namespace?: string | undefined
  readonly name: string
  readonly uid: string
}

/** A failure is reported as an event and thrown. */
export async function deleteJob(context: CronJobContext, { namespace, name, uid }: JobId): Promise<void> {
  const { client, event, signal } = context
  try {
    await client.delete(Job, { namespace, name }, { uid, propagationPolicy: 'Background', signal })
  } catch (error) {
    if (!isNotFound(error)) {
      event('Warning', 'FailedDelete', `Deleted job: ${error instanceof Error ? error.message : String(error)}`)
      throw error
    }
    removeActive(context, uid)
    return
  }
  removeActive(context, uid)
  event('Normal', 'SuccessfulDelete', `Deleted job ${name}`)
}
