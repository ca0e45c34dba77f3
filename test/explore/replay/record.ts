/**
 * What a replay must repeat byte for byte: all that a run with faults does. The operator has three mistakes, so that
 * many random schedules fail.
 */
import { ConfigMap, controller, resource, t } from 'coxswain'
import { explore, standardOracles, type ExploreOptions, type ExploreStep, type Oracle } from 'coxswain/testing'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ text: t.string() }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    phase: t.string().optional(),
    runs: t.int().optional(),
  }),
})
const key = { namespace: 'default', name: 'a' }
const finalizer = 'example.dev/app'

const mistaken = controller(App)
  .owns(ConfigMap)
  .deleting(async ({ object, client }) => {
    if (object.metadata.finalizers?.includes(finalizer) !== true) return
    // The first mistake: the finalizer goes before what it guards.
    await client.patch(App, key, { type: 'merge', patch: { metadata: { finalizers: [] } } })
    await client.delete(ConfigMap, key)
  })
  .reconcile(async ({ object, client }) => {
    if (object.metadata.finalizers?.includes(finalizer) !== true)
      await client.patch(App, key, { type: 'merge', patch: { metadata: { finalizers: [finalizer] } } })
    await client.apply(ConfigMap, { metadata: key, data: { text: object.spec.text } }, { force: true })
    // The second mistake: nobody looks for what was created already.
    const owner = { kind: 'App', name: key.name, uid: object.metadata.uid, controller: true }
    const ownerReferences = [{ apiVersion: 'example.dev/v1', ...owner }]
    if (object.status?.phase === undefined)
      await client.create(ConfigMap, { metadata: { generateName: 'log-', namespace: 'default', ownerReferences } })
    // The third mistake: counted again after a crash.
    const { phase, runs = 0 } = object.status ?? {}
    if (phase === object.spec.text) return
    for (const status of [{ runs: runs + 1 }, { phase: object.spec.text }])
      await client.patch(App, key, { type: 'merge', patch: { status } }, { subresource: 'status' })
  })

const apply = (text: string) => ({
  apiVersion: 'example.dev/v1',
  kind: 'App',
  metadata: { name: 'a' },
  spec: { text },
})
const steps: readonly ExploreStep[] = [
  { name: 'create', act: (cluster) => cluster.apply(apply('one')) },
  { name: 'update', act: (cluster) => cluster.apply(apply('two')) },
  { name: 'delete', act: async ({ client }) => void (await client.delete(App, key)) },
]

const options: ExploreOptions = { cluster: { controllers: () => [mistaken] }, steps, shrink: 0 }

/** A random schedule that fails. */
export async function failingSchedule(seed: number): Promise<string> {
  const { failures } = await explore({ ...options, atMost: 0, random: 100, seed, stopAtFirst: true })
  const failure = failures.at(-1)
  if (failure?.run !== 'faults')
    throw new Error(`no schedule of seed ${seed} fails: ${JSON.stringify(failure?.problems)}`)
  return failure.id
}

/** The run of a schedule, in lines: every change with the whole object, the calls, the problems, the end state. */
export async function recordOf(schedule: string): Promise<string> {
  const lines: unknown[] = []
  const recorder: Oracle = {
    name: 'recorder',
    change: ({ type, by, object, isApply }, { now }) => {
      lines.push({ now, type, by, isApply, object })
      return undefined
    },
    rest: ({ now, all }) => {
      lines.push({ now, all })
      return undefined
    },
  }
  const report = await explore({ ...options, oracles: [...standardOracles, recorder], only: schedule })
  const { took: _took, text: _text, ...rest } = report
  return [...lines, rest].map((line) => JSON.stringify(line, withoutPlaces)).join('\n')
}

/** Without the line of code that threw: whether a stack leads to it through awaits depends on the version of V8. */
function withoutPlaces(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/\n {4}at \S+:\d+:\d+/g, '') : value
}
