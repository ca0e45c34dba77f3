/** The embedded control plane on a port, with a kubeconfig file for its clients. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubeconfigText, writeKubeconfig } from '../../src/cli/kubeconfig.ts'
import type { Client } from '../../src/client/client.ts'
import { inProcessTransport } from '../../src/client/in-process-transport.ts'
import { RestClient } from '../../src/client/rest-client.ts'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'
import { realEnv } from '../../src/env/real.ts'
import { CustomResourceDefinition } from '../../src/schema/builtin/kinds.ts'

export interface ServedPlane {
  readonly plane: ControlPlane
  readonly url: string
  readonly kubeconfig: string
  readonly folder: string
  /** The client of a user, in process. */
  readonly client: Client
  stop(): Promise<void>
}

export async function servePlane(crds: readonly object[] = []): Promise<ServedPlane> {
  const env = realEnv()
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-runtime-'))
  const plane = createControlPlane({
    tokens: [{ token: 'secret', user: { name: 'admin', uid: 'admin', groups: ['system:masters'] } }],
  })
  const { url } = await plane.listen({ tls: false })
  const kubeconfig = join(folder, 'kubeconfig')
  writeKubeconfig(kubeconfig, kubeconfigText({ url, caCert: '', token: 'secret', certificates: [] }))
  const client = new RestClient({ env, transport: inProcessTransport(plane.transport()), fieldManager: 'user' })
  for (const crd of crds) await client.create(CustomResourceDefinition, crd as CustomResourceDefinition)
  return {
    plane,
    url,
    kubeconfig,
    folder,
    client,
    async stop() {
      await plane.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Resolves with the first matching object of a watch, including existing objects. */
export async function eventually<T>(
  events: AsyncIterable<readonly { readonly type: string; readonly object?: T }[]>,
  fits: (object: T) => boolean,
): Promise<T> {
  for await (const batch of events) {
    for (const { type, object } of batch)
      if (type !== 'DELETED' && type !== 'BOOKMARK' && object !== undefined && fits(object)) return object
  }
  throw new Error('the watch ended before it came')
}
