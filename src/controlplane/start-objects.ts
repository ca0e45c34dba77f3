/**
 * What a server makes of its own accord when it starts, besides namespaces and roles: priority classes, flow schemas and
 * priority levels, the registrations of its own API groups, its service and the addresses for services. Stored as a real
 * server has them, without going through the registry: nobody shall wait for them.
 */
import { timestamp, type Env } from '../env/env.ts'
import { startObjects } from './facts/facts.ts'
import { stamped } from './registry/metadata.ts'
import type { Store } from './storage/store.ts'

/** One that a durable store already has is left alone. */
export function createStartObjects(store: Store, env: Env): void {
  for (const [key, object] of startObjects(timestamp(env.now()))) {
    if (store.get(key) !== undefined) continue
    object.metadata.uid = env.uuid()
    store.put(key, 0, (revision) => stamped(object, revision))
  }
}
