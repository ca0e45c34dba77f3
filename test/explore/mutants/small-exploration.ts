/**
 * A small operator without nodes: many runs in little time, for mistakes of the runtime. Other than the WebApp operator
 * it has a status only once it has written one.
 */
import { ConfigMap, controller, requeueAfter, resource, Secret, t, type ApiObject } from 'coxswain'
import { childrenGoFirst, standardOracles, type ExploreOptions } from 'coxswain/testing'

const Note = resource('example.dev/v1', 'Note', {
  spec: t.object({ text: t.string() }),
  status: t.object({ observedGeneration: t.int64().optional(), conditions: t.conditions().optional() }),
})

/** Two children, which its finalizer deletes in order. */
const notes = controller(Note)
  .owns(ConfigMap, Secret)
  .finalizer('example.dev/note', async ({ delete: remove, owned }) => {
    // Not by name: somebody else may have it by now.
    for (const kind of [Secret, ConfigMap])
      for (const { metadata } of await owned<ApiObject>(kind)) {
        await remove<ApiObject>(kind, metadata.name)
        return requeueAfter(1000)
      }
    return undefined
  })
  .reconcile(async ({ object, apply, status }) => {
    await apply(ConfigMap, { metadata: { name: 'a' }, data: { text: object.spec.text } })
    await apply(Secret, { metadata: { name: 'a' }, type: 'Opaque' })
    status.condition({ type: 'Ready', status: true, reason: 'Applied' })
    return requeueAfter(30_000)
  })

const key = { namespace: 'default', name: 'a' }
const note = (text: string): never =>
  ({ apiVersion: Note.apiVersion, kind: Note.kind, metadata: { name: 'a' }, spec: { text } }) as never

export const smallExploration: ExploreOptions = {
  cluster: { controllers: () => [notes] },
  oracles: [...standardOracles, childrenGoFirst(Note, ConfigMap, Secret)],
  steps: [
    { name: 'create', act: (cluster) => cluster.apply(note('one')) },
    { name: 'update', act: (cluster) => cluster.apply(note('two')) },
    { name: 'drift', act: async ({ client }) => void (await client.delete(ConfigMap, key)), withinMs: 5_000 },
    { name: 'delete', act: async ({ client }) => void (await client.delete(Note, key)) },
  ],
}
