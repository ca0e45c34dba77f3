/** The name and the annotation by which a Job belongs to a scheduled time. */
import type { Job, Live } from '../../index.ts'

export const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp'

/** Schedules have a resolution of a minute. */
export function jobName(cronJob: string, scheduledAt: number): string {
  return `${cronJob}-${Math.floor(scheduledAt / 60_000)}`
}

/** The time that the controller created the Job for, in milliseconds; undefined for a Job of others. */
export function scheduledTime(cronJob: string, { metadata }: Live<Job>): number | undefined {
  const at = Date.parse(metadata.annotations?.[scheduledAnnotation] ?? '')
  return jobName(cronJob, at) === metadata.name ? at : undefined
}
