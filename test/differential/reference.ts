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
  /** Versions that the server serves, and not by default. */
  readonly runtimeConfig?: readonly string[]
}

export async function withReference<T>(options: ReferenceOptions, use: (target: Target) => Promise<T>): Promise<T> {
  const cluster =
    options.url === undefined ? await startCluster({ apiserverArgs: flagsOf(options.runtimeConfig ?? []) }) : undefined
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

function flagsOf(runtimeConfig: readonly string[]): string[] {
  if (runtimeConfig.length === 0) return []
  const versions = runtimeConfig.map((version) => `${version}=true`).join(',')
  return [`--runtime-config=${versions}`, '--feature-gates=MutatingAdmissionPolicy=true']
}
