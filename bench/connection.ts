/**
 * One keep-alive HTTP/1.1 connection over TLS (or plain TCP), one request at a time. Requests are prepared bytes, and
 * responses are only framed, since `node:https` spends more time on a request than a fast server does.
 */
import { createConnection, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { MessageParser } from './message-parser.ts'

/** The address and the credentials of a server. */
export interface Target {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly tls: boolean
  /** PEM. Without it, a TLS server's certificate is not checked. */
  readonly ca?: string | undefined
  readonly token: string
}

export interface Answer {
  readonly status: number
  readonly text: string
}

const readBytes = 64 * 1024

export class Connection {
  readonly target: Target
  /** Status and body length of the last complete response. */
  status = 0
  bodyBytes = 0
  /** Called at the end of a response. */
  onEnd: () => void = () => {}
  /** Called with each part of a body; undefined: bodies are skipped, except those of errors. */
  onBody: ((text: string) => void) | undefined
  /** Called once, if the connection ends before it is closed here. */
  onLost: (why: Error) => void = () => {}
  /** The body of the last error response. */
  errorText = ''

  readonly #socket: Socket
  #closed = false

  private constructor(target: Target, open: (read: (bytes: number, buffer: Buffer) => void) => Socket) {
    this.target = target
    const parser = new MessageParser({
      head: (text) => {
        this.status = Number(text.slice(9, 12))
        this.bodyBytes = 0
        this.errorText = ''
      },
      body: (buffer, start, end) => {
        this.bodyBytes += end - start
        if (this.status >= 400) this.errorText += buffer.toString('utf8', start, end)
        else if (this.onBody !== undefined) this.onBody(buffer.toString('utf8', start, end))
      },
      end: () => this.onEnd(),
    })
    this.#socket = open((bytes, buffer) => parser.feed(buffer, 0, bytes))
  }

  static async open(target: Target): Promise<Connection> {
    const connection = new Connection(target, (read) => {
      const callback = (bytes: number, buffer: Uint8Array): boolean => {
        read(bytes, buffer as Buffer)
        return true
      }
      const { host, port, ca } = target
      const onread = { buffer: Buffer.allocUnsafe(readBytes), callback }
      if (!target.tls) return createConnection({ host, port, onread, noDelay: true })
      // Missing in Node's types: TLS sockets support `onread` as plain ones do.
      const options = { host, port, onread, ...(ca === undefined ? { rejectUnauthorized: false } : { ca }) }
      return tlsConnect(options)
    })
    const socket = connection.#socket
    await new Promise<void>((resolve, reject) => {
      socket.once(target.tls ? 'secureConnect' : 'connect', () => {
        socket.removeListener('error', reject)
        resolve()
      })
      socket.once('error', reject)
    })
    socket.setNoDelay(true)
    socket.on('error', (error) => connection.#lost(error))
    socket.on('close', () => connection.#lost(new Error(`${target.name} closed the connection`)))
    return connection
  }

  #lost(why: Error): void {
    if (this.#closed) return
    this.#closed = true
    this.onLost(why)
  }

  write(request: Buffer): void {
    this.#socket.write(request)
  }

  close(): void {
    this.#closed = true
    this.#socket.destroy()
  }

  /** Sends a request and collects its response; for requests that are not measured. */
  exchange(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let text = ''
      this.onBody = (part) => {
        text += part
      }
      this.onEnd = () => {
        this.onBody = undefined
        resolve({ status: this.status, text: this.status >= 400 ? this.errorText : text })
      }
      this.onLost = reject
      this.write(request)
    })
  }
}
