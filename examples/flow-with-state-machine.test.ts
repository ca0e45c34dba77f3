import { Deployment, Service } from 'coxswain'
import { traceLines, type Trace } from 'coxswain/flow'
import { declaredEdges, embedded, explore, matchers, standardOracles, type Embedded } from 'coxswain/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import rolloutsOperator, { lifecycle, Rollout, rollouts } from './flow-with-state-machine.ts'

const rollout = (image: string, replicas = 2) => ({
  apiVersion: 'example.dev/v1',
  kind: 'Rollout',
  metadata: { name: 'shop' },
  spec: { image, replicas },
})
const key = { namespace: 'default', name: 'shop' }
const behaviours = [{ image: /:broken$/, behaviour: { failPull: true } }]

let cluster: Embedded
let traces: Trace[]
beforeEach(async () => {
  traces = []
  cluster = await embedded({
    controllers: [rollouts],
    nodes: 1,
    behaviours,
    traces: { add: (trace) => void traces.push(trace) },
  })
})
afterEach(() => cluster.stop())

const status = async () => (await cluster.client.get(Rollout, key)).status
const deployments = async () => (await cluster.client.list(Deployment)).items.map(({ metadata }) => metadata.name)
const selector = async () => (await cluster.client.get(Service, key)).spec?.selector
const apply = async (image: string, replicas?: number) => {
  await cluster.apply(rollout(image, replicas))
  await cluster.settle()
}

it('walks from Pending to Active, and keeps what is active', async () => {
  await apply('nginx:1.27')
  expect(await status()).toMatchObject({ phase: 'Active', active: 'blue', image: 'nginx:1.27', observedGeneration: 1 })
  expect(await selector()).toEqual({ rollout: 'shop', color: 'blue' })
  expect((await cluster.events(rollout(''))).map(({ reason }) => reason)).toEqual(['Preparing', 'Switching', 'Active'])

  await apply('nginx:1.27', 3)
  expect(await deployments()).toEqual(['shop-blue'])
  expect((await cluster.client.get(Deployment, { ...key, name: 'shop-blue' })).spec?.replicas).toBe(3)
})

it('the state machine example switches the Service when the new Deployment is available', async () => {
  await apply('nginx:1.27')
  await cluster.apply(rollout('nginx:1.28'))
  await cluster.advance(500)
  expect(await status()).toMatchObject({ phase: 'Preparing', active: 'blue', image: 'nginx:1.27' })
  expect(await deployments()).toEqual(['shop-blue', 'shop-green'])
  expect(await selector()).toMatchObject({ color: 'blue' })

  await cluster.settle()
  expect(await status()).toMatchObject({ phase: 'Active', active: 'green', image: 'nginx:1.28', observedGeneration: 2 })
  expect(await deployments()).toEqual(['shop-green'])
  expect(await selector()).toMatchObject({ color: 'green' })
  expect(matchers.toUseExactly(cluster.access, rolloutsOperator)).toMatchObject({ pass: true })
})

it('the state machine example writes nothing at rest, also after a restart', async () => {
  await apply('nginx:1.27')
  // The same objects without nodes, whose heartbeats make an hour long.
  const atRest = await embedded({ controllers: [rollouts], from: cluster.snapshot() })
  expect(atRest.requests.filter((line) => !line.startsWith('GET '))).toEqual([])
  expect(await atRest.writesDuring(3_600_000)).toEqual([])
  await atRest.stop()
})

it('the state machine example keeps the active Deployment when the new one fails', async () => {
  await apply('nginx:1.27')
  await cluster.apply(rollout('nginx:broken'))
  await cluster.advance(300_000)
  expect(await status()).toMatchObject({ phase: 'Failed', active: 'blue', image: 'nginx:1.27', observedGeneration: 2 })
  expect(matchers.toHaveCondition(await cluster.client.get(Rollout, key), 'Ready', 'False', 'Failed').pass).toBe(true)
  expect(await selector()).toMatchObject({ color: 'blue' })

  await apply('nginx:1.28')
  expect(await status()).toMatchObject({ phase: 'Active', active: 'green', image: 'nginx:1.28' })
})

it('the state machine example leaves a trace of the steps of each run', async () => {
  await apply('nginx:1.27')
  expect(traces.map((trace) => traceLines(trace).join('\n')).join('\n')).toMatch(/begin +to Preparing: the spec is new/)
  expect(lifecycle.edges).toContainEqual(['Preparing', 'Failed'])
})

it(
  'the state machine example converges when any call fails, along the declared transitions',
  { timeout: 120_000 },
  async () => {
    const report = await explore({
      cluster: { controllers: () => [rollouts], nodes: 1 },
      oracles: [
        ...standardOracles,
        // One run may take several transitions, and writes only the last phase.
        declaredEdges(Rollout, (object) => object.status?.phase, {
          '': ['Preparing'],
          Preparing: ['Switching', 'Active', 'Failed'],
          Switching: ['Active'],
          Active: ['Preparing'],
        }),
      ],
      steps: [
        { name: 'create', act: (explored) => explored.apply(rollout('nginx:1.27')) },
        { name: 'update', act: (explored) => explored.apply(rollout('nginx:1.28')) },
      ],
      atMost: 8,
    })
    expect(report.failures, report.text).toEqual([])
  },
)
