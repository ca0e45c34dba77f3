import { afterEach, describe, expect, it } from 'vitest'
import { Pod } from '../index.ts'
import { embedded, type Embedded } from '../testing/index.ts'
import type { BehaviourRule } from './index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(behaviours: readonly BehaviourRule[] = []): Promise<Embedded> {
  const cluster = await embedded({ nodes: 1, behaviours })
  running.push(cluster)
  return cluster
}

const pod = (annotations: Record<string, string> = {}, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default', annotations },
  spec: { containers: [{ name: 'web', image: 'web:1' }], ...spec },
})
const key = { namespace: 'default', name: 'a' }
const log = async ({ client }: Embedded, query = ''): Promise<string> =>
  (await client.raw('GET', `/api/v1/namespaces/default/pods/a/log${query}`)) as string

describe('the log of a simulated container', () => {
  it('the log of a simulated container has its start, the lines of its behaviour, and that it is ready', async () => {
    const cluster = await start([
      {
        image: 'web:1',
        behaviour: { readyAfterMs: 3000, log: [{ text: 'one\ntwo' }, { text: 'later', afterMs: 2000 }] },
      },
    ])
    await cluster.apply(pod())
    await cluster.settle()
    expect(await log(cluster)).toBe('starting web:1\none\ntwo\nlater\nready\n')
    expect(await log(cluster, '?tailLines=2&timestamps=true')).toMatch(
      /^2026-01-01T00:00:\d\d\.000000000Z later\n2026-01-01T00:00:\d\d\.000000000Z ready\n$/,
    )
    expect(await log(cluster, '?limitBytes=12')).toBe('starting web')
  })

  it('the log of a simulated container exists while it runs, then as the previous log', async () => {
    const cluster = await start()
    await cluster.apply(pod({ 'coxswain.dev/fault': 'crash-loop' }))
    await expect(log(cluster, '?previous=true')).resolves.toBe('')
    await cluster.advance(500)
    await expect(log(cluster)).rejects.toThrow('container "web" in pod "a" is waiting to start: ContainerCreating')
    await cluster.advance(1000)
    await expect(log(cluster)).resolves.toBe('starting web:1\nready\n')
    await expect(log(cluster, '?previous=true')).rejects.toThrow(
      'previous terminated container "web" in pod "a" not found',
    )
    await cluster.advance(2000)
    expect(await log(cluster)).toBe('starting web:1\nready\nfailed, exit code 1\n')
    expect(await log(cluster, '?previous=true')).toBe(await log(cluster))
  })

  it('the log of a simulated container is not there where the image is not', async () => {
    const cluster = await start()
    await cluster.apply(pod({ 'coxswain.dev/fault': 'image-pull' }))
    await cluster.advance(15_000)
    await expect(log(cluster)).rejects.toThrow(
      'container "web" in pod "a" is waiting to start: trying and failing to pull image',
    )
  })

  it('the log of a simulated container is that of the container asked for, init containers included', async () => {
    const cluster = await start()
    await cluster.apply(
      pod(
        {},
        {
          initContainers: [{ name: 'first', image: 'init:1' }],
          containers: [
            { name: 'web', image: 'web:1' },
            { name: 'side', image: 'side:1' },
          ],
        },
      ),
    )
    await cluster.settle()
    expect(await log(cluster, '?container=first')).toBe('starting init:1\ndone\n')
    expect(await log(cluster, '?container=side')).toBe('starting side:1\nready\n')
    await expect(log(cluster)).rejects.toThrow(
      'a container name must be specified for pod a, choose one of: [first web side]',
    )
    await cluster.client.patch(
      Pod,
      key,
      { type: 'strategic', patch: { spec: { ephemeralContainers: [{ name: 'debugger', image: 'debug:1' }] } } },
      { subresource: 'ephemeralcontainers' },
    )
    await cluster.settle()
    expect(await log(cluster, '?container=debugger')).toBe('starting debug:1\n')
  })

  it('the log of a simulated container is followed until the container ends', async () => {
    const cluster = await start()
    await cluster.apply(pod({ 'coxswain.dev/log': 'tick', 'coxswain.dev/log-every': '10s' }))
    await cluster.advance(5000)
    const whole = log(cluster, '?follow=true')
    await cluster.advance(20_000)
    await cluster.client.delete(Pod, key)
    await cluster.settle()
    expect(await whole).toBe('starting web:1\nready\ntick\ntick\ntick\nreceived SIGTERM, stopping\n')
  })

  it('the log of a simulated container keeps the newest lines, at most one mebibyte', async () => {
    const cluster = await start()
    await cluster.apply(pod({ 'coxswain.dev/log': 'x'.repeat(1000), 'coxswain.dev/log-every': '10ms' }))
    await cluster.settle()
    await cluster.advance(3_600_000)
    const text = await log(cluster)
    expect(text.length).toBeGreaterThan(1024 * 1024 - 1002)
    expect(text.length).toBeLessThanOrEqual(1024 * 1024)
    expect(text).not.toContain('starting')
  })

  it('the log of a simulated container is not known where nobody runs the pod', async () => {
    const cluster = await start()
    await cluster.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'other' } }, pod({}, { nodeName: 'other' }))
    const status = {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'web',
          image: 'web:1',
          imageID: '',
          ready: true,
          restartCount: 0,
          containerID: 'containerd://1',
          state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
        },
      ],
    }
    await cluster.client.patch(Pod, key, { type: 'merge', patch: { status } as never }, { subresource: 'status' })
    await expect(log(cluster)).rejects.toThrow('node "other" is not simulated')
  })
})
