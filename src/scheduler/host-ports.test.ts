import { afterEach, describe, expect, it } from 'vitest'
import { Pod } from '../index.ts'
import { embedded, type Embedded } from '../testing/index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

interface Port {
  readonly hostPort: number
  readonly hostIP?: string
  readonly protocol?: 'TCP' | 'UDP'
}

const container = (port: Port) => ({ name: 'c', image: 'i', ports: [{ containerPort: 80, ...port }] })
const pod = (name: string, spec: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec,
})

/** Whether the second pod gets onto the only node too. */
async function bothFit(first: object, second: object): Promise<boolean> {
  const cluster = await embedded({ nodes: 1 })
  running.push(cluster)
  await cluster.apply(pod('first', first))
  await cluster.settle({ patienceMs: 0 })
  await cluster.apply(pod('second', second))
  await cluster.settle({ patienceMs: 0 })
  const { spec, status } = await cluster.client.get(Pod, { namespace: 'default', name: 'second' })
  if (spec?.nodeName !== undefined) return true
  expect(status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message).toMatch(
    /^0\/1 nodes are available: 1 node\(s\) didn't have free ports for the requested pod ports\./,
  )
  return false
}

describe('ports of nodes', () => {
  it.each<[Port, Port, boolean]>([
    [{ hostPort: 80 }, { hostPort: 80 }, false],
    [{ hostPort: 80 }, { hostPort: 81 }, true],
    [{ hostPort: 80 }, { hostPort: 80, protocol: 'UDP' }, true],
    [{ hostPort: 80 }, { hostPort: 80, hostIP: '0.0.0.0' }, false],
    [{ hostPort: 80 }, { hostPort: 80, hostIP: '192.0.2.1' }, false],
    [{ hostPort: 80, hostIP: '192.0.2.1' }, { hostPort: 80 }, false],
    [{ hostPort: 80, hostIP: '192.0.2.1' }, { hostPort: 80, hostIP: '192.0.2.1' }, false],
    [{ hostPort: 80, hostIP: '192.0.2.1' }, { hostPort: 80, hostIP: '127.0.0.1' }, true],
  ])('ports of nodes are used by one pod for an address, or for all: %o, %o', async (first, second, fit) => {
    expect(await bothFit({ containers: [container(first)] }, { containers: [container(second)] })).toBe(fit)
  })

  it.each([
    ['Always', false],
    [undefined, true],
  ])('ports of nodes are used by init containers only if they are sidecars: %s', async (restartPolicy, fit) => {
    const init = {
      ...container({ hostPort: 80 }),
      name: 'init',
      ...(restartPolicy === undefined ? {} : { restartPolicy }),
    }
    const first = { initContainers: [init], containers: [{ name: 'c', image: 'i' }] }
    expect(await bothFit(first, { containers: [container({ hostPort: 80 })] })).toBe(fit)
  })
})
