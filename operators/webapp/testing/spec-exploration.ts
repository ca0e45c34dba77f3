/** Operations on every field of an app's spec, for `exploreSpec`. */
import type { Embedded, ExploreSpecOptions } from 'coxswain/testing'
import { WebApp } from '../schema/webapp.ts'
import { exploration } from './exploration.ts'

const names = ['example', 'settings']

/** What an app may refer to by the names that are tried. */
async function prepare(cluster: Embedded): Promise<void> {
  const data = { example: 'a', settings: 'b' }
  for (const name of names) {
    await cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data } as never)
    await cluster.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: data } as never)
    await cluster.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } } as never)
  }
}

export function specExploration(): ExploreSpecOptions {
  const { cluster, oracles } = exploration()
  return {
    cluster,
    oracles,
    kind: WebApp,
    prepare,
    values: { 'spec.image': ['nginx:1.21', 'broken:1'], 'spec.replicas': [0, 1, 3] },
    // At rest, nothing comes of them: they say what happens later, on a failure, a drift or the deletion.
    noEffect: ['spec.drift', 'spec.deletionPolicy', 'spec.onFailure', 'spec.onFailureRetries'],
    // An autoscaler starts from the number of pods that there are.
    pathDependent: ['spec.autoscaling'],
    ignore: [
      'status.history',
      'status.lastGoodRevision',
      'status.failedRevision',
      // The third manager is `webapp-released`: it keeps `replicas` when an autoscaler takes over, and owns it beside
      // `webapp` when that comes back, until the number changes.
      'apps/v1 Deployment metadata.managedFields.2',
    ],
    sample: {
      apiVersion: WebApp.apiVersion,
      kind: WebApp.kind,
      metadata: { name: 'hello' },
      spec: { image: 'nginx:1.20', replicas: 2, env: { MODE: 'fast' }, ports: [{ name: 'metrics', port: 9090 }] },
    } as never,
  }
}

/** For `coxswain explore --spec`. */
export default specExploration()
