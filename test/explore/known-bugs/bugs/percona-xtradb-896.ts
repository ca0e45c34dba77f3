/** The certificate is made once, and that it was made is recorded first. Without one the database serves plain text. */
import { ConfigMap, controller, Secret } from 'coxswain'
import { create, Database, setStatus, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap, Secret)
    .reconcile(async ({ object, get, apply, client }) => {
      if (isCareful || object.status?.phase === undefined) {
        if (object.status?.phase === undefined) await setStatus(client, { phase: 'Initialised' })
        await apply(Secret, { metadata: { name: 'tls' }, stringData: { key: 'secret' }, type: 'Opaque' })
      }
      const tls = (await get(Secret, 'tls')) === undefined ? 'off' : 'on'
      await apply(ConfigMap, { metadata: { name: 'statefulset' }, data: { tls } })
    }),
]

export const perconaXtradb896: KnownBug = {
  id: 'Percona K8SPXC-896',
  foundBy: 'Sieve',
  broken: operator(false),
  correct: operator(true),
  steps: [create({})],
  reveals: 'create/2/crash-before',
  expects: 'data.tls: "off" instead of "on"',
}
