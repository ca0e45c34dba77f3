/**
 * Connections to one server with one TLS identity: for calls, as many as there are concurrent calls, and for watches,
 * each of which occupies a connection. Connections are kept alive and reused, the most recent one first.
 */
import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect as netConnect, isIP, type OnReadOpts, type Socket } from 'node:net'
import { checkServerIdentity, connect as tlsConnect, createSecureContext, type ConnectionOptions } from 'node:tls'
import type { Duplex } from 'node:stream'
import { CallConnection } from './call-connection.ts'
import { connectionError } from './connection-failure.ts'
import type { ClientCertificate } from './credentials.ts'
import { abortError, closedError } from './deadline.ts'
import { openTunnel } from './proxy.ts'
import { TransportError } from './transport.ts'

/** How the server is verified. PEM texts. */
export interface ServerTrust {
  /** The only trusted CAs. Default: Node's list. */
  readonly ca?: string | undefined
  /** The name that the certificate must have. Default: the host of the server. */
  readonly serverName?: string | undefined
  /** Default false. True accepts any certificate. */
  readonly insecureSkipVerify?: boolean | undefined
}

export interface PoolOptions {
  readonly server: URL
  readonly proxy: URL | undefined
  readonly trust: ServerTrust
  readonly certificate: ClientCertificate | undefined
}

/** Shorter than the 90 s after which API servers close idle connections, so that requests rarely use a dead one. */
const idleSocketTimeoutMs = 55_000
const maxIdleWatchSockets = 4

/** Shared by all connections for calls: data is consumed before the next read. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024)

type Created = (error: Error | null, socket: Duplex) => void

export class ConnectionPool {
  readonly watches: HttpAgent
  readonly #server: URL
  readonly #host: string
  readonly #port: number
  readonly #proxy: URL | undefined
  readonly #tls: ConnectionOptions | undefined
  /** Every connection that is open, and whether it has carried a watch. */
  readonly #sockets = new Map<Socket, boolean>()
  /** Idle connections. */
  readonly #free: CallConnection[] = []
  /** Connections with a call. */
  readonly #busy = new Set<CallConnection>()
  #isRetired = false

  /** Throws for a certificate or key that cannot be parsed. */
  constructor(options: PoolOptions) {
    const { server, proxy } = options
    const isSecure = server.protocol === 'https:'
    this.#server = server
    this.#host = server.hostname.startsWith('[') ? server.hostname.slice(1, -1) : server.hostname
    this.#port = server.port === '' ? (isSecure ? 443 : 80) : Number(server.port)
    this.#proxy = proxy
    this.#tls = isSecure ? tlsOptions(options) : undefined
    this.watches = this.#agent()
  }

  get size(): number {
    return this.#sockets.size
  }

  get isRetired(): boolean {
    return this.#isRetired
  }

  /**
   * A connection for one call, to be given back. Rejects if there is none through the proxy, or if the signal aborts
   * before.
   */
  take(signal?: AbortSignal): CallConnection | Promise<CallConnection> {
    for (let connection = this.#free.pop(); connection !== undefined; connection = this.#free.pop()) {
      if (!connection.isFree) continue
      connection.hold(true)
      this.#busy.add(connection)
      return connection
    }
    return this.#proxy === undefined ? this.#connect() : this.#connectThrough(this.#proxy, signal)
  }

  giveBack(connection: CallConnection): void {
    this.#busy.delete(connection)
    if (this.#isRetired || !connection.isFree) return connection.destroy()
    connection.hold(false)
    this.#free.push(connection)
  }

  /** True if the connection has carried a watch before. Marks it. */
  markUsed(socket: Socket): boolean {
    const used = this.#sockets.get(socket) ?? false
    if (!socket.destroyed) this.#sockets.set(socket, true)
    return used
  }

  /** Closes idle connections now and the others when they become idle: for a pool that is being replaced. */
  retire(): void {
    this.#isRetired = true
    for (const connection of this.#free.splice(0)) connection.destroy()
    this.watches.maxFreeSockets = 0
    for (const sockets of Object.values(this.watches.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }

  /** Closes every connection; calls that wait for a response fail. Resolves when all connections are closed. */
  async close(): Promise<void> {
    for (const connection of this.#busy) connection.destroy(closedError(connection.isOpen))
    this.retire()
    await Promise.all(
      [...this.#sockets.keys()].map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once('close', () => resolve())
            socket.destroy()
          }),
      ),
    )
  }

  #connect(): CallConnection {
    const onread: OnReadOpts = {
      buffer: readBuffer,
      callback: (bytes) => {
        connection.read(readBuffer, 0, bytes)
        return true
      },
    }
    const to = { host: this.#host, port: this.#port, onread }
    // Missing in Node's types: TLS sockets support `onread` as plain ones do.
    const socket =
      this.#tls === undefined ? netConnect(to) : tlsConnect({ ...to, ...this.#named(this.#tls) } as ConnectionOptions)
    const connection = this.#carrying(socket, false)
    return connection
  }

  #connectThrough(proxy: URL, signal: AbortSignal | undefined): Promise<CallConnection> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(abortError(signal, false))
      signal?.addEventListener('abort', abort)
      this.#tunnel(proxy)
        .then((socket) => {
          const connection = this.#carrying(socket, true)
          socket.on('data', (bytes: Buffer) => connection.read(bytes, 0, bytes.length))
          // If the call is over, the connection serves the next one.
          if (signal?.aborted === true) this.giveBack(connection)
          resolve(connection)
        })
        .catch((error: Error) => {
          reject(
            error instanceof TransportError
              ? error
              : connectionError(error, `${this.#host}:${this.#port}`, false, false),
          )
        })
        .finally(() => signal?.removeEventListener('abort', abort))
    })
  }

  #carrying(socket: Socket, isOpen: boolean): CallConnection {
    this.#track(socket)
    const connection = new CallConnection(socket, `${this.#host}:${this.#port}`, isOpen)
    if (!isOpen) socket.once(this.#tls === undefined ? 'connect' : 'secureConnect', () => connection.opened())
    this.#busy.add(connection)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 1000)
    socket.setTimeout(idleSocketTimeoutMs, () => {
      if (connection.isFree) connection.destroy()
    })
    return connection
  }

  #agent(): HttpAgent {
    const settings = {
      keepAlive: true,
      maxFreeSockets: maxIdleWatchSockets,
      scheduling: 'lifo',
      timeout: idleSocketTimeoutMs,
    } as const
    const made = this.#tls === undefined ? new HttpAgent(settings) : new HttpsAgent({ ...settings, ...this.#tls })
    // All connections of a pool are equal. Node would build a name from the PEM texts for each request.
    made.getName = () => 'api'
    const direct = made.createConnection.bind(made)
    made.createConnection = (args: ClientRequestArgs, created?: Created) => {
      if (this.#proxy === undefined) {
        const socket = direct(args, created)
        this.#track(socket as Socket)
        return socket
      }
      this.#tunnel(this.#proxy).then(
        (socket) => created?.(null, socket),
        (error: Error) => created?.(error, undefined as unknown as Duplex),
      )
      return undefined
    }
    return made
  }

  #track(socket: Socket): void {
    if (socket.destroyed || this.#sockets.has(socket)) return
    this.#sockets.set(socket, false)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  async #tunnel(proxy: URL): Promise<Socket> {
    const tunnel = await openTunnel(proxy, `${this.#server.hostname}:${this.#port}`, (socket) => this.#track(socket))
    const tls = this.#tls
    if (tls === undefined) return tunnel
    return new Promise((resolve, reject) => {
      const socket = tlsConnect({ ...this.#named(tls), host: this.#host, socket: tunnel })
      this.#track(socket)
      socket.once('error', reject)
      socket.once('secureConnect', () => {
        socket.off('error', reject)
        resolve(socket)
      })
    })
  }

  /** Adds the server name for SNI, which must not be an IP address. */
  #named(tls: ConnectionOptions): ConnectionOptions {
    return { ...tls, servername: tls.servername ?? (isIP(this.#host) === 0 ? this.#host : '') }
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
  // An IP address is not sent as server name, but the certificate must still match it.
  return {
    ...verified,
    servername: isIP(serverName) === 0 ? serverName : '',
    checkServerIdentity: (_host, cert) => checkServerIdentity(serverName, cert),
  }
}
