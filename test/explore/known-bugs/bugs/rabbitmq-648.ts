/**
 * Sees the deletion of an earlier database of the same name, and deletes the workload by its name: that of the new
 * one.
 */
import { ConfigMap, controller } from 'coxswain'
import { create, Database, deleteIfThere, remove, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .finalizer('example.dev/database', async ({ object, client, get }) => {
      const existing = await get(ConfigMap, 'statefulset')
      const isOurs = existing?.metadata.ownerReferences?.[0]?.uid === object.metadata.uid
      if (!isCareful) await deleteIfThere(client, 'statefulset')
      else if (isOurs) await deleteIfThere(client, 'statefulset', existing?.metadata.uid)
    })
    .reconcile(async ({ apply }) => void (await apply(ConfigMap, { metadata: { name: 'statefulset' } }))),
]

export const rabbitmq648: KnownBug = {
  id: 'rabbitmq/cluster-operator#648',
  foundBy: 'Sieve',
  broken: operator(false),
  correct: operator(true),
  steps: [create({}), remove(), { ...create({}), name: 're-create' }],
  reveals: 're-create/3/time-travel',
  expects: 'deleted v1 ConfigMap default/statefulset',
}
