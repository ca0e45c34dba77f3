/** The real server of the suite: a running one by its URL, or one that is started for the run. */
import { httpTarget } from '../conformance/http-target.ts'
import type { Target } from '../conformance/target.ts'
import { startCluster } from '../cluster/index.ts'

export interface ReferenceOptions {
  /** Undefined: a server is started and stopped afterwards. */
  readonly url: string | undefined
  readonly token: string
  readonly userToken: string
  /** The maximum of connections. */
  readonly sockets: number
}

export async function withReference<T>(options: ReferenceOptions, use: (target: Target) => Promise<T>): Promise<T> {
  const cluster = options.url === undefined ? await startCluster() : undefined
  const url = cluster?.url ?? options.url ?? ''
  const admin = cluster?.users.admin.token ?? options.token
  const user = cluster?.users.alice.token ?? options.userToken
  const target = httpTarget({
    url,
    tokens: new Map([
      ['admintoken', admin],
      ['alicetoken', user],
    ]),
    sockets: options.sockets,
  })
  try {
    return await use(target)
  } finally {
    await target.close()
    await cluster?.stop()
  }
}
