/** Watches over sockets: how bytes are split into events, and how a stream ends. */
import type { ServerResponse } from 'node:http'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import type { ApiObject } from '../api/live-object.ts'
import { isGone } from '../api/error-reasons.ts'
import type { Kind } from '../schema/kind.ts'
import type { WatchEvent } from './client.ts'
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts'
import { RestClient } from './rest-client.ts'
import { reset, scriptedServer, type ScriptedServer } from './testdata/scripted-server.ts'
import { eventually } from './testdata/eventually.ts'
import { TransportError, type WireEvent } from './transport.ts'
import { WatchDecoder } from './watch-decoder.ts'

const ConfigMap: Kind = {
  group: '',
  version: 'v1',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
}

const line = (type: string, name: string): string => {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, resourceVersion: '1' } }
  return `${JSON.stringify({ type, object })}\n`
}

const cleanup: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const each of cleanup.splice(0).toReversed()) await each()
})

/** A server with one watch, and its client with a simulated clock. */
async function watching(options: Partial<HttpTransportOptions> = {}, timeoutSeconds = 300) {
  const opened: ServerResponse[] = []
  const server: ScriptedServer = await scriptedServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    opened.push(response)
  })
  cleanup.push(() => server.close())
  const env = simulatedEnv()
  const transport = new HttpTransport({ env, server: server.url, ...options })
  cleanup.push(() => transport.close())
  const client = new RestClient({ env, transport })
  const events = await client.watch(ConfigMap, { timeoutSeconds })
  const stream = opened[0] as ServerResponse
  const send = (text: string | Buffer): Promise<void> =>
    new Promise((resolve) => {
      stream.write(text, () => resolve())
    })
  return { env, transport, server, stream, send, reader: events[Symbol.asyncIterator]() }
}

async function names(next: Promise<IteratorResult<readonly WatchEvent<ApiObject>[]>>): Promise<string[]> {
  const { value, done } = await next
  return done === true
    ? []
    : value.map((event) => (event.type === 'BOOKMARK' ? event.type : `${event.type} ${event.object.metadata.name}`))
}

async function failure(next: Promise<unknown>): Promise<TransportError> {
  const error = await next.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(TransportError)
  return error as TransportError
}

describe('a watch stream', () => {
  it('a watch stream yields what has arrived, and its connection is reused when the server ends it', async () => {
    const { env, send, stream, reader, transport, server } = await watching()
    await send(line('ADDED', 'a') + line('MODIFIED', 'a'))
    expect(await names(reader.next())).toEqual(['ADDED a', 'MODIFIED a'])
    await send(line('DELETED', 'a'))
    expect(await names(reader.next())).toEqual(['DELETED a'])
    stream.end()
    expect((await reader.next()).done).toBe(true)
    expect(env.pending).toBe(0)
    const again = await transport.request({ method: 'GET', path: '/', stream: true })
    expect(again.events).toBeDefined()
    expect(server.accepted).toBe(1)
  })

  it('a watch stream puts events together however their bytes are cut', async () => {
    const { send, reader, stream } = await watching()
    const bytes = Buffer.from(line('ADDED', 'größe-€-😀'))
    const next = names(reader.next())
    for (const byte of bytes) await send(Buffer.of(byte))
    expect(await next).toEqual(['ADDED größe-€-😀'])
    stream.end()
  })

  it('an event that is cut off is an error, never half an object', async () => {
    const { send, stream, reader, env } = await watching()
    await send(line('ADDED', 'a') + line('ADDED', 'b').slice(0, 40))
    expect(await names(reader.next())).toEqual(['ADDED a'])
    stream.end()
    expect(await failure(reader.next())).toMatchObject({ code: 'TRUNCATED', sent: true })
    expect(env.pending).toBe(0)
  })

  it('a reset is an error', async () => {
    const { send, stream, reader, env } = await watching()
    await send(line('ADDED', 'a'))
    expect(await names(reader.next())).toEqual(['ADDED a'])
    reset(stream)
    expect(await failure(reader.next())).toMatchObject({ code: 'ECONNRESET' })
    expect(env.pending).toBe(0)
  })

  it('what is not JSON, or no event, is an error', async () => {
    for (const text of ['{"type":]\n', '[]\n', '{"type":"ADDED"}\n', line('WONDER', 'a')]) {
      const { send, reader, server } = await watching()
      await send(text)
      expect(await failure(reader.next())).toMatchObject({ code: 'MALFORMED' })
      await eventually(() => server.open).toBe(0)
    }
  })

  it('a line without an end does not fill the memory', async () => {
    const { stream, reader, server } = await watching({ maxEventBytes: 100_000 })
    const next = failure(reader.next())
    for (let i = 0; i < 20; i++) stream.write('x'.repeat(10_000))
    expect(await next).toMatchObject({ code: 'TOO_LARGE' })
    await eventually(() => server.open).toBe(0)
  })

  // Known failure: client 1.
  it("silence beyond the watch's own time ends it, since a dead peer says nothing either", async () => {
    const { env, send, reader, server } = await watching({}, 300)
    await send(line('ADDED', 'a'))
    expect(await names(reader.next())).toEqual(['ADDED a'])
    const next = failure(reader.next())
    await env.advanceAsync(304_999)
    expect(server.open).toBe(1)
    await env.advanceAsync(1)
    const error = await next
    expect(error).toMatchObject({ code: 'IDLE', sent: true })
    expect(error.message).toContain('for 305 s')
    expect(env.pending).toBe(0)
    await eventually(() => server.open).toBe(0)
  })

  // Known failure: client 2.
  it('a stream with events lives on, however old it is', async () => {
    const { env, send, reader, stream } = await watching({}, 30)
    for (let i = 0; i < 20; i++) {
      const next = names(reader.next())
      await env.advanceAsync(30_000)
      await send(line('MODIFIED', `v${i}`))
      expect(await next).toEqual([`MODIFIED v${i}`])
    }
    stream.end()
    expect((await reader.next()).done).toBe(true)
  })

  it('a reader that takes its time is not taken for a dead server', async () => {
    const { env, send, reader } = await watching({}, 30)
    await send(line('ADDED', 'a'))
    expect(await names(reader.next())).toEqual(['ADDED a'])
    await env.advanceAsync(3_600_000)
    await send(line('ADDED', 'b'))
    expect(await names(reader.next())).toEqual(['ADDED b'])
    await reader.return?.()
    expect(env.pending).toBe(0)
  })

  it('a reader that stops closes the connection, and no timer is left', async () => {
    const { env, send, reader, server } = await watching()
    await send(line('ADDED', 'a'))
    await reader.next()
    await reader.return?.()
    expect(env.pending).toBe(0)
    await eventually(() => server.open).toBe(0)
  })

  it('an ERROR event is thrown as the ApiError it is, after the events before it', async () => {
    const { send, reader, env } = await watching()
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'too old',
      reason: 'Expired',
      code: 410,
    }
    await send(`${line('ADDED', 'a')}${JSON.stringify({ type: 'ERROR', object: status })}\n`)
    expect(await names(reader.next())).toEqual(['ADDED a'])
    await expect(reader.next()).rejects.toSatisfy(isGone)
    expect(env.pending).toBe(0)
  })

  it('nothing is read while the reader works: a slow reader slows the server, not the memory', async () => {
    const { stream, reader } = await watching()
    const big = line('ADDED', 'x'.repeat(100_000))
    let written = 0
    while (written < 400 && stream.write(big)) written++
    for (let i = 0; i < 400; i++) stream.write(big)
    await names(reader.next())
    // The rest stays on the server's side, in its socket or in the kernel.
    await eventually(() => stream.writableLength).toBeGreaterThan(10_000_000)
    await reader.return?.()
  })
})

describe('the decoder', () => {
  const event = fc.record({
    type: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'),
    object: fc.record({ text: fc.string({ unit: 'grapheme' }) }),
  })

  it('the watch decoder gives the same events however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(event), fc.array(fc.nat(200)), fc.boolean(), (events, cuts, blank) => {
        const bytes = Buffer.from(events.map((each) => `${JSON.stringify(each)}\n${blank ? '\n' : ''}`).join(''))
        const decoder = new WatchDecoder()
        const seen: WireEvent[] = []
        let start = 0
        for (const cut of [...cuts, bytes.length]) {
          seen.push(...decoder.push(bytes.subarray(start, start + cut)))
          start = Math.min(bytes.length, start + cut)
        }
        decoder.end()
        expect(seen).toEqual(events)
      }),
    )
  })
})
