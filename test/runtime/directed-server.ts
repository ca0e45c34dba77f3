/** Starts `testdata/directed-server.ts` as a process, and asks it. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { HttpTransport } from '../../src/client/http-transport.ts'
import { fixedCredentials } from '../../src/client/credentials.ts'
import { RestClient } from '../../src/client/rest-client.ts'
import { realEnv } from '../../src/env/real.ts'
import type { ServerQuestion, ServerReport, ServerSettings } from './testdata/directed-server.ts'

export class DirectedServer {
  readonly port: number
  readonly client: RestClient
  readonly #process: ChildProcess
  readonly #transport: HttpTransport

  private constructor(process: ChildProcess, port: number, token: string) {
    this.#process = process
    this.port = port
    const env = realEnv()
    this.#transport = new HttpTransport({
      env,
      server: `https://127.0.0.1:${port}`,
      credentials: fixedCredentials({ authorization: `Bearer ${token}` }),
      trust: () => anyCertificate,
    })
    this.client = new RestClient({ env, transport: this.#transport, fieldManager: 'user' })
  }

  /** Resolves when it listens. */
  static async start(program: string, settings: ServerSettings): Promise<DirectedServer> {
    const process = fork(program, [JSON.stringify(settings)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const { port } = await heard(process)
    return new DirectedServer(process, port, settings.token)
  }

  async ask(question: ServerQuestion): Promise<ServerReport> {
    const answer = heard(this.#process)
    this.#process.send(question)
    return answer
  }

  /** Kills it: its connections break. */
  async kill(): Promise<void> {
    const closed = once(this.#process, 'close')
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill('SIGKILL')
      await closed
    }
    await this.#transport.close()
  }
}

/** Its certificate is another one after each start. */
const anyCertificate = Promise.resolve({ insecureSkipVerify: true })

async function heard(process: ChildProcess): Promise<ServerReport> {
  const over = new AbortController()
  try {
    const [answer] = await Promise.race([
      once(process, 'message', { signal: over.signal }),
      once(process, 'close', { signal: over.signal }).then(() => {
        throw new Error('the server ended')
      }),
    ])
    return answer as ServerReport
  } finally {
    over.abort()
  }
}

/** A kubeconfig that accepts any certificate of this port. */
export function writeAccess(file: string, port: number, token: string): void {
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      clusters: [{ name: 'test', cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'test', user: { token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    }),
    { mode: 0o600 },
  )
}
