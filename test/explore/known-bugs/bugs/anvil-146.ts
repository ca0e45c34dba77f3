/** A request of a process that has crashed arrives late, and replaces what its successor has written. */
import { ConfigMap, controller } from 'coxswain'
import { asSpecified, change, create, Database, patchData, setStatus, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, get, apply, client }) => {
      const data = { size: object.spec.size ?? '' }
      const existing = await get(ConfigMap, 'statefulset')
      if (isCareful || existing === undefined)
        return void (await apply(ConfigMap, { metadata: { name: 'statefulset' }, data }))
      // Without a resourceVersion, and not again once it was recorded.
      if (object.status?.phase === object.spec.size) return
      await patchData(client, 'statefulset', data)
      await setStatus(client, { phase: object.spec.size })
    }),
]

export const anvil146: KnownBug = {
  id: 'anvil-verifier/anvil#146',
  foundBy: 'Anvil',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ size: '10G' }), change('expand', { size: '15G' }), change('expand more', { size: '20G' })],
  properties: [
    asSpecified(
      'statefulset',
      ({ spec }) => spec.size,
      (found) => found?.data?.['size'],
    ),
  ],
  reveals: 'expand/1/later-arrival',
  expects: 'and the spec asks for "20G"',
}
