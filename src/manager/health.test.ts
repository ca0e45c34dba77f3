import { beforeEach, describe, expect, it } from 'vitest'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import { Probes } from './health.ts'

let env: SimulatedEnv
let probes: Probes
beforeEach(() => {
  env = simulatedEnv()
  probes = new Probes(env)
  probes.add('ping', () => undefined)
})

describe('probes', () => {
  it('health probes are short when all is well, and list all checks when one fails', async () => {
    expect(await probes.answer('healthz')).toEqual({ status: 200, body: 'ok' })
    expect(await probes.answer('healthz', { verbose: true })).toEqual({
      status: 200,
      body: '[+]ping ok\nhealthz check passed\n',
    })
    probes.add('disk', () => 'full')
    probes.add('mail', () => Promise.reject(new Error('no route')))
    expect(await probes.answer('healthz')).toEqual({
      status: 500,
      body: '[+]ping ok\n[-]disk failed: full\n[-]mail failed: no route\nhealthz check failed\n',
    })
  })

  it('health probes answer for one check, and say which there are', async () => {
    probes.add('disk', () => {
      throw 'odd'
    })
    expect(await probes.answer('healthz', { name: 'ping' })).toEqual({ status: 200, body: 'ok' })
    expect(await probes.answer('healthz', { name: 'disk' })).toEqual({ status: 500, body: 'odd\n' })
    expect(await probes.answer('healthz', { name: 'pong' })).toEqual({
      status: 404,
      body: 'no check is called pong; there are: ping, disk\n',
    })
  })

  it('health probes leave out excluded checks, and report names that do not exist', async () => {
    probes.add('disk', () => 'full')
    expect(await probes.answer('readyz', { exclude: ['disk', 'moon'], verbose: true })).toEqual({
      status: 200,
      body:
        '[+]ping ok\n[+]disk excluded: ok\nwarn: some health checks cannot be excluded: no matches for ' +
        '"moon"\nreadyz check passed\n',
    })
  })

  it('health probes do not wait for a check that hangs, and leave no timer', async () => {
    probes.add('slow', () => new Promise(() => undefined))
    const answer = probes.answer('healthz')
    await env.advanceAsync(5_000)
    expect((await answer).body).toContain('[-]slow failed: no answer within 5 s')
    expect(env.pending).toBe(0)
  })

  it('health probes refuse a name twice, and one that is no path', () => {
    expect(() => probes.add('ping', () => undefined)).toThrow('is there already')
    expect(() => probes.add('a/b', () => undefined)).toThrow('cannot name a check')
  })
})
