import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MessageParser } from './message-parser.ts'

/** Parses a stream that arrives in parts, split at the given positions. */
function parse(stream: string, cuts: readonly number[]): { head: string; body: string }[] {
  const messages: { head: string; body: string }[] = []
  let head = ''
  let body = ''
  const parser = new MessageParser({
    head: (text) => {
      head = text
      body = ''
    },
    body: (buffer, start, end) => {
      body += buffer.toString('latin1', start, end)
    },
    end: () => {
      messages.push({ head, body })
    },
  })
  const bytes = Buffer.from(stream, 'latin1')
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  for (let i = 1; i < places.length; i++) parser.feed(bytes, places[i - 1] as number, places[i] as number)
  return messages
}

const fixed = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`

const chunked = (parts: readonly string[]): string => {
  const chunks = parts.filter((part) => part !== '').map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
  return `HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`
}

describe('message parser', () => {
  test('reads a body of a given length, of chunks, and none', () => {
    expect(parse(fixed('hello') + chunked(['ab', 'cde']) + 'HTTP/1.1 204 No Content\r\n\r\n', [])).toEqual([
      { head: 'HTTP/1.1 200 OK\r\nContent-Length: 5', body: 'hello' },
      { head: 'HTTP/1.1 201 Created\r\ntransfer-encoding: chunked', body: 'abcde' },
      { head: 'HTTP/1.1 204 No Content', body: '' },
    ])
  })

  test('does not care where reads are cut', () => {
    const text = fc.string({ unit: 'grapheme-ascii', maxLength: 40 })
    const message = fc.oneof(
      text.map((body) => ({ wire: fixed(body), body })),
      fc.array(text, { maxLength: 4 }).map((parts) => ({ wire: chunked(parts), body: parts.join('') })),
    )
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 20 }), (messages, cuts) => {
        const bodies = parse(messages.map((m) => m.wire).join(''), cuts).map((m) => m.body)
        expect(bodies).toEqual(messages.map((m) => m.body))
      }),
    )
  })
})
