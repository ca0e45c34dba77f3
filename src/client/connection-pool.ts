/**
 * Connections to one server with one TLS identity: one pool for calls, of a bounded size, and one for watches, each of which
 * holds a connection for as long as it lasts. Connections are kept alive and used again, the last one first.
 */
import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { checkServerIdentity, connect as tlsConnect, createSecureContext, type ConnectionOptions } from 'node:tls'
import type { Duplex } from 'node:stream'
import type { ClientCertificate } from './credentials.ts'
import { openTunnel } from './proxy.ts'

/** How the server is trusted. PEM texts. */
export interface ServerTrust {
  /** The only authorities that count. Default: Node's own list. */
  readonly ca?: string | undefined
  /** The name that the certificate must have. Default: the server's host. */
  readonly serverName?: string | undefined
  /** Default false. True trusts anybody. */
  readonly insecureSkipVerify?: boolean | undefined
}

export interface PoolOptions {
  readonly server: URL
  readonly proxy: URL | undefined
  readonly trust: ServerTrust
  readonly certificate: ClientCertificate | undefined
  readonly maxSockets: number
}

/** Shorter than the 90 s after which API servers close idle connections: so a request seldom meets a dead one. */
const idleSocketTimeout = 55_000
const maxIdleWatchSockets = 4

type Created = (error: Error | null, socket: Duplex) => void

export class ConnectionPool {
  readonly calls: HttpAgent
  readonly watches: HttpAgent
  /** Every connection that is open, and whether it has carried a request. */
  readonly #sockets = new Map<Socket, boolean>()
  #isRetired = false

  /** Throws for a certificate or key that cannot be read. */
  constructor(options: PoolOptions) {
    const { server, proxy } = options
    const tls = server.protocol === 'https:' ? tlsOptions(options) : undefined
    const agent = (maxSockets: number, maxFreeSockets: number): HttpAgent => {
      const settings = { keepAlive: true, maxSockets, maxFreeSockets, scheduling: 'lifo', timeout: idleSocketTimeout } as const
      const made = tls === undefined ? new HttpAgent(settings) : new HttpsAgent({ ...settings, ...tls })
      // All connections of a pool are alike. Node would join the PEM texts to a name at each request.
      made.getName = () => 'api'
      const direct = made.createConnection.bind(made)
      made.createConnection = (args: ClientRequestArgs, created?: Created) => {
        if (proxy === undefined) {
          const socket = direct(args, created)
          this.#track(socket as Socket)
          return socket
        }
        this.#tunnel(proxy, server, tls, args).then(
          (socket) => created?.(null, socket),
          (error: Error) => created?.(error, undefined as unknown as Duplex),
        )
        return undefined
      }
      return made
    }
    this.calls = agent(options.maxSockets, options.maxSockets)
    this.watches = agent(Infinity, maxIdleWatchSockets)
  }

  /** True when the connection has carried a request before; from now on it has. */
  markUsed(socket: Socket): boolean {
    const used = this.#sockets.get(socket) ?? false
    if (!socket.destroyed) this.#sockets.set(socket, true)
    return used
  }

  get size(): number {
    return this.#sockets.size
  }

  get isRetired(): boolean {
    return this.#isRetired
  }

  /** Ends what is idle now, and the rest once it is: for a pool that another one replaces. */
  retire(): void {
    this.#isRetired = true
    for (const agent of [this.calls, this.watches]) {
      agent.maxFreeSockets = 0
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
    }
  }

  /** Cuts every connection. Resolves when all are gone. */
  async close(): Promise<void> {
    this.retire()
    await Promise.all([...this.#sockets.keys()].map((socket) => new Promise<void>((resolve) => {
      socket.once('close', () => resolve())
      socket.destroy()
    })))
  }

  #track(socket: Socket): void {
    if (socket.destroyed || this.#sockets.has(socket)) return
    this.#sockets.set(socket, false)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  async #tunnel(proxy: URL, server: URL, tls: ConnectionOptions | undefined, args: ClientRequestArgs): Promise<Socket> {
    const port = server.port === '' ? (tls === undefined ? '80' : '443') : server.port
    const tunnel = await openTunnel(proxy, `${server.hostname}:${port}`, (socket) => this.#track(socket))
    if (tls === undefined) return tunnel
    const host = String(args.host)
    const servername = tls.servername ?? (isIP(host) === 0 ? host : '')
    return new Promise((resolve, reject) => {
      const socket = tlsConnect({ ...tls, servername, host, socket: tunnel })
      this.#track(socket)
      socket.once('error', reject)
      socket.once('secureConnect', () => {
        socket.off('error', reject)
        resolve(socket)
      })
    })
  }
}

function tlsOptions({ trust, certificate }: PoolOptions): ConnectionOptions {
  const secureContext = createSecureContext({
    ...(trust.ca === undefined ? {} : { ca: trust.ca }),
    ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key }),
    minVersion: 'TLSv1.2',
  })
  const verified = { secureContext, ALPNProtocols: ['http/1.1'], rejectUnauthorized: trust.insecureSkipVerify !== true }
  const { serverName } = trust
  if (serverName === undefined) return verified
  // An address is no name to ask for, but the certificate may still have to have it.
  return {
    ...verified,
    servername: isIP(serverName) === 0 ? serverName : '',
    checkServerIdentity: (_host, cert) => checkServerIdentity(serverName, cert),
  }
}
