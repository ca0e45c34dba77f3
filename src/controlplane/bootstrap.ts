/**
 * What is there before the first client comes: what a server makes of its own accord when it starts (namespaces,
 * priority classes, flow schemas and priority levels, the registrations of its own API groups, its service and the
 * addresses for services) and, where somebody consults them, the roles without which nobody can look around. Stored as
 * a real server has them, without going through the registry: nobody shall wait for them.
 */
import { timestamp, type Env } from '../env/env.ts'
import { createDefaultRoles } from './default-roles.ts'
import { startObjects } from '../facts/facts.ts'
import type { Backend } from './registry/call.ts'
import { withResourceVersion } from './registry/metadata.ts'
import type { Store } from './storage/store.ts'

/** Creates each object; one that a durable store already has is left alone. */
export function bootstrap({ env, store }: Backend, withRoles: boolean): void {
  createStartObjects(store, env)
  if (withRoles) createDefaultRoles(store, env)
}

function createStartObjects(store: Store, env: Env): void {
  for (const [key, object] of startObjects(timestamp(env.now()))) {
    if (store.get(key) !== undefined) continue
    object.metadata.uid = env.uuid()
    store.put(key, 0, (revision) => withResourceVersion(object, revision))
  }
}
