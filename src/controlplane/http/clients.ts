/**
 * Clients: the connections of a listener, the users behind them and what they use. Enforces {@link ClientLimits}, so
 * that no user can lock out others.
 *
 * Output that clients have not read is not counted at each write, but all at once, after so many written bytes that a
 * limit could be exceeded.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Env, Timer } from '../../env/env.ts'
import { mastersGroup } from '../auth/user-names.ts'
import type { UserInfo } from '../contract/resource.ts'
import type { ClientLimits } from './client-limits.ts'
import type { Turns } from './turns.ts'

/** Unread output is counted at most once for this many written bytes, so a limit may be exceeded by as much. */
const minRecountBytes = 1024 * 1024

/** The room that a request must have for its response: an object of the largest size. */
const responseBytes = 1024 * 1024

/** What one user uses, by the user's name. */
class UserUsage {
  readonly name: string
  connections = 0
  requests = 0
  watches = 0
  /** At the last count. */
  bufferedBytes = 0

  constructor(name: string) {
    this.name = name
  }
}

/** A request from its headers to the end of its response. */
export class Exchange {
  readonly connection: Connection
  readonly #usage: UserUsage | undefined
  readonly #user: UserInfo | undefined
  /** Undefined if the response is written to the socket itself. */
  readonly response: ServerResponse | undefined
  #isWatch = false
  #isEnded = false

  constructor(
    connection: Connection,
    usage: UserUsage | undefined,
    user: UserInfo | undefined,
    response: ServerResponse | undefined,
  ) {
    this.connection = connection
    this.#usage = usage
    this.#user = user
    this.response = response
    if (usage !== undefined) usage.requests++
    connection.exchanges.push(this)
  }

  get isWatch(): boolean {
    return this.#isWatch
  }

  /** Whether the user may make this request. If not, the response is 429. */
  get isAllowed(): boolean {
    return this.connection.clients.allows(this.#usage, this.#user)
  }

  /** The response is a watch or a followed log. False if the user has too many: the response is then 429. */
  startWatch(): boolean {
    const usage = this.#usage
    if (usage === undefined) return true
    if (!this.connection.clients.allowsWatch(usage, this.#user)) return false
    this.#isWatch = true
    usage.requests--
    usage.watches++
    return true
  }

  /** Ends with its response, which is sent in pieces or waits for its turn on the connection. */
  endWithResponse(): void {
    this.response?.once('close', () => this.end())
  }

  /** To be called when the response is written. Also called when the connection is closed. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    const { exchanges } = this.connection
    if (exchanges[exchanges.length - 1] === this) exchanges.pop()
    else exchanges.splice(exchanges.indexOf(this), 1)
    const usage = this.#usage
    if (usage === undefined) return
    if (this.#isWatch) usage.watches--
    else usage.requests--
    this.connection.clients.forget(usage)
  }
}

export class Connection {
  readonly clients: Clients
  /** The TLS socket, once its handshake is complete. */
  socket: Socket
  /** The user of the last request. Undefined before the first request. */
  usage: UserUsage | undefined
  /** More than one if requests are pipelined. */
  readonly exchanges: Exchange[] = []
  /** All bodies that were written, and how many of these bytes were sent when last checked. */
  #writtenBytes = 0
  #sentBytes = 0
  #unreadMs = 0

  constructor(clients: Clients, socket: Socket) {
    this.clients = clients
    this.socket = socket
  }

  wrote(bytes: number): void {
    this.#writtenBytes += bytes
    this.clients.wrote(bytes)
  }

  get bufferedBytes(): number {
    if (this.socket.destroyed) return 0
    let bytes = this.socket.writableLength
    // A pipelined response holds its output until it gets the socket.
    for (const { response } of this.exchanges) if (response?.socket === null) bytes += response.writableLength
    return bytes
  }

  /** For how long the client has read nothing, though there is something to read; called every `intervalMs`. */
  unreadMs(intervalMs: number): number {
    const { bufferedBytes } = this
    const sentBytes = this.#writtenBytes - bufferedBytes
    const isReading = bufferedBytes === 0 || sentBytes > this.#sentBytes || this.exchanges.some((each) => each.isWatch)
    this.#sentBytes = sentBytes
    this.#unreadMs = isReading ? 0 : this.#unreadMs + intervalMs
    return this.#unreadMs
  }
}

/** How many clients there are, and what limits did. */
export interface ClientCounts {
  readonly connections: number
  readonly requests: number
  readonly watches: number
  readonly bufferedBytes: number
  /** Requests that were answered with 429. */
  readonly rejectedRequests: number
  /** Connections that were closed because of a limit. */
  readonly closedConnections: number
}

export class Clients {
  readonly turns: Turns
  readonly #limits: ClientLimits
  /** In the order of their start. */
  readonly #connections = new Set<Connection>()
  readonly #bySocket = new WeakMap<Socket, Connection>()
  readonly #users = new Map<string, UserUsage>()
  #sweep: Timer | undefined
  /** Written since the last count, and the number that causes the next one. */
  #writtenBytes = 0
  #recountBytes: number
  #rejectedRequests = 0
  #closedConnections = 0

  constructor(env: Env, turns: Turns, limits: ClientLimits) {
    this.turns = turns
    this.#limits = limits
    this.#recountBytes = Math.min(limits.maxBufferedBytes, limits.maxBufferedBytesPerUser)
    this.#sweepEvery(env, limits.unreadTimeoutMs / 4)
  }

  /** Registers a new connection, unless it is known. If there are too many, closes another one. */
  add(socket: Socket): void {
    if (this.#bySocket.has(socket)) return
    const connection = new Connection(this, socket)
    this.#connections.add(connection)
    this.#bySocket.set(socket, connection)
    socket.once('close', () => this.#remove(connection))
    if (this.#connections.size > this.#limits.maxConnections) this.#closeOne()
  }

  /** A connection of {@link Clients.add} continues on its TLS socket. */
  secure(plain: Socket, socket: Socket): void {
    const connection = this.#bySocket.get(plain)
    if (connection === undefined || this.#bySocket.has(socket)) return
    connection.socket = socket
    this.#bySocket.set(socket, connection)
    socket.once('close', () => this.#remove(connection))
  }

  /** The start of a request. `user` is undefined if it is not authenticated. */
  begin(socket: Socket, user: UserInfo | undefined, response: ServerResponse | undefined): Exchange {
    this.add(socket)
    const connection = this.#bySocket.get(socket) as Connection
    const usage = user === undefined ? undefined : this.#usageOf(connection, user)
    return new Exchange(connection, usage, user, response)
  }

  wrote(bytes: number): void {
    this.#writtenBytes += bytes
    if (this.#writtenBytes >= this.#recountBytes) this.#recount()
  }

  /** For {@link Exchange}. */
  allows(usage: UserUsage | undefined, user: UserInfo | undefined): boolean {
    if (usage === undefined || user === undefined) return true
    const { maxRequestsPerUser } = this.#limits
    if (usage.requests <= maxRequestsPerUser && this.#hasRoom(usage)) return true
    return isExempt(user) || this.#reject()
  }

  /** For {@link Exchange}. */
  allowsWatch(usage: UserUsage, user: UserInfo | undefined): boolean {
    if (usage.watches < this.#limits.maxWatchesPerUser) return true
    return (user !== undefined && isExempt(user)) || this.#reject()
  }

  /** Drops what is known of a user without connections and requests. */
  forget(usage: UserUsage): void {
    if (usage.connections === 0 && usage.requests === 0 && usage.watches === 0) this.#users.delete(usage.name)
  }

  get counts(): ClientCounts {
    let [requests, watches, bufferedBytes] = [0, 0, 0]
    for (const usage of this.#users.values()) {
      requests += usage.requests
      watches += usage.watches
    }
    for (const connection of this.#connections) bufferedBytes += connection.bufferedBytes
    const connections = this.#connections.size
    const [rejectedRequests, closedConnections] = [this.#rejectedRequests, this.#closedConnections]
    return { connections, requests, watches, bufferedBytes, rejectedRequests, closedConnections }
  }

  /** Closes all connections, after what was written to them. */
  close(): void {
    this.#sweep?.cancel()
    for (const { socket } of this.#connections) socket.destroySoon()
  }

  #usageOf(connection: Connection, { name }: UserInfo): UserUsage {
    const known = connection.usage
    if (known?.name === name) return known
    let usage = this.#users.get(name)
    if (usage === undefined) {
      usage = new UserUsage(name)
      this.#users.set(name, usage)
    }
    usage.connections++
    connection.usage = usage
    if (known !== undefined) this.#leave(known)
    return usage
  }

  #leave(usage: UserUsage): void {
    usage.connections--
    this.forget(usage)
  }

  #remove(connection: Connection): void {
    if (!this.#connections.delete(connection)) return
    for (const exchange of connection.exchanges.slice()) exchange.end()
    if (connection.usage !== undefined) this.#leave(connection.usage)
  }

  #reject(): false {
    this.#rejectedRequests++
    return false
  }

  /** Whether the user may buffer one more response. */
  #hasRoom(usage: UserUsage): boolean {
    const maxBytes = this.#limits.maxBufferedBytesPerUser - responseBytes
    // Not counted again for each rejected request: the last count is used until more is written.
    if (usage.bufferedBytes > maxBytes && this.#writtenBytes > 0) this.#recount()
    return usage.bufferedBytes <= maxBytes
  }

  #recount(): void {
    const { maxBufferedBytes, maxBufferedBytesPerUser } = this.#limits
    const unread: UnreadOutput[] = []
    let total = 0
    for (const usage of this.#users.values()) usage.bufferedBytes = 0
    for (const connection of this.#connections) {
      const bytes = connection.bufferedBytes
      if (bytes === 0) continue
      total += bytes
      if (connection.usage !== undefined) connection.usage.bufferedBytes += bytes
      unread.push({ connection, bytes })
    }
    unread.sort((a, b) => b.bytes - a.bytes)
    let largestOfUserBytes = 0
    for (const { connection, bytes } of unread) {
      const { usage } = connection
      if (total > maxBufferedBytes || (usage !== undefined && usage.bufferedBytes > maxBufferedBytesPerUser)) {
        total -= bytes
        if (usage !== undefined) usage.bufferedBytes -= bytes
        this.#end(connection)
      }
    }
    for (const usage of this.#users.values()) largestOfUserBytes = Math.max(largestOfUserBytes, usage.bufferedBytes)
    const left = Math.min(maxBufferedBytes - total, maxBufferedBytesPerUser - largestOfUserBytes)
    this.#recountBytes = Math.max(left, Math.min(minRecountBytes, maxBufferedBytes / 64))
    this.#writtenBytes = 0
  }

  /** Closes the oldest connection of the user with the most connections: one without a request, if there is one. */
  #closeOne(): void {
    const counts = new Map<UserUsage | undefined, number>()
    for (const { usage, socket } of this.#connections)
      if (!socket.destroyed) counts.set(usage, (counts.get(usage) ?? 0) + 1)
    let most: UserUsage | undefined
    for (const [usage, count] of counts) if (count > (counts.get(most) ?? 0)) most = usage
    let oldest: Connection | undefined
    for (const connection of this.#connections) {
      if (connection.usage !== most || connection.socket.destroyed) continue
      oldest ??= connection
      if (connection.exchanges.length > 0) continue
      oldest = connection
      break
    }
    if (oldest !== undefined) this.#end(oldest)
  }

  #end(connection: Connection): void {
    this.#closedConnections++
    connection.socket.destroy()
  }

  #sweepEvery(env: Env, intervalMs: number): void {
    this.#sweep = env.after(intervalMs, () => {
      for (const connection of this.#connections)
        if (connection.unreadMs(intervalMs) >= this.#limits.unreadTimeoutMs) this.#end(connection)
      this.#sweepEvery(env, intervalMs)
    })
  }
}

interface UnreadOutput {
  readonly connection: Connection
  readonly bytes: number
}

/** Administrators always get an answer, as upstream. */
function isExempt({ groups }: UserInfo): boolean {
  return groups.includes(mastersGroup)
}
