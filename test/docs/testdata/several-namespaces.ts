/** The code of docs/how-to/several-namespaces.md. */
import { ConfigMap, controller, keyOf, operator, resource, Secret, t } from 'coxswain'

export const Greeting = resource('example.dev/v1', 'Greeting', { spec: t.object({ name: t.string() }) })

const settings = 'greeting-settings'

export const greetings = controller(Greeting)
  .owns(ConfigMap)
  .watches(ConfigMap, {
    map: ({ metadata: { name, namespace } }, { lister }) =>
      name === settings ? lister(Greeting).list({ namespace }).map(keyOf) : [],
  })
  .reads(Secret, { namespaces: ['greetings-system'] })
  .reconcile(async ({ object, get, apply }) => {
    const local = await get(ConfigMap, settings)
    const license = await get(Secret, { namespace: 'greetings-system', name: 'license' })
    const word = local?.data?.['word'] ?? 'Hello'
    const mark = license === undefined ? ' (unlicensed)' : ''
    await apply(ConfigMap, {
      metadata: { name: object.metadata.name },
      data: { text: `${word}, ${object.spec.name}!${mark}` },
    })
  })

export default operator({
  name: 'greetings',
  controllers: [greetings],
  defaults: { namespaces: 'team-a,team-b' },
})
