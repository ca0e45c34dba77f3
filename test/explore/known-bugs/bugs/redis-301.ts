/** A field of the spec is read by nobody. */
import { ConfigMap, controller } from 'coxswain'
import { asSpecified, change, create, Database, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, apply }) => {
      const { image = '', affinity = '' } = object.spec
      await apply(ConfigMap, { metadata: { name: 'statefulset' }, data: isCareful ? { image, affinity } : { image } })
    }),
]

export const redis301: KnownBug = {
  id: 'OT-CONTAINER-KIT/redis-operator#301',
  foundBy: 'Acto',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ image: 'redis:7' }), change('affinity', { affinity: 'zone-a' })],
  properties: [
    asSpecified(
      'statefulset',
      ({ spec }) => spec.affinity ?? '',
      (found) => found?.data?.['affinity'] ?? '',
    ),
  ],
  reveals: 'affinity/0/none',
  expects: 'and the spec asks for "zone-a"',
}
