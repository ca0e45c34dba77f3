import { afterEach, describe, expect, it } from 'vitest'
import { ClusterRole } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { aggregatedRoles } from './index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const cluster = await embedded({ controllers: [aggregatedRoles] })
  running.push(cluster)
  return cluster
}

const rule = (resource: string, ...verbs: string[]) => ({ apiGroups: [''], resources: [resource], verbs })
const role = (name: string, labels: Record<string, string>, ...rules: ReturnType<typeof rule>[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels },
  rules,
})
const aggregated = (name: string, ...matchLabels: Record<string, string>[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name },
  aggregationRule: { clusterRoleSelectors: matchLabels.map((labels) => ({ matchLabels: labels })) },
})

describe('clusterrole-aggregation-controller', () => {
  it('an aggregated role has the rules of the selected roles, each once, by selector and name', async () => {
    const cluster = await start()
    const pods = rule('pods', 'get')
    await cluster.apply(
      role('c', { to: 'x' }, rule('services', 'get')),
      role('b', { to: 'x' }, pods, rule('secrets', 'get')),
      role('a', { also: 'y' }, rule('nodes', 'list'), pods),
      role('other', {}, rule('events', 'get')),
      aggregated('sum', { to: 'x' }, { also: 'y' }),
    )
    await cluster.settle()
    const { rules } = await cluster.client.get(ClusterRole, { name: 'sum' })
    expect(rules).toEqual([pods, rule('secrets', 'get'), rule('services', 'get'), rule('nodes', 'list')])
  })

  it('an aggregated role follows changes of labels and rules, and of other aggregated roles', async () => {
    const cluster = await start()
    await cluster.apply(
      { ...aggregated('inner', { to: 'x' }), metadata: { name: 'inner', labels: { to: 'y' } } },
      aggregated('outer', { to: 'y' }),
      role('a', { to: 'x' }, rule('pods', 'get')),
    )
    await cluster.settle()
    const rules = async (): Promise<unknown> => (await cluster.client.get(ClusterRole, { name: 'outer' })).rules
    expect(await rules()).toEqual([rule('pods', 'get')])
    await cluster.apply(role('a', { to: 'x' }, rule('pods', 'list')))
    await cluster.settle()
    expect(await rules()).toEqual([rule('pods', 'list')])
    await cluster.apply(role('a', { to: 'z' }, rule('pods', 'list')))
    await cluster.settle()
    expect(await rules()).toBeNull()
    expect(await cluster.writesDuring(3_600_000)).toEqual([])
  })

  it('a role that is no longer aggregated keeps its rules', async () => {
    const cluster = await start()
    await cluster.apply(role('a', { to: 'x' }, rule('pods', 'get')), aggregated('sum', { to: 'x' }))
    await cluster.settle()
    const patch = { aggregationRule: null }
    await cluster.client.patch(ClusterRole, { name: 'sum' }, { type: 'merge', patch })
    await cluster.settle()
    expect((await cluster.client.get(ClusterRole, { name: 'sum' })).rules).toEqual([rule('pods', 'get')])
  })

  it('an aggregated role loses rules that somebody adds to it', async () => {
    const cluster = await start()
    await cluster.apply(role('a', { to: 'x' }, rule('pods', 'get')), aggregated('sum', { to: 'x' }))
    await cluster.settle()
    await cluster.client.patch(
      ClusterRole,
      { name: 'sum' },
      { type: 'merge', patch: { rules: [rule('secrets', '*')] } },
    )
    await cluster.settle()
    const { rules, metadata } = await cluster.client.get(ClusterRole, { name: 'sum' })
    expect(rules).toEqual([rule('pods', 'get')])
    const owner = metadata.managedFields?.find(({ manager }) => manager === 'clusterrole-aggregation-controller')
    expect(owner).toMatchObject({ operation: 'Apply', fieldsV1: { 'f:rules': {} } })
  })
})
