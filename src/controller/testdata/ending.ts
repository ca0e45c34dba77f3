/** Runs a controller whose first run throws, and records all effects. */
import { App, app, bareApps, eventsOf, start } from './app.ts'

export interface Ending {
  /** Milliseconds until the key ran again; undefined: not within an hour. */
  readonly retriedAfterMs: number | undefined
  /** The `result` label under which the run was counted. */
  readonly result: string | undefined
  readonly isError: boolean
  readonly isTerminal: boolean
  readonly isPanic: boolean
  /** Reason of the event about the object. */
  readonly event: string | undefined
}

export async function endingOf(error: unknown): Promise<Ending> {
  const runs: number[] = []
  let afterFirst = ''
  const all = await start(
    bareApps.reconcile(({ now }) => {
      runs.push(now())
      if (runs.length === 1) throw error
      afterFirst = all.metrics.text()
    }),
  )
  await all.client.create(App, app('a'))
  await all.settle()
  await all.env.advanceAsync(3_600_000)
  const text = afterFirst === '' ? all.metrics.text() : afterFirst
  const count = (sample: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(sample))
        ?.split(' ')
        .at(-1) ?? 0,
    )
  const counted = (name: string): boolean => count(`controller_runtime_${name}_total{controller="app"}`) > 0
  const results = ['success', 'error', 'requeue', 'requeue_after', 'conflict', 'stale']
  const [first = 0, second] = runs
  const [event] = (await eventsOf(all)).map((line) => line.split(' ')[1])
  return {
    retriedAfterMs: second === undefined ? undefined : second - first,
    result: results.find((each) => count(`controller_runtime_reconcile_total{controller="app",result="${each}"}`) > 0),
    isError: counted('reconcile_errors'),
    isTerminal: counted('terminal_reconcile_errors'),
    isPanic: counted('reconcile_panics'),
    event,
  }
}
