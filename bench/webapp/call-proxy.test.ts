import { describe, expect, it } from 'vitest'
import { createServer } from 'node:http'
import { callOf, CallProxy } from './call-proxy.ts'

describe('callOf', () => {
  it.each([
    ['GET /apis/apps/v1/namespaces/default/deployments/a HTTP/1.1', 'get', 'deployments'],
    ['GET /apis/apps/v1/deployments?limit=500 HTTP/1.1', 'list', 'deployments'],
    ['GET /apis/apps/v1/deployments?watch=true HTTP/1.1', 'watch', 'deployments'],
    ['POST /api/v1/namespaces/default/events HTTP/1.1', 'create', 'events'],
    ['PATCH /apis/coxswain.dev/v1/namespaces/default/webapps/a/status?force=true HTTP/1.1', 'patch', 'webapps/status'],
    ['PUT /api/v1/namespaces/default HTTP/1.1', 'update', 'namespaces'],
    ['DELETE /api/v1/namespaces/default/services/a HTTP/1.1', 'delete', 'services'],
    ['DELETE /api/v1/namespaces/default/services HTTP/1.1', 'deletecollection', 'services'],
  ])('reads %s', (head, verb, resource) => {
    expect(callOf(`${head}\r\nhost: x`)).toEqual({ verb, resource })
  })
})

describe('a call proxy', () => {
  it('counts answered calls on kept-alive connections, each once', async () => {
    const server = createServer((request, response) => {
      response.statusCode = request.method === 'POST' ? 409 : 200
      request.resume().on('end', () => response.end('{}'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const proxy = await CallProxy.start(typeof address === 'object' && address !== null ? address.port : 0)
    try {
      const url = `http://127.0.0.1:${proxy.port}/api/v1/namespaces/default/pods`
      await (await fetch(url)).text()
      await (await fetch(url, { method: 'POST', body: '{"a":1}' })).text()
      expect(proxy.next()).toEqual([
        { verb: 'list', resource: 'pods', code: 200 },
        { verb: 'create', resource: 'pods', code: 409 },
      ])
      expect(proxy.next()).toEqual([])
    } finally {
      await proxy.stop()
      server.closeAllConnections()
      server.close()
    }
  })
})
