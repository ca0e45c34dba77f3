import { describe, expect, it } from 'vitest'
import { ignoredTokenWarning, parseTokenFile, StaticTokens } from './tokens.ts'

const ada = { name: 'ada', uid: '1', groups: ['dev'] }

describe('StaticTokens', () => {
  const tokens = new StaticTokens([
    { token: 's3cret', user: ada },
    { token: 'other', user: { ...ada, groups: ['system:authenticated'] } },
  ])

  it('StaticTokens knows the bearer of a token and adds the group of the authenticated, once', () => {
    expect(tokens.findHeader('Bearer s3cret')).toEqual({ ...ada, groups: ['dev', 'system:authenticated'] })
    expect(tokens.find('other')?.groups).toEqual(['system:authenticated'])
  })

  it.each(['bearer s3cret', 'BEARER s3cret', ' Bearer s3cret ', 'Bearer s3cret more'])(
    'StaticTokens reads %j as the real server does',
    (header) => {
      expect(tokens.findHeader(header)?.name).toBe('ada')
    },
  )

  it.each(['', 'Bearer', 'Bearer s3cre', 'Bearer s3crets', 'Basic s3cret', 'Bearer  s3cret', 's3cret'])(
    'StaticTokens does not know %j',
    (header) => {
      expect(tokens.findHeader(header)).toBeUndefined()
    },
  )
})

describe('a token that is overlooked', () => {
  it.each(['Bearer  s3cret', 'bearer  s3cret more', 'Bearer   s3cret'])(
    'a token that is overlooked is warned about: %j',
    (header) => {
      expect(ignoredTokenWarning(header)).toMatch(/extra space before the bearer token, and is ignored$/)
    },
  )

  it.each(['', 'Bearer', 'Bearer ', 'Bearer s3cret', 'Bearer s3cret  x', 'Basic  s3cret'])(
    'a token that is overlooked is none in %j',
    (header) => {
      expect(ignoredTokenWarning(header)).toBeUndefined()
    },
  )
})

describe('parseTokenFile', () => {
  it('parseTokenFile reads users and quoted groups', () => {
    expect(parseTokenFile('t1,ada,1,"dev,ops"\n\nt2,bob,2\r\n# comment\nt3,"c, d",3,dev\n')).toEqual([
      { token: 't1', user: { name: 'ada', uid: '1', groups: ['dev', 'ops'] } },
      { token: 't2', user: { name: 'bob', uid: '2', groups: [] } },
      { token: 't3', user: { name: 'c, d', uid: '3', groups: ['dev'] } },
    ])
  })

  it.each([
    ['t1,ada', /line 1: expected token,user,uid/],
    ['a,b,c\n,b,c', /line 2: the token is empty/],
    ['a,b,c\na,d,e', /line 2: the token is a duplicate of an earlier line/],
    ['a,b,c,"x', /quote is not closed/],
  ])('parseTokenFile refuses %s', (text, message) => {
    expect(() => parseTokenFile(text)).toThrow(message)
  })
})
