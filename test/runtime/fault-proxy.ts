/** A TCP proxy with the faults of networks, load balancers and overloaded servers. */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface Weather {
  /**
   * Responds instead of the server: the whole response, or undefined to forward the request. Called with the first
   * bytes of the request.
   */
  readonly answer?: (request: string) => string | undefined
  /** Splits the server's bytes into pieces of this size, one per turn of the event loop. */
  readonly pieceBytes?: number
  /** Closes connections (FIN) after this many bytes from the server. */
  readonly cutAfterBytes?: number
  /** Refuses connections. */
  readonly isDown?: boolean
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  /** Drops all data silently. */
  isDead: boolean
}

export class FaultProxy {
  /** The current port of the server. */
  target: number
  weather: Weather = {}
  readonly #pairs = new Set<Pair>()
  readonly #server: Server

  constructor(target: number) {
    this.target = target
    this.#server = createServer((client) => this.#accept(client))
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`
  }

  /** Resolves when clients have closed all their connections. */
  async whenEmpty(): Promise<void> {
    while (this.#pairs.size > 0)
      await Promise.race([...this.#pairs].map(({ client }) => new Promise((resolve) => client.once('close', resolve))))
  }

  /** Resets every connection (RST). */
  reset(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy()
      server.resetAndDestroy()
    }
  }

  /** Makes every open connection silent, as a firewall does that has dropped its state. */
  freeze(): void {
    for (const pair of this.#pairs) pair.isDead = true
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.reset()
    await closed
  }

  #accept(client: Socket): void {
    if (this.weather.isDown === true) {
      client.resetAndDestroy()
      return
    }
    const server = connect(this.target, '127.0.0.1')
    const pair: Pair = { client, server, isDead: false }
    this.#pairs.add(pair)
    const { weather } = this
    let left = weather.cutAfterBytes ?? Infinity
    client.on('data', (chunk) => {
      if (pair.isDead) return
      const answer = this.weather.answer?.(String(chunk))
      if (answer === undefined) server.write(chunk)
      else client.end(answer)
    })
    server.on('data', (chunk: Buffer) => {
      if (pair.isDead || left <= 0) return
      const passed = chunk.subarray(0, left)
      left -= passed.length
      void this.#pass(pair, passed, weather.pieceBytes ?? Infinity).then(() => {
        if (left <= 0) client.end()
      })
    })
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => other.destroy())
      socket.on('end', () => {
        if (!pair.isDead) other.end()
      })
    }
    client.on('close', () => {
      this.#pairs.delete(pair)
      server.destroy()
    })
    server.on('close', () => {
      if (!pair.isDead) client.end()
    })
  }

  async #pass(pair: Pair, chunk: Buffer, pieceBytes: number): Promise<void> {
    if (pieceBytes >= chunk.length) {
      pair.client.write(chunk)
      return
    }
    pair.server.pause()
    for (let at = 0; at < chunk.length && !pair.client.destroyed; at += pieceBytes) {
      pair.client.write(chunk.subarray(at, at + pieceBytes))
      await new Promise((resolve) => setImmediate(resolve))
    }
    pair.server.resume()
  }
}

/** An HTTP response with a Status, after which the connection is closed. */
export function statusResponse(code: number, reason: string, headers = ''): string {
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason,
    message: reason,
    code,
  })
  return (
    `HTTP/1.1 ${code} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ` +
    `${body.length}\r\n${headers}connection: close\r\n\r\n${body}`
  )
}

/** A watch that is accepted and reports at once that its resourceVersion is too old. */
export function expiredWatch(): string {
  const object = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason: 'Expired',
    message: 'too old resource version',
    code: 410,
  }
  return (
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: ` +
    `close\r\n\r\n${JSON.stringify({ type: 'ERROR', object })}\n`
  )
}
