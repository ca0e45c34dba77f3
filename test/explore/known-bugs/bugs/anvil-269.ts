/** 0 replicas count as "no number given": a database that was scaled to 0 is not scaled up again. Also #270. */
import { ConfigMap, controller } from 'coxswain'
import { asSpecified, change, create, Database, patchData, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, get, apply, client }) => {
      const wanted = object.spec.replicas
      const existing = await get(ConfigMap, 'statefulset')
      const data = { replicas: String(wanted) }
      if (existing === undefined) return void (await apply(ConfigMap, { metadata: { name: 'statefulset' }, data }))
      const current = Number(existing.data?.['replicas'])
      // Waits for running members before it adds more.
      if (isCareful ? current !== wanted : current > 0 && current !== wanted)
        await patchData(client, 'statefulset', data)
    }),
]

export const anvil269: KnownBug = {
  id: 'anvil-verifier/anvil#269',
  foundBy: 'Anvil',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ replicas: 1 }), change('to zero', { replicas: 0 }), change('from zero', { replicas: 3 })],
  properties: [
    asSpecified(
      'statefulset',
      ({ spec }) => String(spec.replicas),
      (found) => found?.data?.['replicas'],
    ),
  ],
  reveals: 'from zero/0/none',
  expects: 'statefulset has "0", and the spec asks for "3"',
}
