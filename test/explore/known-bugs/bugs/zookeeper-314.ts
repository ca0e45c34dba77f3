/** An old number of replicas is seen again after a restart: the claim of a live member is deleted. */
import { ConfigMap, controller } from 'coxswain'
import { change, create, Database, deleteIfThere, named, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, apply, client }) => {
      const { replicas } = object.spec
      if (replicas > 1) return void (await apply(ConfigMap, { metadata: { name: 'claim-2' } }))
      if (isCareful) {
        // The server decides whether this spec is still the current one.
        const live = await client.get(Database, named('db'))
        if (live.metadata.generation !== object.metadata.generation) return
      }
      await deleteIfThere(client, 'claim-2')
    }),
]

export const zookeeper314: KnownBug = {
  id: 'pravega/zookeeper-operator#314',
  foundBy: 'Sieve',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ replicas: 1 }), change('on', { replicas: 2 })],
  reveals: 'on/1/time-travel',
  expects: 'deleted v1 ConfigMap default/claim-2',
}
