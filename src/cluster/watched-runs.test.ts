import { expect, it } from 'vitest'
import type { RunResult } from '../controller/run-result.ts'
import { createControlPlane } from '../controlplane/index.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { WatchedRuns } from './watched-runs.ts'

it('a key that succeeds and still counts its failures is found: its next retry would come too late', async () => {
  const env = simulatedEnv()
  const plane = createControlPlane({ env })
  const runs = new WatchedRuns(plane.store, env)
  const { onRun } = runs.begin([], () => true)
  const ended = (result: RunResult, failures: number): void =>
    onRun?.({ controller: 'app', kind: 'App', key: 'default/a', result, failures, writes: [], loop: undefined })
  ended({ type: 'retryable', error: new Error('no'), delayMs: undefined }, 1)
  ended({ type: 'requeueAfter', delayMs: 1000 }, 0)
  ended({ type: 'done' }, 0)
  expect(runs.loop).toBeUndefined()
  ended({ type: 'requeueAfter', delayMs: 1000 }, 2)
  expect(runs.loop).toBe('App default/a, controller app: succeeded, and 2 failures still count')
  runs.stop()
  await plane.close()
})
