/** A way to the server that the parent process names, by a kubeconfig as any program gets it. */
import { clusterTransport, loadAccess, type Transport } from '../../src/client/index.ts'
import { realEnv } from '../../src/env/index.ts'

export async function transportTo(kubeconfig: string): Promise<Transport> {
  const env = realEnv()
  return clusterTransport(env, await loadAccess({ env, kubeconfig, variables: process.env }))
}
