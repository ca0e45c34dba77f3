import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeContinue, encodeContinue } from './continue-token.ts'

describe('continue tokens', () => {
  it('continue tokens have the recorded form', () => {
    expect(encodeContinue(260, 'l0')).toBe('eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MjYwLCJzdGFydCI6Ii9sMFx1MDAwMCJ9')
  })

  it('continue tokens read back', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1 }),
        fc.stringMatching(/^[a-z0-9-]{1,20}(\/[a-z0-9-]{1,20})?$/),
        (revision, key) => {
          expect(decodeContinue(encodeContinue(revision, key))).toEqual({ revision, start: `${key}\0` })
        },
      ),
    )
  })

  it.each([
    ['abc', "invalid character 'i' looking for beginning of value"],
    ['!', 'illegal base64 data at input byte 0'],
    [
      Buffer.from('{"v":"v2","rv":1,"start":"/a"}').toString('base64url'),
      'server does not recognize this encoded version',
    ],
    [
      Buffer.from('{"v":"meta.k8s.io/v1","rv":0,"start":"/a"}').toString('base64url'),
      'incorrect encoded start resourceVersion',
    ],
    [Buffer.from('{"v":"meta.k8s.io/v1","rv":1}').toString('base64url'), 'encoded start key empty'],
    [
      Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"/../secrets/x"}').toString('base64url'),
      'encoded continue key is not valid',
    ],
  ])('decodeContinue refuses %s', (token, why) => {
    expect(() => decodeContinue(token)).toThrow(why)
  })
})
