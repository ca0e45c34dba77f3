/** What is enabled is made; what is disabled is not deleted. */
import { ConfigMap, controller } from 'coxswain'
import { asSpecified, change, create, Database, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, apply, delete: remove }) => {
      if (object.spec.proxy) await apply(ConfigMap, { metadata: { name: 'proxy' } })
      else if (isCareful) await remove(ConfigMap, 'proxy')
    }),
]

export const knative1176: KnownBug = {
  id: 'knative/operator#1176',
  foundBy: 'Acto',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ proxy: true }), change('disable', { proxy: false })],
  properties: [
    asSpecified(
      'proxy',
      ({ spec }) => spec.proxy,
      (found) => found !== undefined,
    ),
  ],
  reveals: 'disable/0/none',
  expects: 'proxy has true, and the spec asks for false',
}
