/** A transport to the server of the parent process, by a kubeconfig as in any program. */
import type { Transport } from '../../src/client/index.ts'
import type { Package } from '../baseline/entry-points.ts'

export async function transportTo(
  kubeconfig: string,
  { clusterTransport, loadAccess, realEnv }: Pick<Package, 'clusterTransport' | 'loadAccess' | 'realEnv'>,
): Promise<Transport> {
  const env = realEnv()
  return clusterTransport(env, await loadAccess({ env, kubeconfig, variables: process.env }))
}
