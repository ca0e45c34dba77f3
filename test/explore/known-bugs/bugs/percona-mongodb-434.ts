/** The phase is written before what the next phase reads: after a crash in between, that is undefined. */
import { ConfigMap, controller } from 'coxswain'
import { create, Database, setStatus, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object: { status }, apply, client }) => {
      if (status?.phase === undefined && !isCareful) await setStatus(client, { phase: 'Configured' })
      if (status?.phase === undefined) return setStatus(client, { phase: 'Configured', config: { name: 'mongod' } })
      const { name } = status.config as { name: string }
      await apply(ConfigMap, { metadata: { name } })
    }),
]

export const perconaMongodb434: KnownBug = {
  id: 'Percona K8SPSMDB-434',
  foundBy: 'Sieve',
  broken: operator(false),
  correct: operator(true),
  steps: [create({})],
  reveals: 'create/2/crash-before',
  expects: 'the operator threw TypeError',
}
