import { describe, expect, it } from 'vitest'
import { Authenticator, type VerifiedCertificate } from './authenticator.ts'
import { InvalidTokenError, type ServiceAccountTokens } from './service-account-tokens.ts'

const ada = { name: 'ada', uid: '1', groups: ['dev'] }
const robot = { name: 'robot', uid: '2', groups: [] }

const accounts = {
  issuer: 'https://issuer',
  authenticate(token: string, audiences: readonly string[]) {
    if (token === 'late') throw new InvalidTokenError('too late')
    return token === 'robot' ? { user: robot, audiences } : undefined
  },
} as unknown as ServiceAccountTokens

function authenticator(allowAnonymous: boolean): Authenticator {
  return new Authenticator({ tokens: [{ token: 's3cret', user: ada }], accounts, allowAnonymous, now: () => 1000 })
}

const name = (authorization: string | undefined, certificate?: VerifiedCertificate, anonymous = true) =>
  authenticator(anonymous).authenticate(authorization, certificate).name

describe('Authenticator', () => {
  it('Authenticator takes static tokens and those of service accounts', () => {
    expect(name('Bearer s3cret')).toBe('ada')
    expect(name('Bearer robot')).toBe('robot')
  })

  it.each(['Bearer wrong', 'Bearer late', 'Bearer s3cretx'])(
    'Authenticator refuses %s even where anonymous requests are allowed',
    (header) => {
      expect(() => name(header)).toThrow('Unauthorized')
    },
  )

  it.each([undefined, '', 'Basic abc', 'Bearer', 'Bearer  s3cret'])(
    'Authenticator takes %j for no credentials at all',
    (header) => {
      expect(name(header)).toBe('system:anonymous')
      expect(() => name(header, undefined, false)).toThrow('Unauthorized')
    },
  )

  it('Authenticator prefers a certificate, as long as it is valid', () => {
    const bob = { name: 'bob', uid: '', groups: [] }
    expect(name('Bearer s3cret', { user: bob, validFrom: 0, validUntil: 1000 })).toBe('bob')
    expect(name('Bearer wrong', { user: bob, validFrom: 0, validUntil: 1000 })).toBe('bob')
    expect(name('Bearer s3cret', { user: bob, validFrom: 0, validUntil: 999 })).toBe('ada')
    expect(() => name(undefined, { user: bob, validFrom: 0, validUntil: 999 })).toThrow('Unauthorized')
    expect(() => name(undefined, { user: bob, validFrom: 1001, validUntil: 2000 })).toThrow('Unauthorized')
  })

  it('Authenticator refuses a certificate that it does not trust, unless a token comes with it', () => {
    expect(() => name(undefined, { user: undefined, validFrom: 0, validUntil: 0 })).toThrow('Unauthorized')
    expect(name('Bearer s3cret', { user: undefined, validFrom: 0, validUntil: 0 })).toBe('ada')
  })

  it('Authenticator reviews tokens for an audience', () => {
    const own = ['https://issuer']
    expect(authenticator(true).review('s3cret', ['x', ...own])).toMatchObject({ user: { name: 'ada' }, audiences: own })
    expect(authenticator(true).review('s3cret', ['x'])).toEqual({ error: 'invalid bearer token' })
    expect(authenticator(true).review('wrong', own)).toEqual({ error: 'invalid bearer token' })
    expect(authenticator(true).review('late', own)).toEqual({ error: '[invalid bearer token, too late]' })
  })
})
