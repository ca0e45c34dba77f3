import { ConfigMap, controller, requeueAfter, resource, t } from 'coxswain'

// One value gives the type, the definition in the cluster, the defaults and the validation.
export const Greeting = resource('example.dev/v1', 'Greeting', {
  spec: t.object({
    name: t.string().minLength(1),
    language: t.enum('en', 'de').default('en'),
  }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    text: t.string().optional(),
    conditions: t.conditions().optional(),
  }),
})

const hello = { en: 'Hello', de: 'Hallo' } as const

export const greetings = controller(Greeting)
  .owns(ConfigMap)
  .reconcile(async ({ object, apply, status, event }) => {
    const text = `${hello[object.spec.language]}, ${object.spec.name}!`
    const { outcome } = await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { text } })
    if (outcome !== 'unchanged') event('Normal', 'Greeted', text)
    status.set({ text })
    status.condition({ type: 'Ready', status: true, reason: 'Applied', message: 'the ConfigMap is as wanted' })
    return requeueAfter(600_000)
  })
