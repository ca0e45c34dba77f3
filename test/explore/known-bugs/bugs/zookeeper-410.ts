/** Makes its objects before it looks whether the owner is being deleted: the garbage collector hides what is left. */
import { ConfigMap, controller } from 'coxswain'
import { create, Database, deleteIfThere, remove, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .finalizer('example.dev/database', async ({ apply, client }) => {
      await deleteIfThere(client, 'statefulset')
      if (!isCareful) await apply(ConfigMap, { metadata: { name: 'budget' } })
    })
    .reconcile(async ({ apply }) => void (await apply(ConfigMap, { metadata: { name: 'statefulset' } }))),
]

export const zookeeper410: KnownBug = {
  id: 'pravega/zookeeper-operator#410',
  foundBy: 'Sieve',
  broken: operator(false),
  correct: operator(true),
  steps: [create({}), remove()],
  properties: [
    {
      name: 'nothing for the dead',
      change: ({ type, by, object }, world) => {
        const owner = object.metadata.ownerReferences?.[0]
        if (type !== 'create' || by !== 'operator' || owner === undefined) return undefined
        const live = world.objects(Database).find(({ metadata }) => metadata.uid === owner.uid)
        return live?.metadata.deletionTimestamp === undefined
          ? undefined
          : `${object.metadata.name ?? ''} was made while its owner was being deleted`
      },
    },
  ],
  reveals: 'delete/0/none',
  expects: 'budget was made while its owner was being deleted',
}
