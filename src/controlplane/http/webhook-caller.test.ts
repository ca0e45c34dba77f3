import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { realEnv } from '../../env/real.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { issueServerCertificate } from '../../x509/certificate.ts'
import { webhookCaller } from './webhook-caller.ts'

let server: Server
let url: string
let caBundle: string
let answer: { readonly status: number; readonly body: string } | 'never' | 'hangs up'
let received: { readonly path: string; readonly body: string; readonly type: string }[]
let asked: () => void

beforeEach(async () => {
  const { cert, key, caCert } = issueServerCertificate({ env: realEnv(), hosts: ['127.0.0.1'] })
  caBundle = Buffer.from(caCert).toString('base64')
  received = []
  asked = () => undefined
  server = createServer({ cert, key }, (request, response) => {
    let body = ''
    request
      .on('data', (chunk) => (body += String(chunk)))
      .on('end', () => {
        received.push({ path: request.url ?? '', body, type: request.headers['content-type'] ?? '' })
        asked()
        if (answer === 'hangs up') request.socket.destroy()
        else if (answer !== 'never') response.writeHead(answer.status).end(answer.body)
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/check`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const call = (more: object = {}, seconds = 10) =>
  webhookCaller(realEnv())({ url, caBundle, isServed: true, ...more }, { a: 1 }, seconds)

describe('a webhook is called', () => {
  it('a webhook is called by POST, with how long it may take', async () => {
    answer = { status: 200, body: '{"b":2}' }
    expect(await call()).toEqual({ b: 2 })
    await call({ url: new URL(url).origin })
    expect(received.map(({ path }) => path)).toEqual(['/check?timeout=10s', '/?timeout=10s'])
    expect(received[0]).toMatchObject({ body: '{"a":1}', type: 'application/json' })
  })

  it.each([
    [{ status: 404, body: 'no' }, 'the server could not find the requested resource'],
    [{ status: 500, body: 'no way\n' }, 'an error on the server ("no way") has prevented the request from succeeding'],
    [{ status: 200, body: '{' }, "couldn't get version/kind; json parse error: "],
    [
      { status: 200, body: '<html>' },
      "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type " +
        'struct { APIVersion',
    ],
    [{ status: 200, body: `"${'x'.repeat(3 * 1024 * 1024)}"` }, 'response exceeds 3145728 bytes'],
    ['hangs up' as const, 'EOF'],
  ])('a webhook is called and what it answers instead is said: %j', async (given, message) => {
    answer = given
    await expect(call()).rejects.toThrow(message)
  })

  it('a webhook is called and why it cannot be reached is said as a real server says it', async () => {
    answer = { status: 200, body: '{}' }
    await expect(call({ caBundle: undefined })).rejects.toThrow(
      `Post "${url}?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    )
    const { port } = server.address() as AddressInfo
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
    await expect(call()).rejects.toThrow(
      `Post "${url}?timeout=10s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    )
  })

  it('a webhook is called and not waited for longer than it may take', async () => {
    answer = 'never'
    const env = simulatedEnv()
    const isAsked = new Promise<void>((resolve) => (asked = resolve))
    const failed = expect(webhookCaller(env)({ url, caBundle, isServed: true }, {}, 3)).rejects.toThrow(
      `Post "${url}?timeout=3s": context deadline exceeded`,
    )
    await isAsked
    env.advance(2_999)
    expect(env.pending).toBe(1)
    env.advance(1)
    await failed
    expect(env.pending).toBe(0)
  })
})
