/** A kind and a controller for tests of whole programs: a Greeting becomes a ConfigMap. */
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

/** `by`: which copy of the program wrote it. `beforeWrite` is called when all is read and nothing written. */
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
