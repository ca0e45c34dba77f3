/** The server of an embedded cluster after it was restored from a backup. */
import type { Store } from '../controlplane/storage/store.ts'
import { Lease } from '../schema/builtin/kinds.ts'

const key = '/registry/leases/kube-node-lease/other'

/** Others write, as nodes do, until the store has reached the revision. */
export function overtake(store: Store, revision: number): void {
  while (store.revision <= revision)
    store.put(key, store.get(key)?.revision ?? 0, (resourceVersion) => ({
      apiVersion: Lease.apiVersion,
      kind: Lease.kind,
      metadata: {
        name: 'other',
        namespace: 'kube-node-lease',
        uid: '00000000-0000-4000-8000-000000000000',
        resourceVersion: String(resourceVersion),
      },
      spec: {},
    }))
}
