/** Runs in a used cluster, and runs that end where they go on as the one without faults. */
import { describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { requeueAfter } from '../controller/result.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import type { ApplyObject } from '../cluster/embedded-handle.ts'
import type { FaultName } from './faults.ts'
import { operatorView } from './operator-view.ts'
import { Trial, type ExploredCluster, type ExploreStep } from './trial.ts'

const App = resource('example.dev/v1', 'App', { spec: t.object({ text: t.string() }) })
const create: ExploreStep = {
  name: 'create',
  act: (cluster) =>
    cluster.apply({ apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: { text: 'one' } }),
}

/** Copies the text. `recheckMs`: the delay of the next check, after a failure of an apply or after none. */
const copies = (recheckMs: (hasFailed: boolean) => number | undefined): ExploredCluster => ({
  controllers: () => {
    let hasFailed = false
    return [
      controller(App)
        .owns(ConfigMap)
        .reconcile(async ({ object, apply }) => {
          const copy = { metadata: { name: object.metadata.name }, data: { text: object.spec.text } }
          await apply(ConfigMap, copy).catch((error: unknown) => {
            hasFailed = true
            throw error
          })
          const ms = recheckMs(hasFailed)
          return ms === undefined ? undefined : requeueAfter(ms)
        }),
    ]
  },
})

const createWithService: ExploreStep = {
  name: 'create with a service',
  act: async (cluster) => {
    const spec = { ports: [{ port: 80 }] }
    await cluster.apply({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec } as ApplyObject)
    await create.act(cluster)
  },
}

interface Faulted {
  readonly step?: ExploreStep
  readonly fault?: FaultName
}

/** The step without a fault, and then with one at its first call, in the same cluster. */
async function runs(cluster: ExploredCluster, { step = create, fault = 'error' }: Faulted = {}) {
  const watchers = { oracles: [], operator: operatorView(cluster) }
  const trial = await Trial.begin(cluster, watchers)
  try {
    const from = trial.start
    const twin = await trial.run({ step })
    const isBack = await trial.again(watchers, { from })
    const names = trial.start.items.map(({ key }) => key)
    const faulted = await trial.run({ step, faults: [{ at: '1', fault }], twin })
    return { from, twin, isBack, names, faulted }
  } finally {
    await trial.stop()
  }
}

describe('a used cluster', () => {
  it('has the state of before again after its server was restored', async () => {
    const cluster = copies(() => undefined)
    const watchers = { oracles: [], operator: operatorView(cluster) }
    const trial = await Trial.begin(cluster, watchers)
    try {
      const from = trial.start
      for (const fault of ['server-set-back', 'server-lost-writes'] as const) {
        expect(await trial.again(watchers, { from }), fault).toBe(true)
        await trial.run({ step: create, faults: [{ at: '1', fault }] })
      }
      expect(await trial.again(watchers, { from })).toBe(true)
    } finally {
      await trial.stop()
    }
  })

  it('has the state of before again', async () => {
    const { from, isBack, names } = await runs(copies(() => undefined))
    expect(isBack).toBe(true)
    expect(names).toEqual(from.items.map(({ key }) => key))
  })
})

describe('a run with a fault', () => {
  it('ends where it goes on as the one without faults', async () => {
    const { twin, faulted } = await runs(copies(() => 60_000))
    expect(faulted.calls.length).toBeGreaterThan(1)
    expect(faulted.problems).toEqual([])
    expect(faulted.end).toBe(twin.end)
    expect(faulted.counts.get('created v1 ConfigMap default/a')).toBe(1)
  })

  it('ends there, too, if the server has allocated another address', async () => {
    const { twin, faulted } = await runs(
      copies(() => undefined),
      { step: createWithService },
    )
    expect(faulted.end).toBe(twin.end)
  })

  it('ends there, too, when another instance has taken over', async () => {
    const { twin, faulted } = await runs(
      copies(() => undefined),
      { fault: 'hand-over' },
    )
    expect(faulted.problems).toEqual([])
    expect(faulted.end).toBe(twin.end)
  })

  it('is played to its end if the fault has changed what the operator waits for', async () => {
    for (const wrong of [undefined, 3_600_000]) {
      const { twin, faulted } = await runs(copies((hasFailed) => (hasFailed ? wrong : 60_000)))
      expect(faulted.end).not.toBe(twin.end)
    }
  })
})
