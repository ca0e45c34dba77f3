/** What a user does to each of the operators in an exploration. */
import { Secret, type ApiObject, type Kind } from 'coxswain'
import type { Embedded, ExploreStep, Oracle } from 'coxswain/testing'
import { Cache } from './cache.ts'
import { Thing } from './cache-mistakes.ts'
import { runNow, ScheduledReport } from './scheduled-report.ts'
import { Site } from './site.ts'
import { Tenant } from './tenant.ts'

const apiVersion = 'quick.example.dev/v1'
const at = (name: string) => ({ namespace: 'default', name })

const create = (kind: Kind, name: string, spec: object): ExploreStep => ({
  name: 'create',
  act: (cluster) => cluster.apply({ apiVersion, kind: kind.kind, metadata: { name }, spec } as never),
})

const change = <T extends ApiObject>(name: string, kind: Kind<T>, object: string, patch: object): ExploreStep => ({
  name,
  act: async ({ client }: Embedded) =>
    void (await client.patch(kind, at(object), { type: 'merge', patch: patch as never })),
})

const remove = <T extends ApiObject>(kind: Kind<T>, object: string): ExploreStep => ({
  name: 'delete',
  act: async ({ client }) => void (await client.delete(kind, at(object))),
})

const setting = (name: string, value: string) => ({ name, data: { value } })

export const tenantSteps: readonly ExploreStep[] = [
  create(Tenant, 'blue', { members: ['ann'], settings: [setting('theme', 'dark'), setting('zone', 'utc')] }),
  change('add', Tenant, 'blue', {
    spec: {
      cpu: '4',
      members: ['ann', 'bob'],
      settings: [setting('theme', 'light'), setting('zone', 'utc'), setting('mail', 'on')],
    },
  }),
  change('remove', Tenant, 'blue', { spec: { members: [], settings: [setting('mail', 'on')] } }),
  remove(Tenant, 'blue'),
]

const runReport = (name: string): ExploreStep =>
  change(name, ScheduledReport, 'sales', { metadata: { annotations: { [runNow]: name } } })

export const reportSteps: readonly ExploreStep[] = [
  create(ScheduledReport, 'sales', { schedule: '0 3 1 1 *', query: 'sales' }),
  runReport('run'),
  runReport('run again'),
  change('suspend', ScheduledReport, 'sales', { spec: { suspended: true } }),
  remove(ScheduledReport, 'sales'),
]

export const siteSteps: readonly ExploreStep[] = [
  create(Site, 'shop', { image: 'nginx:1.27', host: 'shop.example.dev' }),
  change('scale', Site, 'shop', { spec: { replicas: 3 } }),
  change('update', Site, 'shop', { spec: { image: 'nginx:1.28', host: 'www.example.dev' } }),
  remove(Site, 'shop'),
]

/** Its value is random, so the runs of an exploration cannot be compared by it. */
export const sitePassword = 'v1 Secret data.password'

export const passwordIsKept: Oracle = {
  name: 'password',
  change: ({ type, object, previous }) =>
    type === 'update' && object.kind === 'Secret' && passwordOf(object) !== passwordOf(previous)
      ? 'the password of a Site has changed'
      : undefined,
}

const passwordOf = (secret: unknown): string | undefined => (secret as Secret).data?.['password']

const secret = (password: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'users' },
  stringData: { password },
})

const backup = { schedule: '0 3 1 1 *', keep: 3 }

export const cacheSteps: readonly ExploreStep[] = [
  {
    name: 'create',
    act: (cluster) =>
      cluster.apply(secret('one'), {
        apiVersion,
        kind: 'Cache',
        metadata: { name: 'hot' },
        spec: { version: '8.1', replicas: 2, secretName: 'users', backup },
      } as never),
  },
  {
    name: 'rotate',
    act: async ({ client }) =>
      void (await client.patch(Secret, at('users'), { type: 'merge', patch: { stringData: { password: 'two' } } })),
  },
  change('scale and upgrade', Cache, 'hot', { spec: { replicas: 3, version: '8.2' } }),
  change('no backup', Cache, 'hot', { spec: { backup: null } }),
  remove(Cache, 'hot'),
]

export const thingSteps: readonly ExploreStep[] = [
  create(Thing, 'one', { text: 'a' }),
  change('update', Thing, 'one', { spec: { text: 'b' } }),
]
