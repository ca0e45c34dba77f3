/** A parent node and its child are made one after the other; if the parent is there, the child is taken for granted. */
import { ConfigMap, controller } from 'coxswain'
import { create, Database, patchData, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, get, apply, client }) => {
      const data = { size: String(object.spec.replicas) }
      const hasParent = (await get(ConfigMap, 'zk-parent')) !== undefined
      if (!hasParent) await apply(ConfigMap, { metadata: { name: 'zk-parent' } })
      if (!hasParent || isCareful) await apply(ConfigMap, { metadata: { name: 'zk-size' }, data })
      else await patchData(client, 'zk-size', data)
    }),
]

export const anvil217: KnownBug = {
  id: 'anvil-verifier/anvil#217',
  foundBy: 'Anvil',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ replicas: 3 })],
  reveals: 'create/2/crash-before',
  expects: 'v1 ConfigMap default/zk-size is missing',
}
