import { describe, expect, test } from 'vitest'
import { Template, fillText, requestBytes } from './template.ts'

const target = { name: 'x', host: '127.0.0.1', port: 1234, tls: true, token: 'T' }
const request = { method: 'POST', path: '/x/########', body: '{"a":"@@@@@@@@","b":"@@@@@@@@"}' }

describe('template', () => {
  test('a request is well formed and keeps its length when filled', () => {
    const bytes = requestBytes(target, request)
    const filled = new Template(bytes, 1).fill(0, 12, 7).toString()
    expect(filled).toBe(
      'POST /x/00000007 HTTP/1.1\r\nHost: 127.0.0.1:1234\r\nAuthorization: Bearer T\r\nUser-Agent: coxswain-bench\r\n' +
        'Accept: application/json\r\nContent-Type: application/json\r\nContent-Length: 31\r\n\r\n' +
        '{"a":"00000012","b":"00000012"}',
    )
    expect(filled).toHaveLength(bytes.length)
  })

  test('bytes and text are filled alike', () => {
    const bytes = requestBytes(target, request)
    expect(new Template(bytes, 1).fill(0, 99_999_999, 10).toString()).toBe(fillText(bytes.toString(), 99_999_999, 10))
  })

  test('connections do not share bytes', () => {
    const template = new Template(requestBytes(target, request), 2)
    const first = template.fill(0, 1, 1)
    template.fill(1, 2, 2)
    expect(first.toString()).toContain('/x/00000001')
  })
})
