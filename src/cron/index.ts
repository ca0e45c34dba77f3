/** Schedules and time zones of CronJobs. */
export { parseSchedule } from './schedule.ts'
export type { Schedule } from './schedule.ts'
export { TimeZone } from './time-zone.ts'
