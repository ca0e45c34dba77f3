/**
 * Finds the cluster to connect to: --kubeconfig, otherwise KUBECONFIG, otherwise the pod's service account, otherwise
 * ~/.kube/config.
 */
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { ClusterAccess } from './cluster-access.ts'
import { inClusterAccess, isInCluster } from './in-cluster.ts'
import { contextAccess, type ContextOptions } from './kubeconfig.ts'
import { KubeconfigError, readKubeconfig } from './kubeconfig-file.ts'

export interface LoadAccessOptions extends ContextOptions {
  /** Only this file. It must exist. */
  readonly kubeconfig?: string | undefined
  /** The folder of a pod's service account. */
  readonly serviceAccountFolder?: string | undefined
}

/** Rejects with a {@link KubeconfigError}. */
export async function loadAccess(options: LoadAccessOptions): Promise<ClusterAccess> {
  const { kubeconfig, variables = process.env } = options
  if (kubeconfig !== undefined && kubeconfig !== '')
    return contextAccess(await readKubeconfig([kubeconfig], true), options)
  const listed = (variables['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '')
  if (listed.length > 0) return fromFiles(listed, `KUBECONFIG names ${listed.join(', ')}`, options)
  const home = join(variables['HOME'] ?? homedir(), '.kube', 'config')
  let noPod: unknown
  if (isInCluster(variables)) {
    try {
      return await inClusterAccess({ env: options.env, variables, folder: options.serviceAccountFolder })
    } catch (error) {
      noPod = error
    }
  }
  try {
    return await fromFiles([home], `there is no ${home}, KUBECONFIG is not set, and this is not a pod`, options)
  } catch (error) {
    throw noPod ?? error
  }
}

async function fromFiles(paths: readonly string[], otherwise: string, options: ContextOptions): Promise<ClusterAccess> {
  const config = await readKubeconfig(paths, false)
  if (config.files.length > 0) return contextAccess(config, options)
  throw new KubeconfigError(`no kubeconfig was found: ${otherwise}; name a file with --kubeconfig`)
}
