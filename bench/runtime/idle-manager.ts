/** Measures the memory and the start of a manager with one controller and nothing to do. */
import { fork } from 'node:child_process'
import { locateNames } from '../baseline/entry-points.ts'
import { message, path } from '../child.ts'
import { processorTime, residentMemory } from '../process-figures.ts'

const names = ['clusterTransport', 'controller', 'kind', 'loadAccess', 'Manager', 'realEnv'] as const

export interface IdleFigures {
  /** MiB. */
  readonly memory: number
  /** Milliseconds of processor time since the start of the process. */
  readonly cpu: number
}

export async function measureIdleManager(root: string, kubeconfig: string): Promise<IdleFigures> {
  const files = await locateNames(root, names)
  const running = fork(path('./runtime/idle-manager.mjs'), [kubeconfig, ...files], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  try {
    await message(running)
    return { memory: residentMemory([running.pid as number]) ?? Number.NaN, cpu: processorTime(running.pid) }
  } finally {
    running.kill('SIGKILL')
  }
}
