/** The three mistakes of the first user review: each is an operator that a proof must not pass. */
import { ConfigMap, controller, resource, t, type ControllerDefinition, type Infer } from 'coxswain'

export const Thing = resource('quick.example.dev/v1', 'Thing', {
  spec: t.object({ text: t.string() }),
  status: t.object({ runs: t.int().optional() }),
})
export type Thing = Infer<typeof Thing>

/** Only throws. */
export const throwing = (): ControllerDefinition<Thing> =>
  controller(Thing)
    .owns(ConfigMap)
    .reconcile(async () => {
      throw new Error('the database is down')
    })

/** Does not declare what it applies. */
export const forgottenOwns = (): ControllerDefinition<Thing> =>
  controller(Thing).reconcile(async ({ object, apply }) => {
    await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { text: object.spec.text } })
  })

/** Counts its own runs, each of which the count causes. */
export const counting = (): ControllerDefinition<Thing> =>
  controller(Thing)
    .owns(ConfigMap)
    .reconcile(async ({ object, apply, status }) => {
      await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { text: object.spec.text } })
      status.set({ runs: (object.status?.runs ?? 0) + 1 })
    })
