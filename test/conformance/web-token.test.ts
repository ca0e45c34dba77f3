import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/api/json.ts'
import { Learned } from './learned.ts'
import { sameText } from './text.ts'
import { sameLifetime } from './web-token.ts'

const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token issued at `iat`, with `key` instead of a signature. */
function token(iat: number, key: string, claims: JsonObject = {}): string {
  const all = { aud: ['a'], exp: iat + 3600, iat, sub: 'system:serviceaccount:x:y', ...claims }
  return `${encode({ alg: 'RS256', kid: key })}.${encode(all)}.${key.repeat(50)}`
}

function same(recorded: string, live: string, learned = new Learned()): boolean {
  return sameText(recorded, live, { learned, asked: '', from: 0, to: 0 })
}

describe('tokens', () => {
  it('compared tokens may be of another time and signed by another', () => {
    expect(same(token(1000, 'A'), token(5000, 'B'))).toBe(true)
  })

  it.each([
    ['another subject', { sub: 'system:serviceaccount:x:z' }],
    ['another lifetime', { exp: 9999 }],
    ['another audience', { aud: ['b'] }],
    ['a claim more', { nbf: 5000 }],
  ])('compared tokens differ by %s', (_, claims) => {
    expect(same(token(1000, 'A'), token(5000, 'B', claims))).toBe(false)
  })

  it('compared tokens stand one for one, also inside of other texts', () => {
    const learned = new Learned()
    expect(same(token(1000, 'A'), token(5000, 'B'), learned)).toBe(true)
    expect(same(`Bearer ${token(1000, 'A')}`, `Bearer ${token(5000, 'B')}`, learned)).toBe(true)
    expect(same(token(1000, 'A'), token(5000, 'C'), learned)).toBe(false)
    expect(learned.text(token(1000, 'A'))).toBe(token(5000, 'B'))
  })

  it('compared tokens expire as long after they were issued', () => {
    const status = (iat: number, seconds: number): JsonObject => ({
      token: token(iat, 'A'),
      expirationTimestamp: new Date((iat + seconds) * 1000).toISOString(),
    })
    expect(sameLifetime(status(1000, 600), status(7000, 600))).toBe(true)
    expect(sameLifetime(status(1000, 600), status(7000, 3600))).toBe(false)
    expect(sameLifetime(status(1000, 600), { token: 'none', expirationTimestamp: '1970-01-01T00:27:00Z' })).toBe(false)
  })
})
