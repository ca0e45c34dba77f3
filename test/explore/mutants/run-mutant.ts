/** Runs one mutant in a process of its own, for a limited time. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Mutant } from './corpus/index.ts'
import type { Message } from './explore-mutant.ts'

export interface MutantResult {
  /**
   * `survived`: the time is over, or nothing is left to try. `hung`: the time is over, and no schedule came to
   * an end. `broken`: it could not be loaded, which says nothing.
   */
  readonly outcome: 'killed' | 'survived' | 'hung' | 'broken'
  readonly schedules: number
  /** The first failure. */
  readonly detail: string
  readonly tookMs: number
}

export function runMutant(mutant: Mutant, limitMs: number): Promise<MutantResult> {
  const startedAt = Date.now()
  const launcher = fileURLToPath(new URL('./launch.mjs', import.meta.url))
  const child = fork(launcher, [JSON.stringify(mutant)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let schedules = 0
  let isLoaded = false
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => (errors = `${errors}${chunk.toString()}`.slice(-2000)))
  return new Promise((resolve) => {
    const end = (outcome: MutantResult['outcome'], detail: string): void => {
      clearTimeout(timer)
      child.removeAllListeners()
      child.kill('SIGKILL')
      resolve({ outcome, schedules, detail, tookMs: Date.now() - startedAt })
    }
    const timer = setTimeout(() => end(schedules === 0 ? 'hung' : 'survived', 'the time is over'), limitMs)
    child.on('message', (message: Message) => {
      switch (message.type) {
        case 'loaded':
          isLoaded = true
          return
        case 'progress':
          schedules = message.schedules
          return
        case 'killed':
          return end('killed', `${message.by}: ${message.problem}`)
        case 'survived':
          schedules = message.schedules
          return end('survived', 'nothing is left to try')
      }
    })
    // An exception outside of a reconcile ends the process: every user would see that.
    child.on('exit', (code) => end(isLoaded ? 'killed' : 'broken', `the process ended with ${code ?? ''}: ${errors}`))
  })
}
