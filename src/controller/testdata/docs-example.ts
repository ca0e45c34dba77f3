/** The example of docs/reference/controller.md. */
import {
  ConfigMap,
  controller,
  keyOf,
  Namespace,
  PermanentError,
  resource,
  t,
  type ObjectOf,
  type ReconcileContext,
} from '../../index.ts'
import { labelsChanged } from '../update-filters.ts'

const Greeting = resource('example.dev/v1', 'Greeting', {
  spec: t.object({ text: t.string(), loud: t.boolean().default(false) }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    words: t.int().optional(),
    conditions: t.conditions().optional(),
  }),
})

async function greet({ object, apply, status }: ReconcileContext<ObjectOf<typeof Greeting>>): Promise<void> {
  const { text, loud } = object.spec
  if (text.length > 1000) throw new PermanentError('the text is too long')
  await apply(ConfigMap, {
    metadata: { name: object.metadata.name },
    data: { greeting: loud ? text.toUpperCase() : text },
  })
  status.set({ words: text.split(' ').length })
  status.condition({ type: 'Ready', status: true, reason: 'Applied' })
}

export const greetings = controller(Greeting).owns(ConfigMap).reconcile(greet)
export { Greeting }

export const localGreetings = controller(Greeting)
  .owns(ConfigMap)
  .watches(Namespace, {
    map: ({ metadata }, { lister }) => lister(Greeting).list({ namespace: metadata.name }).map(keyOf),
    when: labelsChanged,
  })
  .reconcile(greet)
