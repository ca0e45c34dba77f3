import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { simulatedEnv, type SimulatedEnv } from '../../env/simulated.ts'
import { MemoryStore } from '../storage/memory-store.ts'
import { ServiceAccountTokens, type TokenSpec } from './service-account-tokens.ts'
import { decode, SigningKey } from './signing-key.ts'

const issuer = 'https://issuer'
const stores: MemoryStore[] = []

afterEach(() => {
  for (const store of stores.splice(0)) store.close()
})

interface Setup {
  readonly env: SimulatedEnv
  readonly store: MemoryStore
  readonly key: SigningKey
  readonly tokens: ServiceAccountTokens
  readonly put: (key: string, uid: string, metadata?: object) => KubeObject
  readonly drop: (key: string) => void
  readonly issue: (order?: Partial<TokenSpec>) => string
}

function setup(): Setup {
  const env = simulatedEnv()
  const store = new MemoryStore({ env })
  stores.push(store)
  const key = new SigningKey()
  const tokens = new ServiceAccountTokens({ env, store, key, issuer })
  const put = (path: string, uid: string, metadata: object = {}) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const object = { kind: 'X', apiVersion: 'v1', metadata: { name, namespace: 'ns', uid, ...metadata } } as KubeObject
    store.put(path, store.get(path)?.revision ?? 0, () => object)
    return object
  }
  const drop = (path: string) => {
    const { revision, object } = store.get(path) as { revision: number; object: KubeObject }
    store.delete(path, revision, () => object)
  }
  const account = put('/registry/serviceaccounts/ns/robot', 'u1')
  const issue = (order: Partial<TokenSpec> = {}) =>
    tokens.issue({
      account,
      audiences: [issuer],
      expires: 600,
      warnAfter: undefined,
      pod: undefined,
      secret: undefined,
      node: undefined,
      ...order,
    })
  return { env, store, key, tokens, put, drop, issue }
}

describe('ServiceAccountTokens', () => {
  it('ServiceAccountTokens writes the claims of a real server, in its order', () => {
    const { issue, put, env } = setup()
    const pod = put('/registry/pods/ns/p', 'u2')
    const claims = decode(issue({ pod, node: { name: 'n', uid: undefined }, warnAfter: 60 }).split('.')[1] as string)
    const now = Math.floor(env.now() / 1000)
    expect(Object.keys(claims ?? {})).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'kubernetes.io', 'nbf', 'sub'])
    const sub = 'system:serviceaccount:ns:robot'
    expect(claims).toMatchObject({ aud: [issuer], exp: now + 600, iat: now, nbf: now, iss: issuer, sub })
    expect(JSON.stringify(claims?.['kubernetes.io'])).toBe(
      JSON.stringify({
        namespace: 'ns',
        node: { name: 'n' },
        pod: { name: 'p', uid: 'u2' },
        serviceaccount: { name: 'robot', uid: 'u1' },
        warnafter: now + 60,
      }),
    )
  })

  it('ServiceAccountTokens knows the bearer, with the pod and the id of the token', () => {
    const { tokens, issue, put } = setup()
    const bearer = tokens.authenticate(issue({ pod: put('/registry/pods/ns/p', 'u2') }), [issuer, 'x'])
    expect(bearer).toMatchObject({
      audiences: [issuer],
      user: {
        name: 'system:serviceaccount:ns:robot',
        uid: 'u1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/pod-name': ['p'], 'authentication.kubernetes.io/pod-uid': ['u2'] },
      },
    })
    expect(bearer?.user.extra?.['authentication.kubernetes.io/credential-id']?.[0]).toMatch(/^JTI=[0-9a-f-]{36}$/)
  })

  it('ServiceAccountTokens refuses a token whose time is over, a minute late', () => {
    const { tokens, issue, env } = setup()
    const token = issue()
    env.advance(660_000)
    expect(tokens.authenticate(token, [issuer])).toBeDefined()
    env.advance(1000)
    expect(() => tokens.authenticate(token, [issuer])).toThrow('service account token has expired')
  })

  it('ServiceAccountTokens refuses a token for others', () => {
    const { tokens, issue } = setup()
    const token = issue({ audiences: ['a', 'b'] })
    expect(() => tokens.authenticate(token, [issuer])).toThrow(
      'token audiences ["a" "b"] is invalid for the target audiences ["https://issuer"]',
    )
    expect(tokens.authenticate(token, ['b', 'c'])?.audiences).toEqual(['b'])
  })

  it('ServiceAccountTokens refuses a token whose account is gone, going or another one', () => {
    const { tokens, issue, put, drop, env } = setup()
    const token = issue()
    const path = '/registry/serviceaccounts/ns/robot'
    put(path, 'u1', { deletionTimestamp: new Date(env.now()).toISOString() })
    expect(tokens.authenticate(token, [issuer])).toBeDefined()
    env.advance(61_000)
    expect(() => tokens.authenticate(token, [issuer])).toThrow('service account ns/robot has been deleted')
    drop(path)
    expect(() => tokens.authenticate(token, [issuer])).toThrow('serviceaccounts "robot" not found')
    put(path, 'u9')
    expect(() => tokens.authenticate(token, [issuer])).toThrow('service account UID (u9) does not match claim (u1)')
  })

  it.each([
    ['pod', '/registry/pods/ns/x'],
    ['secret', '/registry/secrets/ns/x'],
    ['node', '/registry/minions/x'],
  ])('ServiceAccountTokens refuses a token whose %s is gone or another one', (what, path) => {
    const { tokens, issue, put, drop } = setup()
    const object = put(path, 'u2')
    const token = issue({ [what]: what === 'node' ? { name: 'x', uid: 'u2' } : object })
    expect(tokens.authenticate(token, [issuer])).toBeDefined()
    drop(path)
    expect(() => tokens.authenticate(token, [issuer])).toThrow('service account token has been invalidated')
    put(path, 'u3')
    expect(() => tokens.authenticate(token, [issuer])).toThrow(
      `${what} UID (u3) does not match service account ${what} ref claim (u2)`,
    )
  })

  it('ServiceAccountTokens does not believe what it has not signed', () => {
    const { tokens, issue, key } = setup()
    const [head = '', body = '', signature = ''] = issue().split('.')
    const other = new SigningKey().sign({ iss: issuer })
    expect(() => tokens.authenticate(other, [issuer])).toThrow('invalid signature, no keys found')
    expect(() => tokens.authenticate(`${head}.${body}.${signature.slice(0, -4)}AAAA`, [issuer])).toThrow(
      'cryptographic',
    )
    const forged = Buffer.from(JSON.stringify({ ...decode(body), exp: 9e9 })).toString('base64url')
    expect(() => tokens.authenticate(`${head}.${forged}.${signature}`, [issuer])).toThrow('cryptographic')
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
    expect(() => tokens.authenticate(`${unsigned}.${body}.AA`, [issuer])).toThrow('cryptographic')
    expect(tokens.authenticate(key.sign({ iss: 'https://other' }), [issuer])).toBeUndefined()
    for (const text of [
      '',
      'a',
      'a.b',
      'a.b.c',
      `${head}.${body}`,
      `${head}.${body}.`,
      `${head}.${body}.x.y`,
      `{}.${body}.x`,
    ]) {
      expect(tokens.authenticate(text, [issuer])).toBeUndefined()
    }
  })
})

describe('SigningKey', () => {
  it('SigningKey takes RSA and EC keys, and shows their public halves', () => {
    const pem = ({ privateKey }: { privateKey: KeyObject }) =>
      privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    const rsa = new SigningKey(pem(generateKeyPairSync('rsa', { modulusLength: 2048 })))
    const ec = new SigningKey(pem(generateKeyPairSync('ec', { namedCurve: 'P-384' })))
    expect([rsa.algorithm, ec.algorithm, new SigningKey().algorithm]).toEqual(['RS256', 'ES384', 'ES256'])
    expect(Object.keys(rsa.publicJwk())).toEqual(['use', 'kty', 'kid', 'alg', 'n', 'e'])
    expect(Object.keys(ec.publicJwk())).toEqual(['use', 'kty', 'kid', 'crv', 'alg', 'x', 'y'])
    for (const key of [rsa, ec]) expect(key.verify(key.sign({ a: 1 }))).toEqual({ a: 1 })
    for (const key of [rsa, ec]) {
      for (const more of ['!!', '=', ' ', '\n', '+', '\0'])
        expect(key.verify(`${key.sign({ a: 1 })}${more}`), JSON.stringify(more)).toBeUndefined()
    }
    expect(ec.verify(`${ec.sign({ a: 1 })}A`), 'a character that encodes no byte').toBeUndefined()
    expect(() => new SigningKey(pem(generateKeyPairSync('ed25519'))).algorithm).toThrow('must be RSA, or EC')
  })
})
