import { afterEach, describe, expect, it } from 'vitest'
import { Lease, Node, Pod } from '../index.ts'
import { builtinControllers } from '../controllers/index.ts'
import { embedded, type Embedded, type FaultPlan } from '../testing/index.ts'
import { scheduler } from '../scheduler/index.ts'
import { kubelets, lostAnnotation, nodesTask } from './index.ts'

let cluster: Embedded | undefined
afterEach(async () => {
  await cluster?.stop()
  cluster = undefined
})

async function start(faults?: FaultPlan): Promise<Embedded> {
  const { controllers } = builtinControllers(['node-lifecycle-controller'])
  cluster = await embedded({
    controllers: [...controllers, scheduler(), kubelets()],
    tasks: [nodesTask({ count: 2 })],
    faults,
  })
  return cluster
}

const readiness = async ({ client }: Embedded): Promise<(string | undefined)[]> => {
  const { items } = await client.list(Node)
  return items.map(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.status)
}

describe('simulated nodes', () => {
  it('simulated nodes that the server refuses at first register later', async () => {
    let rejections = 0
    const all = await start(({ method, path }) =>
      method === 'POST' && path.startsWith('/api/v1/nodes') && rejections++ < 3
        ? { type: 'answer', status: 500 }
        : undefined,
    )
    await all.advance(5000)
    expect(rejections).toBeGreaterThan(3)
    expect(await readiness(all)).toEqual(['True', 'True'])
  })

  it('simulated nodes register again when the first registration was lost', async () => {
    let lost = 0
    const all = await start(({ method, path }) =>
      method === 'PATCH' && path.includes('/nodes/node-1/status') && lost++ === 0 ? { type: 'drop-before' } : undefined,
    )
    await all.advance(5000)
    expect(lost).toBeGreaterThan(1)
    expect(await readiness(all)).toEqual(['True', 'True'])
  })

  it('simulated nodes repeat a failed heartbeat at once, four times', async () => {
    const responses: number[] = []
    const all = await start(({ method, path }) => {
      const status = method === 'PATCH' && path.includes('/leases/node-1') ? responses.shift() : undefined
      return status === undefined ? undefined : { type: 'answer', status }
    })
    const renewed = async (name: string): Promise<string | undefined> =>
      (await all.client.get(Lease, { namespace: 'kube-node-lease', name })).spec?.renewTime
    const before = await renewed('node-1')
    responses.push(409, 500, 409, 500)
    await all.advance(10_000)
    expect(await renewed('node-1')).not.toBe(before)
    expect(await renewed('node-1')).toBe(await renewed('node-2'))
  })

  it('simulated nodes that were lost are ready again when they are found, and their pods go on', async () => {
    const all = await start()
    const lose = (value: string | null): Promise<unknown> =>
      all.client.patch(
        Node,
        { name: 'node-1' },
        { type: 'merge', patch: { metadata: { annotations: { [lostAnnotation]: value } } } },
      )
    await lose('yes')
    await all.client.create(Pod, {
      metadata: { name: 'a', namespace: 'default' },
      spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'web:1' }] },
    })
    await all.advance(120_000)
    expect(await readiness(all)).toEqual(['Unknown', 'True'])
    const phase = async (): Promise<string | undefined> =>
      (await all.client.get(Pod, { namespace: 'default', name: 'a' })).status?.phase
    expect(await phase()).toBe('Pending')
    await lose(null)
    await all.advance(30_000)
    expect(await readiness(all)).toEqual(['True', 'True'])
    expect(await phase()).toBe('Running')
  })
})
