/**
 * An old spec without the proxy is seen again after a restart: the proxy is deleted and made again. The end is the
 * same.
 */
import { ConfigMap, controller } from 'coxswain'
import { change, create, Database, deleteIfThere, named, type KnownBug } from '../known-bug.ts'

const operator = (isCareful: boolean) => () => [
  controller(Database)
    .owns(ConfigMap)
    .reconcile(async ({ object, apply, client }) => {
      const { proxy } = object.spec
      if (proxy) return void (await apply(ConfigMap, { metadata: { name: 'proxy' } }))
      if (isCareful) {
        // The server decides whether this spec is still the current one.
        const live = await client.get(Database, named('db'))
        if (live.metadata.generation !== object.metadata.generation) return
      }
      await deleteIfThere(client, 'proxy')
    }),
]

export const perconaXtradb725: KnownBug = {
  id: 'Percona K8SPXC-725',
  foundBy: 'Sieve',
  broken: operator(false),
  correct: operator(true),
  steps: [create({ proxy: false }), change('on', { proxy: true })],
  reveals: 'on/1/time-travel',
  expects: 'deleted v1 ConfigMap default/proxy',
}
