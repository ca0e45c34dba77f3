/**
 * A pod is deleted, then the phase says so. In between, the phase says that a pod is to be deleted that is not there.
 */
import { ConfigMap, controller } from 'coxswain'
import { change, create, Database, deleteIfThere, named, setStatus, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, get, apply, client }) => {
      const { replicas } = object.spec
      if (replicas > 1) await apply(ConfigMap, { metadata: { name: 'pod-2' } })
      else if (object.status?.phase === 'Removing') {
        if (!isCareful && (await get(ConfigMap, 'pod-2')) === undefined) throw new Error('pod not found')
        await (isCareful ? deleteIfThere(client, 'pod-2') : client.delete(ConfigMap, named('pod-2')))
        await setStatus(client, { phase: 'Removed' })
      } else if (object.status?.phase !== 'Removed') await setStatus(client, { phase: 'Removing' })
    }),
]

export const casskop370: KnownBug = {
  id: 'Orange-OpenSource/casskop#370',
  foundBy: 'Sieve',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ replicas: 2 }), change('scale down', { replicas: 1 })],
  reveals: 'scale down/3/crash-after',
  expects: 'status.phase: "Removing" instead of "Removed"',
}
