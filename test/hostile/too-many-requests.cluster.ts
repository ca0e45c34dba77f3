/** 429 of a real kube-apiserver, compared with ours. */
import { request as httpsRequest } from 'node:https'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { expect, it } from 'vitest'
import { createControlPlane } from '../../src/controlplane/index.ts'
import { startCluster } from '../cluster/index.ts'

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

function get(url: string, token: string, ca: string | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = ca === undefined ? httpRequest : httpsRequest
    const headers = { authorization: `Bearer ${token}` }
    send(url, { agent: false, headers, ...(ca === undefined ? {} : { ca }) }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }))
    })
      .on('error', reject)
      .end()
  })
}

/** A read of a future revision waits; while it does, a limit of one request is reached. */
async function rejected(url: string, token: string, ca?: string): Promise<Answer> {
  const path = '/api/v1/namespaces/default/configmaps/x'
  const waiting = get(`${url}${path}?resourceVersion=9000000000000000`, token, ca)
  for (;;) {
    const answer = await get(`${url}/version`, token, ca)
    if (answer.status === 200) continue
    await waiting
    return answer
  }
}

it('429 is as a real server sends it', async () => {
  const cluster = await startCluster({
    apiserverArgs: [
      '--enable-priority-and-fairness=false',
      '--max-requests-inflight=1',
      '--authorization-mode=AlwaysAllow',
    ],
  })
  const user = { name: 'alice', uid: '', groups: [] }
  const plane = createControlPlane({ tokens: [{ token: 'alice', user }] })
  try {
    const { url } = await plane.listen({ tls: false, limits: { maxRequestsPerUser: 1 } })
    const real = await rejected(cluster.url, cluster.users.alice.token, cluster.ca)
    const ours = await rejected(url, 'alice')
    const { status, body } = real
    expect({ status: ours.status, body: ours.body }).toEqual({ status, body })
    for (const name of ['retry-after', 'content-type', 'cache-control', 'x-content-type-options', 'content-length'])
      expect([name, ours.headers[name]]).toEqual([name, real.headers[name]])
    expect(status).toBe(429)
  } finally {
    await plane.close()
    await cluster.stop()
  }
}, 180_000)
