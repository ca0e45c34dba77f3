/** Scales only if it sees the number change: what the number was before is known to the process alone. */
import { ConfigMap, controller } from 'coxswain'
import { change, create, Database, patchData, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => {
  let before: number | undefined
  return [
    controller(Database)
      .owns(ConfigMap)
      .reconcile(async ({ object, get, apply, client }) => {
        const { replicas } = object.spec
        const isChanged = before !== undefined && before !== replicas
        before = replicas
        const data = { replicas: String(replicas) }
        if ((await get(ConfigMap, 'statefulset')) === undefined)
          await apply(ConfigMap, { metadata: { name: 'statefulset' }, data })
        else if (isChanged || isCareful) await patchData(client, 'statefulset', data)
      }),
  ]
}

export const rabbitmq758: KnownBug = {
  id: 'rabbitmq/cluster-operator#758',
  foundBy: 'Sieve',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ replicas: 1 }), change('scale up', { replicas: 3 })],
  reveals: 'scale up/1/crash-before',
  expects: 'data.replicas: "1" instead of "3"',
}
