/** Sends the requests of an input. Bodies are bytes of any kind, and some connections are never read. */
import { request } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import type { Target } from '../connection.ts'

export interface Sent {
  readonly method?: string
  readonly path: string
  readonly body?: string | Uint8Array | object
  readonly type?: string
  readonly accept?: string
  readonly token?: string
}

export interface Received {
  /** 0: no response within the time limit. */
  readonly status: number
  readonly text: string
}

/** Longer than a server may take for any request. */
const timeoutMs = 30_000

export class HostileClient {
  /** Bytes of all bodies. */
  bodyBytes = 0
  readonly #target: Target
  readonly #unread: TLSSocket[] = []

  constructor(target: Target) {
    this.#target = target
  }

  send({ method = 'POST', path, body, type = 'application/json', accept, token }: Sent): Promise<Received> {
    const { host, port, ca } = this.#target
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body === undefined
    const bytes = Buffer.from(isRaw ? (body ?? '') : JSON.stringify(body))
    this.bodyBytes += bytes.length
    const headers = {
      authorization: `Bearer ${token ?? this.#target.token}`,
      'content-type': type,
      'content-length': bytes.length,
      accept: accept ?? 'application/json',
    }
    return new Promise((resolve, reject) => {
      const sent = request({ method, path, host, port, ca, headers, agent: false }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => {
          clearTimeout(timer)
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() })
        })
      })
      const timer = setTimeout(() => {
        sent.destroy()
        resolve({ status: 0, text: '' })
      }, timeoutMs)
      sent.on('error', (error) => {
        clearTimeout(timer)
        reject(error)
      })
      sent.end(bytes)
    })
  }

  /** Sends a GET and never reads the response. */
  async sendUnread(path: string): Promise<void> {
    const { host, port, ca, token } = this.#target
    const socket = connect({ host, port, ca })
    socket.on('error', () => {})
    this.#unread.push(socket)
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
  }

  close(): void {
    for (const socket of this.#unread) socket.destroy()
  }
}
