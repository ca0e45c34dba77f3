/** The size is recorded before the claim grows, and the record is what decides whether there is anything to do. */
import { ConfigMap, controller } from 'coxswain'
import { change, create, Database, patchData, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, get, apply, client }) => {
      const { size = '' } = object.spec
      const recorded = await get(ConfigMap, 'statefulset')
      if (!isCareful && recorded?.data?.['size'] === size) return
      if (recorded === undefined) await apply(ConfigMap, { metadata: { name: 'claim' }, data: { size } })
      await apply(ConfigMap, { metadata: { name: 'statefulset' }, data: { size } })
      await patchData(client, 'claim', { size })
    }),
]

export const rabbitmq782: KnownBug = {
  id: 'rabbitmq/cluster-operator#782',
  foundBy: 'Sieve',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ size: '10G' }), change('expand', { size: '15G' })],
  reveals: 'expand/2/crash-before',
  expects: 'v1 ConfigMap default/claim: data.size: "10G" instead of "15G"',
}
