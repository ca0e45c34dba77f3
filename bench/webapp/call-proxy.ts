/**
 * Counts the API calls of one client at a server without an audit log: a TCP proxy that reads the heads of requests and
 * responses. Watches are not counted, as with the audit log.
 */
import { createConnection, createServer, type Socket } from 'node:net'
import { MessageParser } from '../message-parser.ts'
import type { Call } from './audit-log.ts'

export class CallProxy {
  readonly #sockets = new Set<Socket>()
  readonly #server
  #calls: Call[] = []

  private constructor(upstreamPort: number) {
    this.#server = createServer((client) => this.#connect(client, upstreamPort))
  }

  static async start(upstreamPort: number): Promise<CallProxy> {
    const proxy = new CallProxy(upstreamPort)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen')
    return address.port
  }

  /** The calls that were answered since the last call. */
  next(): readonly Call[] {
    const calls = this.#calls
    this.#calls = []
    return calls
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #connect(client: Socket, upstreamPort: number): void {
    const server = createConnection({ host: '127.0.0.1', port: upstreamPort, noDelay: true })
    client.setNoDelay(true)
    /** Requests of this connection without a response, in order. */
    const waiting: Omit<Call, 'code'>[] = []
    const requests = new MessageParser({
      head: (text) => waiting.push(callOf(text)),
      body: () => {},
      end: () => {},
    })
    const answers = new MessageParser({
      head: (text) => {
        const call = waiting.shift()
        if (call !== undefined && call.verb !== 'watch') this.#calls.push({ ...call, code: Number(text.slice(9, 12)) })
      },
      body: () => {},
      end: () => {},
    })
    const pipe = (from: Socket, to: Socket, parser: MessageParser): void => {
      this.#sockets.add(from)
      from.on('data', (bytes) => parser.feed(bytes, 0, bytes.length))
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        this.#sockets.delete(from)
        to.destroy()
      })
    }
    pipe(client, server, requests)
    pipe(server, client, answers)
  }
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }

/** The verb and the resource of a request, from its head. */
export function callOf(head: string): Omit<Call, 'code'> {
  const [method = '', url = ''] = head.slice(0, head.indexOf('\r\n')).split(' ')
  const { pathname, searchParams } = new URL(url, 'http://server')
  const parts = pathname.split('/').filter((part) => part !== '')
  const inGroup = parts.slice(parts[0] === 'api' ? 2 : 3)
  const [resource = '', name, subresource] =
    inGroup[0] === 'namespaces' && inGroup.length > 2 ? inGroup.slice(2) : inGroup
  if (method === 'GET') {
    const isWatch = ['true', '1'].includes(searchParams.get('watch') ?? '')
    return { verb: isWatch ? 'watch' : name === undefined ? 'list' : 'get', resource: joined(resource, subresource) }
  }
  const isCollection = method === 'DELETE' && name === undefined
  const verb = isCollection ? 'deletecollection' : (verbs[method] ?? method.toLowerCase())
  return { verb, resource: joined(resource, subresource) }
}

const joined = (resource: string, subresource: string | undefined): string =>
  subresource === undefined ? resource : `${resource}/${subresource}`
