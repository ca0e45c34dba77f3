/** A TCP proxy that does to connections what networks, load balancers and overloaded servers do. */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface Weather {
  /**
   * Answers in the server's place: the whole response, or undefined to pass the request on. Gets the request's first
   * bytes.
   */
  readonly answer?: (request: string) => string | undefined
  /** Bytes from the server at a time, one piece per turn of the event loop. */
  readonly pieceBytes?: number
  /** Connections end after so many bytes from the server: in order (FIN), as if that had been all. */
  readonly cutAfterBytes?: number
  /** Connections are refused. */
  readonly isDown?: boolean
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  /** Nothing comes through any more, and nobody is told. */
  isDead: boolean
}

export class FaultProxy {
  /** Where the server is now. */
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

  /** Resolves when clients have ended all their connections. */
  async whenEmpty(): Promise<void> {
    while (this.#pairs.size > 0)
      await Promise.race([...this.#pairs].map(({ client }) => new Promise((resolve) => client.once('close', resolve))))
  }

  /** Every connection is reset (RST). */
  reset(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy()
      server.resetAndDestroy()
    }
  }

  /** Every connection of now goes dead, as behind a firewall that has forgotten it: open, and silent. */
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

/** An HTTP response of a Status, after which the connection ends. */
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

/** A watch that is accepted and says at once that its version is too old. */
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
