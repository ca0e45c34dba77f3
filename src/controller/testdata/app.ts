/** The kind and the controller of most tests here: an App has a ConfigMap with its text. */
import { afterEach } from 'vitest'
import { ConfigMap, CoreEvent } from '../../schema/builtin/kinds.ts'
import { resource } from '../../schema/resource.ts'
import { t } from '../../schema/t.ts'
import type { ObjectOf } from '../../schema/kind.ts'
import { controller } from '../builder.ts'
import type { ReconcileContext } from '../context.ts'
import type { ReconcileResult } from '../result.ts'
import { harness, type Harness, type HarnessOptions } from './harness.ts'

export const App = resource('example.dev/v1', 'App', {
  spec: t.object({ text: t.string(), wait: t.boolean().optional() }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    phase: t.string().optional(),
    details: t.object({ one: t.string().optional(), two: t.int().optional() }).optional(),
    conditions: t
      .array(
        t.object({
          type: t.string(),
          status: t.string(),
          reason: t.string(),
          message: t.string(),
          observedGeneration: t.int64().optional(),
          lastTransitionTime: t.string(),
        }),
      )
      .optional(),
  }),
})

export type AppObject = ObjectOf<typeof App>

/** Owns ConfigMaps, and sets observedGeneration. */
export const apps = controller(App).owns(ConfigMap)

/** The same for tests that count runs: nothing is written besides the writes of the reconcile. */
export const bareApps = apps.options({ observedGeneration: false })

export async function reconcileApp(context: ReconcileContext<AppObject>): Promise<ReconcileResult> {
  const {
    object: {
      metadata: { name },
      spec: { text },
    },
    status,
  } = context
  await context.apply(ConfigMap, { metadata: { name: `${name}-text`, labels: { app: name } }, data: { text } })
  status.set({ phase: 'Ready' })
  status.condition({ type: 'Ready', status: true, reason: 'Applied', message: 'all is there' })
}

export const app = (name: string, text = 'hello'): AppObject => ({
  apiVersion: 'example.dev/v1',
  kind: 'App',
  metadata: { name, namespace: 'default' },
  spec: { text },
})

export const key = (name: string) => ({ namespace: 'default', name })

const running: { stop(): Promise<void> }[] = []

/** Stops everything that the test started. */
export function stopAfterEach(): void {
  afterEach(async () => {
    for (const each of running.splice(0)) await each.stop()
  })
}

export async function start(
  definition = apps.reconcile(reconcileApp),
  options: HarnessOptions = {},
): Promise<Harness<AppObject>> {
  const all = await harness(definition, { crds: [App.crd], ...options })
  running.push(all)
  return all
}

/** `Warning Reason message x1` */
export async function eventsOf({ client, events }: Harness<AppObject>): Promise<string[]> {
  await events.flush()
  const { items } = await client.list(CoreEvent, { namespace: 'default' })
  return items.map(({ type, reason, message, count }) => `${type} ${reason} ${message} x${count}`)
}
