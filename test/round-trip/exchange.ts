/** Requests with bodies and responses in bytes: JSON or protobuf, by media type. */
import { request, type Agent } from 'node:https'

/** The address of a server: of `test/cluster` or of the embedded control plane. */
export interface Server {
  readonly url: string
  /** PEM. */
  readonly ca: string
  readonly token: string
  /** Keeps connections open; its creator destroys it. */
  readonly agent: Agent
}

export interface Exchange {
  readonly status: number
  readonly type: string
  readonly bytes: Buffer
}

export const json = 'application/json'
export const protobuf = 'application/vnd.kubernetes.protobuf'

export interface Body {
  readonly type: string
  readonly bytes: Uint8Array
}

/** Rejects without a response; any status is a response. */
export function exchange(server: Server, method: string, path: string, accept: string, body?: Body): Promise<Exchange> {
  const headers = {
    authorization: `Bearer ${server.token}`,
    accept,
    ...(body === undefined ? {} : { 'content-type': body.type, 'content-length': body.bytes.length }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, server.url), { method, headers, ca: server.ca, agent: server.agent })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          bytes: Buffer.concat(chunks),
        })
      })
    })
    sent.end(body?.bytes)
  })
}
