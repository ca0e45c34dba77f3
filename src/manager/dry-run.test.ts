/** A dry run says what it would write, and stores nothing. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '../client/client.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { controller } from '../controller/builder.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { realEnv } from '../env/real.ts'
import { external } from '../external/external.ts'
import { ConfigMap, CustomResourceDefinition, Lease } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { createLogger } from '../telemetry/log-writer.ts'
import { validating } from '../webhooks/admission-webhook.ts'
import { readConfiguration } from './configuration.ts'
import { dryRunTransport } from './dry-run.ts'
import type { Task } from './manager-options.ts'
import { OperatorRuntime } from './operator-runtime.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ text: t.string() }),
  status: t.object({ phase: t.string().optional() }),
})

const called: string[] = []
const registry = external('registry', {
  connect: () => ({
    find: async (name: string) => called.push(`find ${name}`),
    remove: async (name: string) => called.push(`remove ${name}`),
  }),
  reads: ['find'],
})

const apps = controller(App)
  .owns(ConfigMap)
  .uses(registry)
  .finalizer('example.dev/app', async ({ object, use }) => {
    await use(registry).remove(object.metadata.name)
    throw new Error('not reached in a dry run')
  })
  .reconcile(async ({ object, apply, status, use }) => {
    await use(registry).find(object.metadata.name)
    await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { text: object.spec.text } })
    status.set({ phase: 'Ready' })
  })

const cleaner: Task = {
  name: 'cleaner',
  start: async (_signal, { client }) => {
    await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'new' }, data: { password: 'hidden' } })
    await client.patch(
      ConfigMap,
      { namespace: 'default', name: 'old' },
      { type: 'merge', patch: { data: { a: '2', b: null } } },
    )
    await client.delete(ConfigMap, { namespace: 'default', name: 'old' })
    await client.deleteCollection(ConfigMap, { namespace: 'default', labelSelector: 'a=b' })
  },
}

interface Line {
  readonly msg: string
  readonly object?: string
  readonly [field: string]: unknown
}

let plane: ControlPlane
let client: Client
let lines: Line[]
beforeEach(async () => {
  called.length = 0
  lines = []
  plane = createControlPlane()
  const transport = inProcessTransport(plane.transport())
  client = new RestClient({ env: realEnv(), transport, fieldManager: 'test' })
  await client.create(CustomResourceDefinition, App.crd)
  await client.create(App, { metadata: { namespace: 'default', name: 'web' }, spec: { text: 'hello' } })
  await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'old' }, data: { a: '1', b: '1' } })
})
afterEach(() => plane.close())

/** Runs it until these lines are logged. */
async function dryRun(...messages: readonly string[]): Promise<void> {
  const stop = new AbortController()
  const program = new OperatorRuntime({
    name: 'apps',
    namespace: 'default',
    env: realEnv(),
    controllers: [apps],
    tasks: [cleaner],
    webhooks: [validating(App, { create: () => 'no more apps' })],
    log: createLogger({
      env: realEnv(),
      write: (text) => {
        lines.push(JSON.parse(text) as Line)
        const seen = new Set(lines.map(({ msg, object }) => `${msg} ${object ?? ''}`.trim()))
        if (messages.every((each) => seen.has(each))) stop.abort()
      },
    }),
    transport: inProcessTransport(plane.transport()),
    configuration: readConfiguration({
      args: ['--dry-run', '--leader-elect', '--metrics-bind-address=0', '--health-probe-bind-address=0'],
    }),
  })
  await program.run(stop.signal)
}

const would = (): readonly Readonly<Record<string, unknown>>[] =>
  lines.flatMap(({ msg, kind, object, changes }) => (msg.startsWith('would ') ? [{ msg, kind, object, changes }] : []))

describe('a dry run', () => {
  it('a dry run stores nothing, and says what controllers and tasks would write', async () => {
    const { revision } = plane.store
    await dryRun('would create default/web', 'would update default/web', 'would delete default a=b')
    expect(plane.store.revision).toBe(revision)
    expect(would()).toEqual(
      expect.arrayContaining([
        {
          msg: 'would update',
          kind: 'App',
          object: 'default/web',
          changes: 'metadata.finalizers = ["example.dev/app"]',
        },
        { msg: 'would create', kind: 'ConfigMap', object: 'default/web' },
        { msg: 'would update', kind: 'App/status', object: 'default/web', changes: 'status.phase = "Ready"' },
        { msg: 'would create', kind: 'ConfigMap', object: 'default/new' },
        { msg: 'would update', kind: 'ConfigMap', object: 'default/old', changes: 'data.a "1" → "2", data.b removed' },
        { msg: 'would delete', kind: 'ConfigMap', object: 'default/old' },
        { msg: 'would delete', kind: 'ConfigMap', object: 'default a=b' },
      ]),
    )
    expect(new Set(would().map((each) => JSON.stringify(each))).size).toBe(would().length)
    expect(JSON.stringify(lines)).not.toContain('hidden')
    expect(called).toEqual(['find web'])
  })

  it('a dry run says what it cannot show, and takes no lease though it should elect a leader', async () => {
    await dryRun('would create default/web')
    expect(lines[0]).toMatchObject({ level: 'warn', msg: 'a dry run: nothing is stored' })
    expect(lines[0]?.['notShown']).toContain('calls of other systems that no external() declares: they are really made')
    expect((await client.list(Lease, { namespace: 'default' })).items).toEqual([])
  })

  it('a dry run ends a cleanup at the call that would change another system', async () => {
    const key = { namespace: 'default', name: 'web' }
    const finalizers = { metadata: { finalizers: ['example.dev/app'] } }
    await client.patch(App, key, { type: 'merge', patch: finalizers })
    await client.delete(App, key)
    await dryRun('would call remove')
    expect(would()).toContainEqual({
      msg: 'would call',
      kind: 'registry',
      object: 'remove',
      changes: 'for App default/web',
    })
    expect(called).toEqual([])
    expect((await client.get(App, key)).metadata.finalizers).toEqual(['example.dev/app'])
    expect(JSON.stringify(lines)).not.toContain('not reached')
  })

  it('a dry run sends no write that would be stored, whoever makes it', async () => {
    const transport = dryRunTransport(inProcessTransport(plane.transport()))
    const careless = new RestClient({ env: realEnv(), transport, fieldManager: 'careless' })
    const map = { metadata: { namespace: 'default', name: 'x' } }
    const { revision } = plane.store
    const refused = /^a dry run writes nothing: \w+ \/api\/v1\/namespaces\/default\/configmaps\S* was not sent$/
    await expect(careless.create(ConfigMap, map)).rejects.toThrow(refused)
    await expect(careless.delete(ConfigMap, { namespace: 'default', name: 'old' })).rejects.toThrow(refused)
    await expect(careless.raw('POST', '/api/v1/namespaces/default/configmaps', { body: map })).rejects.toThrow(refused)
    expect((await careless.create(ConfigMap, map, { dryRun: true })).metadata.name).toBe('x')
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' }
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } }
    expect(await careless.raw('POST', path, { body: { ...review, spec } })).toMatchObject({ status: { allowed: true } })
    expect(plane.store.revision).toBe(revision)
  })
})
