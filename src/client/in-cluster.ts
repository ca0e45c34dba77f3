/** Access from within a pod: the files of its service account, and the server's address in the environment. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Env } from '../env/env.ts'
import { trustIn, type ClusterAccess } from './cluster-access.ts'
import { FileSource } from './file-source.ts'
import { KubeconfigError } from './kubeconfig-file.ts'
import { proxyFromEnvironment, type EnvironmentVariables } from './proxy.ts'
import { UserCredentials } from './user-credentials.ts'

export const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

export interface InClusterOptions {
  readonly env: Env
  readonly variables: EnvironmentVariables
  /** Default {@link serviceAccountFolder}. */
  readonly folder?: string | undefined
}

/** Whether the environment variables of Kubernetes' API server are set, as in a container of a pod. */
export function isInCluster({ KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT }: EnvironmentVariables): boolean {
  return Boolean(KUBERNETES_SERVICE_HOST) && Boolean(KUBERNETES_SERVICE_PORT)
}

/** Rejects with a {@link KubeconfigError} if the files of the service account are missing. */
export async function inClusterAccess({
  env,
  variables,
  folder = serviceAccountFolder,
}: InClusterOptions): Promise<ClusterAccess> {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = variables
  const token = new FileSource(env, join(folder, 'token'))
  const ca = new FileSource(env, join(folder, 'ca.crt'))
  try {
    await token.read()
    await ca.read()
  } catch (error) {
    throw new KubeconfigError(
      `this looks like a pod, but its service account cannot be read: ${(error as Error).message}; is ` +
        'automountServiceAccountToken false?',
      error,
    )
  }
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  const owner = `the service account in ${folder}`
  return {
    source: owner,
    server,
    namespace: await ownNamespace(folder),
    trust: trustIn(ca, {}, owner),
    credentials: new UserCredentials({ owner, token }),
    proxy: proxyFromEnvironment(new URL(server), variables),
    headers: {},
    // The server is close: compression would cost more than it saves.
    compression: false,
  }
}

async function ownNamespace(folder: string): Promise<string> {
  try {
    return (await readFile(join(folder, 'namespace'), 'utf8')).trim() || 'default'
  } catch {
    return 'default'
  }
}
