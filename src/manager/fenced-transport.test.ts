import { createServer, type ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { HttpTransport } from '../client/http-transport.ts'
import { realEnv } from '../env/real.ts'
import { fencedTransport, NotLeaderError } from './fenced-transport.ts'

describe('a fenced transport', () => {
  it('a fenced transport sends no write that waited for a connection until it was too late', async () => {
    const asked: string[] = []
    const held: ServerResponse[] = []
    let seen: (() => void) | undefined
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      held.push(response)
      seen?.()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const inner = new HttpTransport({ env: realEnv(), server: `http://127.0.0.1:${port}`, maxSockets: 1 })
    let mayWrite = true
    const transport = fencedTransport(inner, () => mayWrite)
    const arrived = new Promise<void>((resolve) => (seen = resolve))
    const first = transport.request({ method: 'POST', path: '/first', body: {} })
    const second = transport.request({ method: 'POST', path: '/second', body: {} })
    const refused = expect(second).rejects.toThrow(NotLeaderError)
    await arrived
    mayWrite = false
    held.shift()?.end('{}')
    expect((await first).status).toBe(200)
    await refused
    await expect(transport.request({ method: 'PATCH', path: '/third', body: {} })).rejects.toThrow(NotLeaderError)
    const read = transport.request({ method: 'GET', path: '/fourth' })
    await new Promise<void>((resolve) => {
      seen = resolve
      if (held.length > 0) resolve()
    })
    held.shift()?.end('{}')
    await read
    expect(asked).toEqual(['POST /first', 'GET /fourth'])
    await transport.close()
    server.close()
  })
})
