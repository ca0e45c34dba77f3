import { expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { EventLoopLag } from './event-loop-lag.ts'

it('measures with a timer every second', () => {
  const env = simulatedEnv()
  const lag = new EventLoopLag(env, new Metrics(), silentLogger)
  lag.start()
  expect([env.pending, env.nextDue]).toEqual([1, env.monotonic() + 1000])
  lag.stop()
  expect(env.pending).toBe(0)
})

it('sets no timer if it is off, and is never late', () => {
  const env = simulatedEnv()
  const metrics = new Metrics()
  const lag = new EventLoopLag(env, metrics, silentLogger, false)
  lag.start()
  env.advance(60_000)
  expect([env.pending, lag.ms]).toEqual([0, 0])
  expect(metrics.text()).toContain('coxswain_event_loop_lag_seconds 0')
})
