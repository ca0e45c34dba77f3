/** Bodies that end in ways that are hard to reproduce with sockets. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { maxBodyBytes, readResponse, whyNotJson } from './response-body.ts'
import { TransportError } from './transport.ts'

function message(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage
}

it('a body that ended before it was read, with a reason or without', async () => {
  const silent = message()
  silent.destroy()
  await once(silent, 'close')
  await expect(readResponse(silent, 100, 'host')).rejects.toMatchObject({ code: 'TRUNCATED', sent: true })
  const aborted = message()
  aborted.on('error', () => {}).destroy(new TransportError('ABORTED', 'enough', true))
  await new Promise((resolve) => aborted.once('close', resolve))
  await expect(readResponse(aborted, 100, 'host')).rejects.toMatchObject({ code: 'ABORTED' })
})

it('a body that is closed without an error', async () => {
  const answer = message()
  const reading = readResponse(answer, 100, 'host')
  answer.write('{')
  answer.destroy()
  await expect(reading).rejects.toMatchObject({ code: 'TRUNCATED' })
})

it('any kind of JSON is JSON', async () => {
  for (const type of [
    'application/json',
    'application/json;as=Table;v=v1;g=meta.k8s.io',
    'application/merge-patch+json',
  ]) {
    const answer = message({ 'content-type': type })
    answer.end('{"a":1}')
    expect(await readResponse(answer, maxBodyBytes, 'host')).toEqual({ a: 1 })
  }
})

// Half a second: the texts are as large as the limit.
it('a small response cannot be unpacked into a large one; a large one can', async () => {
  const text = Buffer.alloc(65 * 1024 * 1024, 'x')
  const read = async (level: number): Promise<unknown> => {
    const answer = message({ 'content-encoding': 'gzip' })
    answer.end(gzipSync(text, { level }))
    return readResponse(answer, maxBodyBytes, 'host')
  }
  await expect(read(1)).rejects.toMatchObject({
    code: 'TOO_LARGE',
    message: expect.stringContaining('ask for less at a time (limit), or only for metadata') as unknown,
  })
  expect(await read(0)).toHaveLength(text.length)
})

it('the reason why a text is not JSON does not quote it', () => {
  for (const text of ['Bearer canary', '{"a": Bearer canary}', '{"a":"canary" canary', '"canary', '[1,canary]', '']) {
    let error: unknown
    try {
      JSON.parse(text)
    } catch (caught) {
      error = caught
    }
    expect(whyNotJson(error)).toMatch(/^(Unexpected|Expected|Unterminated)/)
    expect(whyNotJson(error)).not.toContain('canary')
  }
})
