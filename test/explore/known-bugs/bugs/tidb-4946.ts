/** Waits until the workload is stable before it does anything: a spec that made it unstable cannot be taken back. */
import { ConfigMap, controller, requeueAfter } from 'coxswain'
import { asSpecified, change, create, Database, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, get, apply }) => {
      const existing = await get(ConfigMap, 'statefulset')
      // Its pods cannot be scheduled.
      const isStable = existing?.data?.['affinity'] !== 'nowhere'
      if (!isCareful && !isStable) return requeueAfter(60_000)
      await apply(ConfigMap, { metadata: { name: 'statefulset' }, data: { affinity: object.spec.affinity ?? '' } })
      return undefined
    }),
]

export const tidb4946: KnownBug = {
  id: 'pingcap/tidb-operator#4946',
  foundBy: 'Acto',
  broken: operator(false),
  correct: operator(true),
  steps: [
    create({ affinity: 'zone-a' }),
    change('unsatisfiable', { affinity: 'nowhere' }),
    change('taken back', { affinity: 'zone-a' }),
  ],
  properties: [
    asSpecified(
      'statefulset',
      ({ spec }) => spec.affinity,
      (found) => found?.data?.['affinity'],
    ),
  ],
  reveals: 'taken back/0/none',
  expects: 'statefulset has "nowhere", and the spec asks for "zone-a"',
}
