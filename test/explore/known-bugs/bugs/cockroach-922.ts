/** The tag is what follows the colon: an image without one ends in an exception, again and again. */
import { ConfigMap, controller } from 'coxswain'
import { change, create, Database, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, apply }) => {
      const tag = (object.spec.image ?? '').split(':')[1]
      const version = isCareful ? (tag?.trim() ?? 'latest') : (tag as string).trim()
      await apply(ConfigMap, { metadata: { name: 'statefulset' }, data: { version } })
    }),
]

export const cockroach922: KnownBug = {
  id: 'cockroachdb/cockroach-operator#922',
  foundBy: 'Acto',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ image: 'cockroach:v22' }), change('image without a tag', { image: 'cockroach' })],
  reveals: 'image without a tag/0/none',
  expects: 'the operator threw TypeError',
}
