/** Starts a task, with the external systems that it declares. */
import type { ExternalServices } from '../external/external-handle.ts'
import { usingExternals, type Use } from '../external/external-user.ts'
import type { Logger } from '../telemetry/logger.ts'
import { fencedCalls } from './fenced-calls.ts'
import type { Task, TaskServices } from './manager-options.ts'

export interface TaskRunOptions {
  readonly signal: AbortSignal
  /** Of the task. */
  readonly log: Logger
  readonly externals: ExternalServices
  /** Whether this replica may write. */
  readonly mayWrite: () => boolean
  readonly services: (use: Use) => TaskServices
}

/** A synchronous error becomes a rejection, too. */
export async function runTask(task: Task, options: TaskRunOptions): Promise<void> {
  const { signal, log, externals, mayWrite, services } = options
  const { name, when, uses = [] } = task
  const user = {
    declared: uses,
    who: `the task ${name}`,
    remedy: (system: string) => `add uses: [${system}] to the task`,
    controller: name,
    object: `task ${name}`,
    signal,
    log,
  }
  const carryOut = when === 'always' ? externals.carryOut : fencedCalls(externals.carryOut, mayWrite)
  await usingExternals(user, { ...externals, carryOut }, async (use) => task.start(signal, services(use)))
}
