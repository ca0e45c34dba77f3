/** Plans of small operators, and of the WebApp operator: what they contain, and that it then really happens. */
import { afterEach, describe, expect, it } from 'vitest'
import { ApiError } from '../api/status.ts'
import type { Client } from '../client/client.ts'
import { controller } from '../controller/builder.ts'
import { requeueAfter } from '../controller/result.ts'
import {
  ConfigMap,
  DaemonSet,
  Deployment,
  Job,
  Secret,
  Service,
  ValidatingWebhookConfiguration,
} from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { kind } from '../schema/kind.ts'
import { embedded } from '../cluster/embedded.ts'
import type { Embedded } from '../cluster/embedded-handle.ts'
import type { PlannedChange } from './change-set.ts'
import { parseManifests, type Manifest } from './manifest.ts'
import { plan, type Plan, type PlanOptions } from './plan.ts'
import { countChanges, planText } from './plan-text.ts'

const now = Date.parse('2026-11-17T00:00:00Z')
const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

const Site = resource('example.dev/v1', 'Site', {
  spec: t.object({
    text: t.string(),
    password: t.string().default('hunter2'),
    replicas: t.int().default(1),
    extra: t.string().optional(),
  }),
  status: t.object({ phase: t.string().optional(), conditions: t.conditions().optional() }),
})

/** Creates a Deployment, and a further object only when its pods are ready: a plan of a single run would miss that. */
const sites = controller(Site)
  .owns(Deployment, ConfigMap, Secret)
  .options({ observedGeneration: false })
  .reconcile(async ({ object, apply, get, status, event }) => {
    const { name } = object.metadata
    const { text, password, replicas, extra } = object.spec
    const labels = { site: name }
    await apply(Secret, { metadata: { name }, stringData: { password } })
    await apply(Deployment, {
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'web', image: `site:${text}`, env: [{ name: 'TOKEN', value: password }] }] },
        },
      },
    })
    const isReady = (await get(Deployment, name))?.status?.availableReplicas === replicas
    status.set({ phase: isReady ? 'Up' : 'Starting' })
    status.condition({ type: 'Ready', status: isReady, reason: isReady ? 'Up' : 'Starting' })
    if (!isReady) return
    const { outcome } = await apply(ConfigMap, {
      metadata: { name },
      data: { text, ...(extra === undefined ? {} : { extra }) },
    })
    if (outcome !== 'unchanged') event('Normal', 'Up', `${text} is up`)
  })
const operator: PlanOptions['operator'] = { name: 'sites', controllers: [sites] }

const site = (spec: object = {}, name = 'one'): Manifest => ({
  apiVersion: 'example.dev/v1',
  kind: 'Site',
  metadata: { name, namespace: 'default' },
  spec: { text: 'a', ...spec },
})

const configMap: Manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace: 'default' } }

/** A cluster in which the operator has run, and runs no more. */
async function cluster(...objects: readonly Manifest[]): Promise<Embedded> {
  const made = await embedded({ nodes: 1, controllers: [sites] })
  await made.apply(...(objects as never[]))
  await made.settle()
  running.push(made)
  return made
}

const brief = (changes: readonly PlannedChange[]): string[] =>
  changes.map(({ action, kind: of, name, fields }) =>
    [
      `${action} ${of} ${name}`,
      ...fields.map(
        ({ path, before, after }) => `${path} ${JSON.stringify(before) ?? ''}>${JSON.stringify(after) ?? ''}`,
      ),
    ].join('; '),
  )
const whole = ({ pending, wish, work, collected }: Plan): Record<string, string[]> => ({
  pending: brief(pending.changes),
  wish: brief(wish),
  work: brief(work.changes),
  collected: brief(collected),
})

describe('a plan', () => {
  it('a plan goes to the end, not only through the first run', async () => {
    const made = await plan({ operator, apply: [site()], now })
    expect(whole(made)).toEqual({
      pending: [],
      wish: ['create Site one'],
      work: ['create Secret one', 'create Deployment one', 'create ConfigMap one'],
      collected: [],
    })
    expect(made.work.events).toEqual([{ type: 'Normal', reason: 'Up', message: 'a is up', about: 'Site default/one' }])
    expect(made.outcomes).toMatchObject([{ kind: 'Site', name: 'one', isGone: false, status: { phase: 'Up' } }])
    expect(made.takes).toBeGreaterThan(500)
  })

  it('a plan of a cluster reports only what is different there, and writes nothing to it', async () => {
    const from = await cluster(site({ replicas: 2 }))
    const { revision } = from.plane.store
    const made = await plan({ operator, from: from.client, apply: [site({ text: 'b', replicas: 2 })], now })
    expect(whole(made)).toEqual({
      pending: [],
      wish: ['update Site one; spec.text "a">"b"'],
      work: [
        'update Deployment one; spec.template.spec.containers[name=web].image "site:a">"site:b"',
        'update ConfigMap one; data.text "a">"b"',
      ],
      collected: [],
    })
    expect(from.plane.store.revision).toBe(revision)
  })

  it('a plan is what then happens', async () => {
    const from = await cluster(site())
    const wish = site({ text: 'c', replicas: 3 })
    const { work } = await plan({ operator, from: from.client, apply: [wish], now })
    await from.apply(wish as never)
    await from.settle()
    const { spec } = await from.client.get(Deployment, { namespace: 'default', name: 'one' })
    expect(brief(work.changes)).toEqual([
      `update Deployment one; spec.replicas 1>${spec?.replicas}; ` +
        'spec.template.spec.containers[name=web].image ' +
        `"site:a">"${spec?.template?.spec?.containers?.[0]?.image}"`,
      'update ConfigMap one; data.text "a">"c"',
    ])
  })

  it('a plan of the same again is nothing', async () => {
    const from = await cluster(site())
    const made = await plan({ operator, from: from.client, apply: [site()], now })
    expect(whole(made)).toEqual({ pending: [], wish: [], work: [], collected: [] })
    expect(planText(made)).toContain('Plan: nothing for the operator sites to do.')
  })

  it('a plan reports what the operator would do even so, as another version of it, or after a drift', async () => {
    const from = await cluster(site(), site({}, 'two'))
    const patch = { type: 'merge', patch: { spec: { replicas: 7 } } } as const
    await from.stop()
    running.splice(0)
    const still = await embedded({ from: from.snapshot() })
    running.push(still)
    await still.client.patch(Deployment, { namespace: 'default', name: 'two' }, patch)
    const made = await plan({ operator, from: still.client, apply: [site({ text: 'b' })], now })
    expect(whole(made).pending).toEqual(['update Deployment two; spec.replicas 7>1'])
    expect(whole(made).work).toHaveLength(2)
    const alone = await plan({ operator, from: still.client, now })
    expect(whole(alone)).toEqual({
      pending: ['update Deployment two; spec.replicas 7>1'],
      wish: [],
      work: [],
      collected: [],
    })
    expect(planText(alone)).toContain('Even without your change, the operator sites would')
    expect(countChanges(alone)).toEqual({ create: 0, update: 1, delete: 0 })
  })

  it('a plan of a deletion reports what goes with it', async () => {
    const from = await cluster(site())
    const made = await plan({ operator, from: from.client, delete: [site()], now })
    expect(whole(made)).toEqual({
      pending: [],
      wish: ['delete Site one'],
      work: [],
      collected: ['delete Deployment one', 'delete ConfigMap one', 'delete Secret one'],
    })
    expect(made.outcomes).toEqual([{ kind: 'Site', namespace: 'default', name: 'one', isGone: true }])
    expect(planText(made)).toContain('  Site default/one is gone')
    await expect(plan({ operator, from: from.client, delete: [site({}, 'none')], now })).rejects.toThrow(
      'there is no Site default/none to delete',
    )
  })

  it('a plan takes away what kubectl applied and the file does not say any more', async () => {
    const from = await cluster()
    await from.client.apply(Site, site({ extra: 'x' }) as never, { fieldManager: 'kubectl' })
    await from.settle()
    const items = (await from.client.list(Site)).items.map(
      (item) => ({ ...item, apiVersion: 'example.dev/v1', kind: 'Site' }) as unknown as Manifest,
    )
    const clientSide = items.map((item) => ({
      ...item,
      metadata: {
        ...item.metadata,
        managedFields: item.metadata.managedFields?.map((entry) =>
          entry.manager === 'kubectl'
            ? { ...entry, manager: 'kubectl-client-side-apply', operation: 'Update' as const }
            : entry,
        ),
      },
    })) as Manifest[]
    const others = (
      await Promise.all(
        [Deployment, ConfigMap, Secret].map(async (each) =>
          (await from.client.list(each, { namespace: 'default' })).items.map(
            (item) => ({ ...item, apiVersion: each.apiVersion, kind: each.kind }) as unknown as Manifest,
          ),
        ),
      )
    ).flat()
    const made = await plan({ operator, from: [...clientSide, ...others], apply: [site()], now })
    expect(whole(made)).toEqual({
      pending: [],
      wish: ['update Site one; spec.extra "x">'],
      work: ['update ConfigMap one; data.extra "x">'],
      collected: [],
    })
  })

  it('a plan shows no secret', async () => {
    const made = await plan({ operator, apply: [site({ password: 'very-secret' })], now })
    expect(planText(made)).toContain('password: "***"')
    expect(planText(made) + JSON.stringify(made)).not.toContain('very-secret')
    const from = await cluster(site())
    const changed = await plan({ operator, from: from.client, apply: [site({ password: 'very-secret' })], now })
    expect(brief(changed.work.changes)).toContain('update Secret one; data.password "***">"***"')
    expect(planText(changed) + JSON.stringify(changed)).not.toMatch(/very-secret|hunter2|dmVyeS1zZWNyZXQ|aHVudGVyMg/)
  })

  it('a plan leaves the terminal alone', async () => {
    const reported = controller(Site)
      .options({ observedGeneration: false })
      .reconcile(({ event }) => event('Normal', 'Said', 'clear\u001B[2Jed'))
    const text = planText(await plan({ operator: { name: 'sites', controllers: [reported] }, apply: [site()], now }))
    expect(text).toContain('clear·[2Jed')
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  it('a plan copies addresses, foreign owners and kinds that are known by name', async () => {
    const Widget = kind({ apiVersion: 'other.dev/v1', kind: 'Widget', plural: 'widgets', namespaced: true })
    const definition = resource('other.dev/v1', 'Widget', { spec: t.object({ size: t.int() }) }).crd
    const reads = controller(Site)
      .owns(Service)
      .reads(Widget)
      .options({ observedGeneration: false })
      .reconcile(
        async ({
          get,
          status,
          object: {
            metadata: { name },
          },
          apply,
        }) => {
          const widget = await get(Widget, 'big')
          status.set({ phase: widget === undefined ? 'NoWidget' : 'Widget' })
          await apply(Service, {
            metadata: { name },
            spec: { selector: { site: name }, ports: [{ port: 80, protocol: 'TCP' }] },
          })
        },
      )
    const from = await embedded({ crds: [definition, Site.crd] })
    running.push(from)
    await from.client.create(Widget, { metadata: { name: 'big', namespace: 'default' }, spec: { size: 1 } })
    const ownerReferences = [{ apiVersion: 'gone.dev/v1', kind: 'Gone', name: 'x', uid: 'u-1', controller: true }]
    await from.client.create(Service, {
      metadata: { name: 'foreign', namespace: 'default', ownerReferences },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    } as never)
    const made = await plan({
      operator: { name: 'sites', controllers: [reads] },
      from: from.client,
      apply: [site()],
      now,
    })
    expect(made.warnings).toEqual([])
    expect(made.outcomes[0]?.status).toMatchObject({ phase: 'Widget' })
    expect(whole(made)).toEqual({ pending: [], wish: ['create Site one'], work: ['create Service one'], collected: [] })
  })

  it('a plan says what may not be read, and goes without it on request', async () => {
    const from = await cluster(site())
    const client = {
      ...from.client,
      get: from.client.get.bind(from.client),
      list: (of: { plural: string }, options: object) => {
        if (of.plural !== 'secrets') return from.client.list(of as never, options)
        return Promise.reject(
          new ApiError({ code: 403, reason: 'Forbidden', message: 'secrets is forbidden' } as never),
        )
      },
    } as unknown as Client
    await expect(plan({ operator, from: client, now })).rejects.toThrow(
      'secrets is forbidden: a plan reads what the operator reads; leave them out with --without secrets',
    )
    const without = await plan({ operator, from: client, without: ['secrets'], now })
    expect(whole(without).pending).toEqual(['create Secret one'])
    expect(without.warnings).toEqual(['secrets were not read (--without): to the plan there are none'])
  })

  it('a plan of a change deep in a long text reports it, and where', async () => {
    const long = (mark: string): string => `${'a'.repeat(500)}${mark}${'b'.repeat(500)}`
    const from = await cluster(site({ extra: long('1') }))
    const made = await plan({ operator, from: from.client, apply: [site({ extra: long('2') })], now })
    expect(made.work.changes).toMatchObject([
      { kind: 'ConfigMap', fields: [{ path: 'data.extra', before: long('1'), after: long('2') }] },
    ])
    expect(planText(made)).toMatch(/data\.extra: …a{20}1b+… → …a{20}2b+…/)
  })

  it('a plan takes a file as kubectl got it', async () => {
    const from = await cluster(site())
    const got = {
      ...(await from.client.get(Site, { namespace: 'default', name: 'one' })),
      apiVersion: 'example.dev/v1',
      kind: 'Site',
      spec: { text: 'b' },
    } as unknown as Manifest
    expect(whole(await plan({ operator, from: from.client, apply: [got], now })).work).toHaveLength(2)
    expect(whole(await plan({ operator, apply: [got], now })).work).toHaveLength(3)
  })

  it('a plan makes the namespaces of a cluster with nothing in it', async () => {
    const made = await plan({ operator, apply: [{ ...site(), metadata: { name: 'one', namespace: 'prod' } }], now })
    expect(made.outcomes).toMatchObject([{ namespace: 'prod', status: { phase: 'Up' } }])
  })

  it('a plan of a kind without namespaces looks into all of them', async () => {
    const Fleet = resource('example.dev/v1', 'Fleet', { scope: 'Cluster', spec: t.object({ text: t.string() }) })
    const fleets = controller(Fleet)
      .owns(ConfigMap)
      .reconcile(async ({ object, apply }) => {
        await apply(ConfigMap, { metadata: { name: 'fleet', namespace: 'prod' }, data: { text: object.spec.text } })
      })
    const from = await embedded({ controllers: [fleets] })
    running.push(from)
    await from.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'prod' } })
    const fleet = (text: string): Manifest => ({
      apiVersion: 'example.dev/v1',
      kind: 'Fleet',
      metadata: { name: 'all' },
      spec: { text },
    })
    await from.apply(fleet('a'))
    await from.settle()
    const made = await plan({
      operator: { name: 'fleets', controllers: [fleets] },
      from: from.client,
      apply: [fleet('b')],
      now,
    })
    expect(whole(made)).toEqual({
      pending: [],
      wish: ['update Fleet all; spec.text "a">"b"'],
      work: ['update ConfigMap fleet; data.text "a">"b"'],
      collected: [],
    })
  })

  it('a plan tells apart what is made again, what goes as a collection, and what goes with its owner', async () => {
    const remade = controller(Site)
      .owns(ConfigMap)
      .options({ observedGeneration: false })
      .may('deletecollection', Secret)
      .reconcile(async ({ object, get, client }) => {
        const { name, uid } = object.metadata
        const known = await get(ConfigMap, name)
        if (known?.data?.['text'] === object.spec.text) return
        if (known !== undefined) await client.delete(ConfigMap, { namespace: 'default', name })
        const ownerReferences = [{ apiVersion: 'example.dev/v1', kind: 'Site', name, uid, controller: true }]
        await client.create(ConfigMap, {
          metadata: { name, namespace: 'default', ownerReferences },
          data: { text: object.spec.text },
        })
        await client.deleteCollection(Secret, { namespace: 'default', labelSelector: 'old=yes' })
      })
    const from = await embedded({ controllers: [remade] })
    running.push(from)
    await from.apply(
      site(),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'old', labels: { old: 'yes' } } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'new' } },
    )
    await from.settle()
    await from.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'old', labels: { old: 'yes' } } })
    const reading = {
      ...remade,
      sources: [...remade.sources, { type: 'read', kind: Secret, informer: {} }],
    } as typeof remade
    const made = await plan({
      operator: { name: 'sites', controllers: [reading] },
      from: from.client,
      apply: [site({ text: 'b' })],
      now,
    })
    expect(whole(made)).toEqual({
      pending: [],
      wish: ['update Site one; spec.text "a">"b"'],
      work: ['update ConfigMap one', 'delete Secret old'],
      collected: [],
    })
  })

  it('a plan says of an unchanged file that kubectl applied that nothing changes', async () => {
    const from = await cluster()
    const note = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' }
    await from.client.create(Site, { ...site(), metadata: { ...site().metadata, annotations: note } } as never, {
      fieldManager: 'kubectl-client-side-apply',
    })
    await from.settle()
    expect(whole(await plan({ operator, from: from.client, apply: [site()], now }))).toEqual({
      pending: [],
      wish: [],
      work: [],
      collected: [],
    })
  })

  it('a plan shows no secret of a status, and warns of kinds that nobody works on', async () => {
    const Account = resource('example.dev/v1', 'Account', {
      spec: t.object({}),
      status: t.object({ adminPassword: t.string().optional() }),
    })
    const accounts = controller(Account)
      .owns(DaemonSet, Job)
      .reconcile(({ status }) => status.set({ adminPassword: 'very-secret' }))
    const account: Manifest = { apiVersion: 'example.dev/v1', kind: 'Account', metadata: { name: 'a' }, spec: {} }
    const job: Manifest = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j', namespace: 'default' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } },
    }
    const from = await embedded()
    running.push(from)
    await from.apply(job)
    const made = await plan({
      operator: { name: 'accounts', controllers: [accounts] },
      from: from.client,
      apply: [account],
      now,
    })
    expect(JSON.stringify(made)).not.toContain('very-secret')
    expect(made.warnings).toEqual(['the cluster does not serve accounts.example.dev in v1: to the plan there are none'])
  })

  it('a plan has what the server warns about, of the change and of the operator', async () => {
    const annotations = { 'service.kubernetes.io/topology-aware-hints': 'auto' }
    const web: Manifest = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', annotations },
      spec: { ports: [{ port: 80 }] },
    }
    const services = controller(Site)
      .owns(Service)
      .reconcile(async ({ object, apply }) => {
        const { name } = object.metadata
        await apply(Service, {
          metadata: { name },
          spec: { ports: [{ port: 80 }], trafficDistribution: 'PreferClose' },
        })
      })
    const site: Manifest = { apiVersion: 'example.dev/v1', kind: 'Site', metadata: { name: 's' }, spec: { text: 'a' } }
    const { warnings } = await plan({ operator: { name: 'sites', controllers: [services] }, apply: [web, site], now })
    expect(warnings).toEqual([
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, ' +
        'please use service.kubernetes.io/topology-mode instead',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ])
  })

  it('a plan shows no secret that is kept as text', async () => {
    const Account = resource('example.dev/v1', 'Account', {
      spec: t.object({}),
      status: t.object({ copy: t.string().optional() }),
    })
    const accounts = controller(Account).reconcile(({ status }) =>
      status.set({ copy: '{"env":{"DB_PASSWORD":"very-secret","A":"b"}}' }),
    )
    const account: Manifest = { apiVersion: 'example.dev/v1', kind: 'Account', metadata: { name: 'a' }, spec: {} }
    const made = await plan({ operator: { name: 'accounts', controllers: [accounts] }, apply: [account], now })
    expect(made.outcomes[0]?.status).toMatchObject({ copy: '{"env":{"DB_PASSWORD":"***","A":"b"}}' })
  })

  it('a plan keeps a status that the schema would refuse now, and the identity of its object', async () => {
    const from = await cluster(site())
    const strict = {
      ...Site,
      crd: JSON.parse(JSON.stringify(Site.crd).replace('"phase":{', '"phase":{"maxLength":0,')) as typeof Site.crd,
    }
    const quiet = { ...sites, kind: strict, reconcile: () => undefined } as typeof sites
    const made = await plan({
      operator: { name: 'sites', controllers: [quiet] },
      from: from.client,
      apply: [site()],
      now,
    })
    expect(made.warnings).toEqual([])
    expect(made.outcomes).toMatchObject([{ status: { phase: 'Up' } }])
    expect(whole(made)).toEqual({ pending: [], wish: [], work: [], collected: [] })
  })

  it('a plan keeps the addresses of Services', async () => {
    const served = controller(Site)
      .owns(Service)
      .options({ observedGeneration: false })
      .reconcile(
        async ({
          object: {
            metadata: { name },
          },
          apply,
        }) => {
          await apply(Service, {
            metadata: { name },
            spec: {
              type: 'NodePort',
              selector: { site: name },
              ports: [{ port: 80, protocol: 'TCP', nodePort: 30080 }],
            },
          })
        },
      )
    const from = await embedded({ controllers: [served] })
    running.push(from)
    await from.apply(site())
    await from.settle()
    const service = {
      ...(await from.client.get(Service, { namespace: 'default', name: 'one' })),
      apiVersion: 'v1',
      kind: 'Service',
    } as unknown as Manifest
    const made = await plan({
      operator: { name: 'served', controllers: [served] },
      from: from.client,
      apply: [service],
      now,
    })
    expect(whole(made)).toEqual({ pending: [], wish: [], work: [], collected: [] })
    const foreign = {
      ...service,
      spec: { ...(service['spec'] as object), clusterIP: '10.43.7.7', clusterIPs: ['10.43.7.7'] },
    } as unknown as Manifest
    const owner = {
      ...(await from.client.get(Site, { namespace: 'default', name: 'one' })),
      apiVersion: 'example.dev/v1',
      kind: 'Site',
    } as unknown as Manifest
    const elsewhere = await plan({
      operator: { name: 'served', controllers: [served] },
      from: [owner, foreign],
      apply: [foreign],
      now,
    })
    expect(whole(elsewhere)).toEqual({ pending: [], wish: [], work: [], collected: [] })
  })

  it('a plan does not read of the files what it is told not to', async () => {
    const from = await cluster(site())
    const asked: string[] = []
    const client = {
      list: from.client.list.bind(from.client),
      raw: from.client.raw.bind(from.client),
      get: (of: { plural: string }, ...rest: never[]) => {
        asked.push(of.plural)
        return (from.client.get as (...args: unknown[]) => unknown).call(from.client, of, ...rest)
      },
    } as unknown as Client
    const secret: Manifest = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine', namespace: 'default' } }
    const made = await plan({ operator, from: client, without: ['secrets'], apply: [site(), secret], now })
    expect(asked).not.toContain('secrets')
    expect(made.warnings).toEqual(['secrets were not read (--without): to the plan there are none'])
  })

  it('a plan reports each field once, whatever way it went, and no question', async () => {
    const wavering = controller(Site)
      .owns(ConfigMap)
      .options({ observedGeneration: false })
      .reconcile(
        async ({
          object: {
            metadata: { name, namespace = '' },
          },
          client,
          get,
        }) => {
          const at = { namespace, name: 'notes' }
          if ((await get(ConfigMap, 'notes')) === undefined) return
          const patch = (data: unknown): Promise<unknown> =>
            client.patch(ConfigMap, at, { type: 'merge', patch: { metadata: { annotations: data as never } } })
          await client.raw('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
            body: { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
          })
          for (const data of [{ l: '1' }, { l: '2' }, null, { by: name }]) await patch(data)
        },
      )
    const notes: Manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'notes', namespace: 'default' } }
    const made = await plan({
      operator: { name: 'wavering', controllers: [wavering] },
      from: [notes],
      apply: [site()],
      now,
    })
    expect(whole(made).work).toEqual(['update ConfigMap notes; metadata.annotations >{"by":"one"}'])
  })

  it('a plan calls nobody', async () => {
    const from = await embedded()
    running.push(from)
    const hook = {
      name: 'a.example.dev',
      clientConfig: { url: 'https://127.0.0.1:9/never' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
    }
    await from.client.create(ValidatingWebhookConfiguration, {
      metadata: { name: 'foreign' },
      webhooks: [hook],
    } as never)
    const hooks = controller(Site)
      .reads(ValidatingWebhookConfiguration)
      .owns(ConfigMap)
      .options({ observedGeneration: false })
      .reconcile(async ({ apply, object }) => {
        await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: {} })
      })
    const made = await plan({
      operator: { name: 'hooks', controllers: [hooks] },
      from: from.client,
      apply: [site()],
      now,
    })
    expect(whole(made).work).toEqual(['create ConfigMap one'])
  })

  it('a plan of what an owner could not be copied for does not lose the children', async () => {
    const from = await cluster(site())
    const strict = {
      ...Site,
      crd: {
        ...Site.crd,
        spec: {
          ...Site.crd.spec,
          versions: Site.crd.spec.versions.map(
            (version) =>
              JSON.parse(JSON.stringify(version).replace('"text":{', '"text":{"maxLength":0,')) as typeof version,
          ),
        },
      },
    } as typeof Site
    const made = await plan({
      operator: { name: 'sites', controllers: [{ ...sites, kind: strict }] },
      from: from.client,
      apply: [configMap],
      now,
    })
    expect(made.warnings).toEqual([expect.stringMatching(/^Site default\/one was not copied/)])
    expect(whole(made)).toEqual({ pending: [], wish: ['create ConfigMap mine'], work: [], collected: [] })
  })

  it('a plan says why a wish is refused, and when an operator never rests', async () => {
    await expect(plan({ operator, apply: [{ ...site(), spec: { text: 5 } }], now })).rejects.toThrow(/spec\.text/)
    await expect(plan({ operator, apply: [{ ...site(), kind: 'Sight' }], now })).rejects.toThrow('Sight of example.dev')
    const restless = controller(Site)
      .options({ observedGeneration: false })
      .reconcile(({ status, now: time }) => {
        status.set({ phase: String(time()) })
        return requeueAfter(20_000)
      })
    const spinning: PlanOptions['operator'] = { name: 'spin', controllers: [restless] }
    await expect(plan({ operator: spinning, apply: [site()], now })).rejects.toThrow(/not at rest after/)
  })

  it('a plan of an operator that fails says that it is worthless, why and where', async () => {
    const failing = controller(Site).reconcile(() => {
      throw new Error('fetch failed')
    })
    const made = await plan({ operator: { name: 'sites', controllers: [failing] }, apply: [site()], now })
    const at = expect.stringMatching(/^src.plan.plan\.test\.ts:\d+:\d+$/) as string
    expect(made.failures).toMatchObject([{ controller: 'site', object: 'Site default/one', error: 'fetch failed', at }])
    expect(planText(made)).toMatch(/The operator sites failed, .* not known:\n {2}Site default\/one, controller site: /)
    expect(planText(made)).toMatch(/\nPlan: worthless, because the operator sites failed\. It did nothing\.$/)
  })

  it('a plan warns of what cannot be copied', async () => {
    const broken = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'Not A Name', namespace: 'default' },
    } as Manifest
    const made = await plan({ operator, from: [broken], now })
    expect(made.warnings).toEqual([expect.stringMatching(/^ConfigMap default\/Not A Name was not copied: /)])
    expect(planText(made)).toContain('warning: ConfigMap default/Not A Name was not copied')
  })
})

describe('manifests', () => {
  const one = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }

  it('manifests are found in documents and in lists', () => {
    const lists = { apiVersion: 'v1', kind: 'List', items: [one, { apiVersion: 'v1', kind: 'PodList', items: [one] }] }
    expect(parseManifests(JSON.stringify(lists))).toEqual([one, one])
    expect(parseManifests('---\n# nothing\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n')).toEqual([
      one,
    ])
    expect(parseManifests('')).toEqual([])
    expect(parseManifests('{apiVersion: v1, kind: A, metadata: {name: a}, mode: 0644, on: yes}')).toMatchObject([
      { mode: 420, true: true },
    ])
  })

  it.each([
    ['5', 'an object has no apiVersion and kind'],
    ['apiVersion: v1', 'an object has no apiVersion and kind'],
    ['{apiVersion: v1, kind: Pod}', 'a Pod has no metadata.name'],
    ['a: [', /yaml: line 1/],
  ])('manifests: %j is none', (text, message) => {
    expect(() => parseManifests(text)).toThrow(message)
  })
})
