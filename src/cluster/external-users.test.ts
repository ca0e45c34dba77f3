/** External systems in tasks, admission webhooks and `gone` handlers: declared, called, faulted, refused. */
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { external } from '../external/external.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import type { Task } from '../manager/manager-options.ts'
import { mutating, validating } from '../webhooks/admission-webhook.ts'
import { embedded } from './embedded.ts'
import type { Embedded } from './embedded-handle.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import { UndeclaredConnectionError } from './outgoing-guard.ts'

const App = resource('example.dev/v1', 'App', { spec: t.object({}) })
const app = { apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: {} }
const key = { namespace: 'default', name: 'a' }

interface Registry {
  put(item: string): Promise<void>
  remove(item: string): Promise<void>
  has(item: string): Promise<boolean>
}
const registry = external<Registry>('registry', {
  connect: () => Promise.reject(new Error('there is none')),
  reads: ['has'],
})
const model = registry.model((items: string[] = []) => ({
  put: (item) => Promise.resolve(void items.push(item)),
  remove: (item) => Promise.resolve(void items.splice(items.indexOf(item) >>> 0, 1)),
  has: (item) => Promise.resolve(items.includes(item)),
  state: () => items,
}))

let cluster: Embedded | undefined
afterEach(async () => {
  await cluster?.stop()
  cluster = undefined
})
async function started(options: EmbeddedOptions): Promise<Embedded> {
  cluster = await embedded({ externals: [model], ...options })
  return cluster
}
const apps = controller(App).reconcile(() => undefined)

/** Puts its name into the registry every minute. */
const registering: Task = {
  name: 'registering',
  uses: [registry],
  start: (signal, { env, use }) =>
    new Promise((resolve) => {
      const put = async (): Promise<void> => {
        await use(registry).put('task')
        env.after(60_000, () => void put())
      }
      signal.addEventListener('abort', () => resolve())
      void put()
    }),
}

describe('an external system in a task', () => {
  it('an external system in a task is called, counted and found in snapshots', async () => {
    const running = await started({ tasks: [registering] })
    await running.advance(60_000)
    expect(running.externalCalls).toEqual(['registry.put', 'registry.put'])
    expect(running.snapshot().externals).toEqual({ registry: ['task', 'task'] })
    const metrics = running.manager.metrics.text()
    expect(metrics).toContain('coxswain_external_calls_total{system="registry",method="put",result="success"} 2')
  })

  it('an external system in a task hears nothing more of a process that has died', async () => {
    let calls = 0
    const task: Task = {
      name: 'dying',
      uses: [registry],
      start: async (_, { use }) => {
        await use(registry).put('once')
        calls++
      },
    }
    let isFirst = true
    const running = await started({
      tasks: [task],
      faults: ({ path }) => {
        if (path !== 'registry.put' || !isFirst) return undefined
        isFirst = false
        return { type: 'crash', when: 'after' }
      },
    })
    await running.settle()
    expect([running.model(model).state(), calls]).toEqual([['once', 'once'], 1])
  })

  it('an external system in a task must be declared, and tests must give it', async () => {
    let failure: unknown
    const undeclared: Task = {
      name: 'undeclared',
      start: async (_, { use }) => {
        await Promise.resolve()
        try {
          await use(registry).put('a')
        } catch (error) {
          failure = error
        }
      },
    }
    await started({ tasks: [undeclared] })
    expect((failure as Error).message).toBe(
      'the task undeclared uses registry and does not declare it: add uses: [registry] to the task',
    )
    await expect(embedded({ tasks: [registering] })).rejects.toThrow('the task registering uses the external system')
  })

  it('a connection of a task is refused, also in its timers', async () => {
    const refused: unknown[] = []
    const open = (): void => {
      try {
        connect(1)
      } catch (error) {
        refused.push(error)
      }
    }
    const task: Task = {
      name: 'opening',
      start: (_, { env }) => {
        open()
        env.after(1000, open)
        return Promise.resolve()
      },
    }
    const running = await started({ tasks: [task] })
    await running.advance(1000)
    expect(refused).toEqual([expect.any(UndeclaredConnectionError), expect.any(UndeclaredConnectionError)])
    expect(String(refused[0])).toContain('the task opening connects to localhost:1, which')
  })
})

describe('an external system in a webhook', () => {
  const known = validating(
    App,
    { create: async ({ name, use }) => ((await use(registry).has(name)) ? undefined : `${name} is not registered`) },
    { uses: [registry] },
  )

  it('an external system in a webhook answers, and no fault is injected', async () => {
    const running = await started({
      controllers: [apps],
      webhooks: [known],
      faults: ({ path }) => (path.startsWith('registry') ? { type: 'drop-before' } : undefined),
    })
    await expect(running.apply(app)).rejects.toThrow('a is not registered')
    await running.model(model).put('a')
    await running.apply(app)
    expect(running.externalCalls).toEqual(['registry.has', 'registry.has'])
  })

  it('an external system in a webhook must be declared, and tests must give it', async () => {
    const undeclared = mutating(App, { create: ({ use }) => void use(registry) })
    const running = await started({ controllers: [apps], webhooks: [undeclared] })
    await expect(running.apply(app)).rejects.toThrow(
      'the webhook /mutate-example-dev-v1-app uses registry and does not declare it: ' +
        'add uses: [registry] to its options',
    )
    await expect(embedded({ controllers: [apps], webhooks: [known] })).rejects.toThrow(
      'the webhook /validate-example-dev-v1-app uses the external system registry, and the test gives none',
    )
  })

  it('a connection of a webhook is refused, and allowed with allowSockets', async () => {
    const opening = validating(App, {
      create: () =>
        void connect(1)
          .on('error', () => undefined)
          .destroy(),
    })
    const running = await started({ controllers: [apps], webhooks: [opening] })
    await expect(running.apply(app)).rejects.toThrow(
      'the webhook /validate-example-dev-v1-app connects to localhost:1,',
    )
    await running.stop()
    const open = await started({ controllers: [apps], webhooks: [opening], allowSockets: true })
    await open.apply(app)
  })
})

describe('an external system when an object is gone', () => {
  const forgetting = controller(App)
    .uses(registry)
    .gone(({ name }, _signal, _client, use) => use(registry).remove(name))
    .reconcile(({ object, use }) => use(registry).put(object.metadata.name))

  it('an external system when an object is gone is called, again after a fault', async () => {
    let isFirst = true
    const running = await started({
      controllers: [forgetting],
      faults: ({ path }) => {
        if (path !== 'registry.remove' || !isFirst) return undefined
        isFirst = false
        return { type: 'drop-before' }
      },
    })
    await running.apply(app)
    await running.settle()
    expect(running.model(model).state()).toEqual(['a'])
    await running.client.delete(App, key)
    await running.settle()
    expect(running.model(model).state()).toEqual([])
    expect(running.externalCalls).toEqual(['registry.put', 'registry.remove', 'registry.remove'])
  })

  it('an external system when an object is gone must be declared, and a connection is refused', async () => {
    const errors: Error[] = []
    const undeclared = controller(App)
      .owns(ConfigMap)
      .gone((_key, _signal, _client, use) => {
        for (const way of [() => use(registry), () => connect(1)])
          try {
            way()
          } catch (error) {
            errors.push(error as Error)
          }
      })
      .reconcile(() => undefined)
    const running = await started({ controllers: [undeclared] })
    await running.apply(app)
    await running.settle()
    await running.client.delete(App, key)
    await running.settle()
    expect(errors.map(({ message }) => message.split(':')[0])).toEqual([
      'the controller app uses registry and does not declare it',
      'the controller app connects to localhost',
    ])
  })
})
