/** What exists is not updated: a changed name of a Secret never arrives. */
import { ConfigMap, controller } from 'coxswain'
import { asSpecified, change, create, Database, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, get, apply }) => {
      if (!isCareful && (await get(ConfigMap, 'statefulset')) !== undefined) return
      await apply(ConfigMap, { metadata: { name: 'statefulset' }, data: { secret: object.spec.secret ?? '' } })
    }),
]

export const cockroach920: KnownBug = {
  id: 'cockroachdb/cockroach-operator#920',
  foundBy: 'Acto',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ secret: 'tls-1' }), change('another secret', { secret: 'tls-2' })],
  properties: [
    asSpecified(
      'statefulset',
      ({ spec }) => spec.secret,
      (found) => found?.data?.['secret'],
    ),
  ],
  reveals: 'another secret/0/none',
  expects: 'statefulset has "tls-1", and the spec asks for "tls-2"',
}
