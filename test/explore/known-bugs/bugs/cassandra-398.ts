/** Deletes a claim only if it sees its pod being deleted. A pod that is gone when it looks leaves its claim behind. */
import { ConfigMap, controller } from 'coxswain'
import { change, create, Database, deleteIfThere, named, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, get, apply, client }) => {
      const isWanted = object.spec.replicas > 1
      if (isWanted) {
        await apply(ConfigMap, { metadata: { name: 'claim-2' } })
        await apply(ConfigMap, { metadata: { name: 'pod-2', finalizers: ['example.dev/drain'] } })
        return
      }
      const pod = await get(ConfigMap, 'pod-2')
      if (pod !== undefined && pod.metadata.deletionTimestamp === undefined)
        return void (await client.delete(ConfigMap, named('pod-2')))
      if (pod !== undefined)
        await client.patch(ConfigMap, named('pod-2'), {
          type: 'merge',
          patch: { metadata: { finalizers: null } } as never,
        })
      if (pod !== undefined || isCareful) await deleteIfThere(client, 'claim-2')
    }),
]

export const cassandra398: KnownBug = {
  id: 'instaclustr/cassandra-operator#398',
  foundBy: 'Sieve',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ replicas: 2 }), change('scale down', { replicas: 1 })],
  reveals: 'scale down/4/crash-before',
  expects: 'v1 ConfigMap default/claim-2 should not be there',
}
