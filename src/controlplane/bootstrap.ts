/**
 * Creates the objects that a real server creates when it starts: namespaces, priority classes, flow schemas and
 * priority levels, APIServices of its own groups, its Service and the service CIDR, and with RBAC the default roles.
 * They are stored directly in the form of a real server, because the registry would slow down the start.
 */
import { timestamp, type Env } from '../env/env.ts'
import { createDefaultRoles } from './default-roles.ts'
import { startObjects } from '../facts/facts.ts'
import type { Backend } from './registry/call.ts'
import { withResourceVersion } from './registry/metadata.ts'
import type { Store } from './storage/store.ts'

/** Creates each object unless a durable store already has it. */
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
