/** One round of the webapp part: creates, updates and deletes all apps under one operator, and measures each phase. */
import { setTimeout as sleep } from 'node:timers/promises'
import { processorTime } from '../process-figures.ts'
import { Apps } from './apps.ts'
import { isWrite, tally, type Call } from './audit-log.ts'
import type { RunningOperator } from './operators.ts'
import type { Figures } from './report.ts'
import type { Site } from './site.ts'

const say = (text: string): void => void process.stderr.write(`${text}\n`)

export interface RoundOptions {
  readonly apps: number
  /** Seconds. */
  readonly rest: number
}

/** One round with one operator. */
export class Round {
  readonly #site: Site
  readonly #operator: RunningOperator
  readonly #figures: Figures
  readonly #options: RoundOptions

  constructor(site: Site, operator: RunningOperator, figures: Figures, options: RoundOptions) {
    this.#site = site
    this.#operator = operator
    this.#figures = figures
    this.#options = options
  }

  async run(): Promise<void> {
    const { apps: count, rest } = this.#options
    const apps = await Apps.follow(this.#site.client, count)
    try {
      const image = 'registry.example.com/app:2.0.0'
      await this.#wave(
        'create',
        () => apps.create(),
        () => apps.whenRunning(),
      )
      await this.#wave(
        'update',
        () => apps.update(image),
        () => apps.whenRunning(image),
      )
      await this.#rest(rest)
      await this.#wave(
        'delete',
        () => apps.delete(),
        () => apps.whenGone(),
      )
      await this.#nothingLeft()
      this.#figures.add('peak memory', this.#operator.peakMemory)
    } finally {
      apps.stop()
    }
  }

  async #wave(name: string, act: () => Promise<void>, done: () => Promise<void>): Promise<void> {
    const { apps } = this.#options
    this.#site.calls.next()
    const cpu = this.#operator.cpu
    const server = this.#serverCpu()
    const startedAt = performance.now()
    await Promise.all([act(), done()])
    const wall = (performance.now() - startedAt) / 1000
    // Events about the last apps may still follow: they are written asynchronously.
    await this.#quiet()
    const calls = this.#calls
    this.#calls = []
    this.#figures.add(`${name}, time`, wall)
    this.#figures.add(`${name}, calls for an app`, calls.length / apps)
    this.#figures.add(`${name}, CPU`, (this.#operator.cpu - cpu) / 1000)
    this.#figures.add(`${name}, CPU of the server`, (this.#serverCpu() - server) / 1000)
    say(`  ${name}: ${wall.toFixed(1)} s; ${tally(calls, apps)}`)
  }

  #calls: Call[] = []

  /** Waits until the operator has sent nothing for a second. */
  async #quiet(): Promise<void> {
    do {
      await sleep(1000)
    } while (this.#collect() > 0)
  }

  #collect(): number {
    const calls = this.#site.calls.next()
    this.#calls.push(...calls)
    return calls.length
  }

  async #rest(seconds: number): Promise<void> {
    this.#site.calls.next()
    const cpu = this.#operator.cpu
    await sleep(seconds * 1000)
    const writes = this.#site.calls.next().filter(isWrite)
    this.#figures.add('rest, writes', writes.length)
    this.#figures.add('rest, CPU', (this.#operator.cpu - cpu) / 1000)
    this.#figures.add('memory at rest', this.#operator.memory)
    say(`  rest: ${writes.length} writes ${tally(writes, 1)}`)
  }

  /** Checks that the operator has deleted the objects of all apps. */
  async #nothingLeft(): Promise<void> {
    for (const collection of ['/apis/apps/v1/deployments', '/api/v1/services']) {
      const { items } = (await this.#site.client.raw(
        'GET',
        `${collection}?labelSelector=coxswain.dev/webapp&limit=1`,
      )) as unknown as { items: readonly unknown[] }
      if (items.length > 0) throw new Error(`objects are left in ${collection}`)
    }
  }

  #serverCpu(): number {
    return this.#site.pids.reduce((sum, pid) => sum + processorTime(pid), 0)
  }
}
