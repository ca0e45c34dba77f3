/** Parses responses from bytes: the result does not depend on how they are split, and other protocols are errors. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ResponseParser, type ResponseHead } from './response-parser.ts'

interface Seen extends ResponseHead {
  text: string
  isWhole: boolean
}

/** The responses in these pieces, which are read through one buffer, as connections do. */
function parsed(pieces: readonly string[], isClosed = false): Seen[] {
  const answers: Seen[] = []
  const parser = new ResponseParser(
    {
      head: (head) => answers.push({ ...head, text: '', isWhole: false }),
      body: (buffer, start, end) => {
        ;(answers.at(-1) as Seen).text += buffer.toString('latin1', start, end)
      },
      end: () => {
        ;(answers.at(-1) as Seen).isWhole = true
      },
    },
    'host',
  )
  const buffer = Buffer.alloc(1 << 17)
  for (const piece of pieces) parser.feed(buffer, 0, buffer.write(piece, 'latin1'))
  if (isClosed) parser.close()
  return answers
}

const fixed = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}'
const chunked =
  'HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n3;x=y\r\n{"a\r\n4\r\n":1}\r\n0\r\nTrailer: x\r\n\r\n'

describe('answers', () => {
  it('responses have a body of a length, in chunks, none, or what comes until the end', () => {
    expect(parsed([fixed])).toMatchObject([
      { status: 200, text: '{"a":1}', isKept: true, isWhole: true, headers: { 'content-type': 'application/json' } },
    ])
    expect(parsed([chunked])).toMatchObject([{ status: 201, text: '{"a":1}', isKept: true, isWhole: true }])
    expect(parsed(['HTTP/1.1 204 No Content\r\n\r\n'])).toMatchObject([
      { status: 204, text: '', isKept: true, isWhole: true },
    ])
    expect(parsed(['HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n'])).toMatchObject([
      { status: 200, text: '', isWhole: true },
    ])
    const open = ['HTTP/1.1 200 OK\r\n\r\n{"a"', ':1}']
    expect(parsed(open)).toMatchObject([{ text: '{"a":1}', isKept: false, isWhole: false }])
    expect(parsed(open, true)).toMatchObject([{ text: '{"a":1}', isKept: false, isWhole: true }])
    expect(parsed([fixed.slice(0, -1)], true)).toMatchObject([{ isWhole: false }])
  })

  it('responses are the same however their bytes are cut', () => {
    const stream =
      `HTTP/1.1 100 Continue\r\n\r\n${fixed}${chunked}HTTP/1.1 503 \r\nretry-after: 1\r\ncontent-length: ` +
      `2\r\n\r\nno`
    const whole = parsed([stream])
    expect(whole.map(({ status, text }) => [status, text])).toEqual([
      [200, '{"a":1}'],
      [201, '{"a":1}'],
      [503, 'no'],
    ])
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: stream.length })), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), stream.length]
        expect(parsed(at.slice(1).map((end, index) => stream.slice(at[index], end)))).toEqual(whole)
      }),
    )
    expect(parsed([...stream])).toEqual(whole)
  })

  it('responses say whether the connection may be used again', () => {
    const kept = (head: string) => parsed([`${head}\r\ncontent-length: 0\r\n\r\n`])[0]?.isKept
    expect(kept('HTTP/1.1 200 OK')).toBe(true)
    expect(kept('HTTP/1.1 200 OK\r\nConnection: keep-alive')).toBe(true)
    expect(kept('HTTP/1.1 200 OK\r\nConnection: Close')).toBe(false)
    expect(kept('HTTP/1.0 200 OK')).toBe(false)
  })

  it('responses have several headers of a name joined, warnings apart, and no inherited ones', () => {
    const [{ headers } = { headers: {} }] = parsed([
      'HTTP/1.1 200 OK\r\nVary: a\r\nvary:b \r\nWarning: 299 - "x, y"\r\nwarning: 299 - "z"\r\n__proto__: ' +
        'p\r\ncontent-length: 0\r\ncontent-length: 0\r\n\r\n',
    ])
    expect({ ...headers }).toEqual({
      vary: 'a, b',
      warning: ['299 - "x, y"', '299 - "z"'],
      ['__proto__']: 'p',
      'content-length': '0',
    })
    expect(headers['constructor']).toBeUndefined()
  })
})

describe('what is no answer', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['another version', 'HTTP/2 200\r\n\r\n'],
    ['no status', 'HTTP/1.1 OK\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
    ['a header without a value', 'HTTP/1.1 200 OK\r\nx\r\n\r\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\na: b\r\n c: d\r\n\r\n'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    ['another coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n'],
    ['a chunk that is longer than it says', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n'],
    ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}`],
  ])('a malformed response is refused: %s', (_name, text) => {
    expect(() => parsed([text])).toThrow(expect.objectContaining({ code: 'MALFORMED', sent: true }) as Error)
    expect(() => parsed([...Array.from(text.slice(0, 2000)), text.slice(2000)])).toThrow(
      expect.objectContaining({ code: 'MALFORMED' }) as Error,
    )
  })
})
