/** A kind and a controller for tests of complete programs: creates a ConfigMap for each Greeting. */
import { ConfigMap } from '../../../src/schema/builtin/kinds.ts'
import { controller } from '../../../src/controller/builder.ts'
import { resource } from '../../../src/schema/resource.ts'
import { t } from '../../../src/schema/t.ts'

export const Greeting = resource('example.dev/v1', 'Greeting', {
  spec: t.object({ text: t.string() }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    said: t.string().optional(),
    by: t.string().optional(),
    conditions: t.conditions().optional(),
  }),
})

/** `by`: the replica that wrote it. `beforeWrite` is called after all reads and before the first write. */
export function greetings(by: string, beforeWrite: (text: string) => void = () => undefined) {
  return controller(Greeting)
    .owns(ConfigMap)
    .reconcile(async (context) => {
      const { object, status } = context
      beforeWrite(object.spec.text)
      await context.apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { text: object.spec.text, by } })
      status.set({ said: object.spec.text, by })
      status.condition({ type: 'Ready', status: true, reason: 'Said' })
    })
}
