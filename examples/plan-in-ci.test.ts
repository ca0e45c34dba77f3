import { planText, type Manifest } from 'coxswain/plan'
import { embedded, matchers, type Embedded } from 'coxswain/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import sitesOperator, { review, Site, sites } from './plan-in-ci.ts'

const site = (spec: object): Manifest => ({
  apiVersion: 'example.dev/v1',
  kind: 'Site',
  metadata: { name: 'shop', namespace: 'default' },
  spec: { image: 'nginx:1.27', ...spec },
})

let cluster: Embedded
beforeEach(async () => {
  cluster = await embedded({ controllers: [sites], nodes: 1 })
  // As `kubectl apply --server-side` does it: fields that the next manifest leaves out are then removed.
  const { metadata, spec } = site({ replicas: 2, host: 'shop.example' })
  await cluster.client.apply(Site, { metadata, spec } as never, { fieldManager: 'kubectl' })
  await cluster.settle()
})
afterEach(() => cluster.stop())

const reviewed = (spec: object) => review([site(spec)], { from: cluster.client, now: cluster.env.now() })

it('the plan example accepts a change, says what it does, and writes nothing', async () => {
  const before = cluster.plane.store.revision
  const { plan, objections } = await reviewed({ image: 'nginx:1.28', replicas: 2, host: 'shop.example' })
  expect(objections).toEqual([])
  expect(plan.work.changes).toMatchObject([
    {
      action: 'update',
      kind: 'Deployment',
      name: 'shop',
      fields: [
        {
          path: 'spec.template.spec.containers[name=site].image',
          before: 'nginx:1.27',
          after: 'nginx:1.28',
        },
      ],
    },
  ])
  expect(planText(plan)).toContain('Plan: 0 to create, 1 to change, 0 to delete')
  expect(cluster.plane.store.revision).toBe(before)
})

it('objects to a change that makes the operator delete something', async () => {
  const { objections } = await reviewed({ replicas: 2 })
  expect(objections).toEqual(['the Ingress shop would be deleted'])
})

it('objects to a change that takes the site down', async () => {
  const { objections } = await reviewed({ replicas: 0, host: 'shop.example' })
  expect(objections).toEqual(['the Deployment shop would be scaled to zero'])
})

it('the plan example reviews a first version against an empty cluster', async () => {
  const { plan, objections } = await review([site({ host: 'shop.example' })], { now: cluster.env.now() })
  expect(objections).toEqual([])
  expect(plan.work.changes.map(({ action, kind }) => `${action} ${kind}`)).toEqual([
    'create Deployment',
    'create Service',
    'create Ingress',
  ])
})

it('the plan example is Ready, uses what it declares, and is then at rest', async () => {
  const found = await cluster.client.get(Site, { namespace: 'default', name: 'shop' })
  expect(matchers.toHaveCondition(found, 'Ready', 'True', 'Available')).toMatchObject({ pass: true })
  // The same objects without nodes, whose heartbeats make an hour long.
  const atRest = await embedded({ controllers: [sites], from: cluster.snapshot() })
  expect(await atRest.writesDuring(3_600_000)).toEqual([])
  await atRest.stop()
  await cluster.client.patch(
    Site,
    { namespace: 'default', name: 'shop' },
    { type: 'merge', patch: { spec: { host: null } } },
  )
  await cluster.settle()
  expect(matchers.toUseExactly(cluster.access, sitesOperator)).toMatchObject({ pass: true })
})
