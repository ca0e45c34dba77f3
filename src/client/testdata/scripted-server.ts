/** A server controlled by a test, with faults that no correct server has: resets, silence, partial responses. */
import { createServer as createHttp, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

export interface ScriptedRequest {
  readonly method: string
  readonly path: string
  readonly request: IncomingMessage
  readonly body: string
  /** The index of its connection, from 0. */
  readonly connection: number
}

export interface ScriptedServer {
  readonly url: string
  readonly port: number
  readonly requests: readonly ScriptedRequest[]
  /** The number of accepted connections. */
  readonly accepted: number
  /** The number of open connections. */
  readonly open: number
  close(): Promise<void>
}

export type Script = (response: ServerResponse, request: ScriptedRequest, nth: number) => void

/** `script` responds to each request, or does not. */
export async function scriptedServer(
  script: Script,
  tls?: { cert: string; key: string; ca?: string },
): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = []
  const sockets = new Map<Socket, number>()
  let accepted = 0
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const received = {
        method: request.method ?? '',
        path: request.url ?? '',
        request,
        body: Buffer.concat(chunks).toString(),
        connection: sockets.get(request.socket) ?? -1,
      }
      requests.push(received)
      script(response, received, requests.length - 1)
    })
  }
  const options = { keepAliveTimeout: 0, requestTimeout: 0 }
  const server: Server =
    tls === undefined
      ? createHttp(options, onRequest)
      : createHttps(
          { ...options, ...tls, ...(tls.ca === undefined ? {} : { requestCert: true, rejectUnauthorized: false }) },
          onRequest,
        )
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    sockets.set(socket, accepted++)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    requests,
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    get accepted() {
      return accepted
    },
    get open() {
      return sockets.size
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        for (const socket of sockets.keys()) socket.destroy()
      }),
  }
}

export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string | string[]> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** Resets the connection, as a crashing server does. */
export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
}
