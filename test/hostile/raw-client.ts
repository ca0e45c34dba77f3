/** A client that may violate the protocol: sends raw bytes over a socket and reads partial responses. */
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  /** Undefined: the connection ended without a response. */
  readonly status: number | undefined
  /** The status line and the headers. */
  readonly head: string
  readonly body: string
}

/** Sends bytes and reads until the server closes or the response is complete. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    const finish = () => {
      socket.destroy()
      resolve(parse(Buffer.concat(chunks).toString('latin1')))
    }
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (isComplete(Buffer.concat(chunks).toString('latin1'))) finish()
    })
    socket.on('error', finish)
    socket.on('close', finish)
  })
}

export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', reject)
  })
}

export function httpRequest(
  method: string,
  path: string,
  token: string,
  body: string | Buffer = '',
  headers: Record<string, string> = {},
): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const all = { host: 'x', authorization: `Bearer ${token}`, 'content-length': String(bytes.length), ...headers }
  const head = Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n`), bytes])
}

function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  return length !== undefined && text.length >= end + 4 + Number(length)
}

function parse(text: string): RawAnswer {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
  const end = text.indexOf('\r\n\r\n')
  return {
    status: status === undefined ? undefined : Number(status),
    head: end < 0 ? text : text.slice(0, end),
    body: end < 0 ? '' : text.slice(end + 4),
  }
}
