/** Labels are merged into what is there: a label that the user removes stays. */
import { ConfigMap, controller } from 'coxswain'
import { asSpecified, change, create, Database, named, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, get, apply, client }) => {
      const { labels = {} } = object.spec
      if (isCareful || (await get(ConfigMap, 'statefulset')) === undefined)
        await apply(ConfigMap, { metadata: { name: 'statefulset', labels } })
      else await client.patch(ConfigMap, named('statefulset'), { type: 'merge', patch: { metadata: { labels } } })
    }),
]

export const cass330: KnownBug = {
  id: 'k8ssandra/cass-operator#330',
  foundBy: 'Acto',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ labels: { team: 'a', tier: 'back' } }), change('label removed', { labels: { team: null } })],
  properties: [
    asSpecified(
      'statefulset',
      ({ spec }) => spec.labels,
      (found) => found?.metadata.labels,
    ),
  ],
  reveals: 'label removed/0/none',
  expects: 'and the spec asks for {"tier":"back"}',
}
