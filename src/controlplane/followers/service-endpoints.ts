/**
 * Deletes the Endpoints of a deleted Service, as upstream, so that a new Service with the same name does not get them.
 */
import type { KubeObject } from '../../api/object.ts'
import { timestamp } from '../../env/env.ts'
import type { Backend } from '../registry/call.ts'
import { withStoredResourceVersion } from '../registry/metadata.ts'
import type { StoreWatch } from '../storage/store.ts'

const services = '/registry/services/specs/'
const endpoints = '/registry/services/endpoints/'

/** Watches Services from now on. */
export function followServiceEndpoints(backend: Backend): StoreWatch {
  const { store } = backend
  return store.watch(services, store.revision, (event) => {
    if (event.type !== 'delete') return
    const { name = '', namespace = '' } = event.current.object.metadata
    remove(backend, `${endpoints}${namespace}/${name}`)
  })
}

/** Endpoints with finalizers only get a deletionTimestamp. */
function remove({ store, env }: Backend, key: string): void {
  const live = store.get(key)
  if (live === undefined) return
  const { metadata } = live.object
  if ((metadata.finalizers?.length ?? 0) === 0) {
    store.delete(key, live.revision, (revision) => withStoredResourceVersion(live.object, revision))
    return
  }
  if (metadata.deletionTimestamp !== undefined) return
  const marked: KubeObject = {
    ...live.object,
    metadata: { ...metadata, deletionTimestamp: timestamp(env.now()), deletionGracePeriodSeconds: 0 },
  }
  store.put(key, live.revision, (revision) => withStoredResourceVersion(marked, revision))
}
