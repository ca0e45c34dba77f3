import { describe, expect, it } from 'vitest'
import { parseTokenFile, TokenAuthenticator } from './tokens.ts'

const ada = { name: 'ada', uid: '1', groups: ['dev'] }

describe('TokenAuthenticator', () => {
  const strict = new TokenAuthenticator([{ token: 's3cret', user: ada }], false)

  it('knows the bearer of a token and adds the group of the authenticated', () => {
    expect(strict.authenticate('Bearer s3cret')).toEqual({ ...ada, groups: ['dev', 'system:authenticated'] })
    expect(strict.authenticate('bearer s3cret').name).toBe('ada')
  })

  it.each([undefined, '', 'Bearer', 'Bearer s3cre', 'Bearer s3crets', 'Basic s3cret', 'Bearer  '])('refuses %s', (header) => {
    expect(() => strict.authenticate(header)).toThrow('Unauthorized')
  })

  it('lets anonymous requests in only where allowed, and never a wrong token', () => {
    const open = new TokenAuthenticator([], true)
    expect(open.authenticate(undefined).name).toBe('system:anonymous')
    expect(() => open.authenticate('Bearer wrong')).toThrow('Unauthorized')
  })
})

describe('parseTokenFile', () => {
  it('reads users and quoted groups', () => {
    expect(parseTokenFile('t1,ada,1,"dev,ops"\n\nt2,bob,2\r\n# comment\nt3,"c, d",3,dev\n')).toEqual([
      { token: 't1', user: { name: 'ada', uid: '1', groups: ['dev', 'ops'] } },
      { token: 't2', user: { name: 'bob', uid: '2', groups: [] } },
      { token: 't3', user: { name: 'c, d', uid: '3', groups: ['dev'] } },
    ])
  })

  it.each([
    ['t1,ada', /line 1: expected token,user,uid/],
    ['a,b,c\n,b,c', /line 2: the token is empty/],
    ['a,b,c\na,d,e', /line 2: the token stands on an earlier line/],
    ['a,b,c,"x', /quote is not closed/],
  ])('refuses %s', (text, message) => {
    expect(() => parseTokenFile(text)).toThrow(message)
  })
})
