import { describe, expect, test } from 'vitest'
import { escapedPath, parseRequestUri, parseUrl, queryValues, splitHost, urlText } from './go-url.ts'

describe('URLs as Go reads them', () => {
  test('the parts', () => {
    const url = parseUrl('HTTPS://us%20er:p@[::1]:8443/a%2Fb?x=1&y=2&x=%41+b#frag')
    expect(url).toMatchObject({
      scheme: 'https',
      user: 'us%20er:p',
      host: '[::1]:8443',
      path: '/a/b',
      fragment: 'frag',
    })
    expect(splitHost(url)).toEqual({ name: '::1', port: '8443' })
    expect(escapedPath(url)).toBe('/a%2Fb')
    expect([...queryValues(url)]).toEqual([
      ['x', ['1', 'A b']],
      ['y', ['2']],
    ])
    expect(escapedPath(parseUrl('http://h/a%2Fb c'))).toBe('/a/b%20c')
    expect(urlText(url)).toBe('https://us%20er:p@[::1]:8443/a%2Fb?x=1&y=2&x=%41+b#frag')
  })

  test.each([
    ['relative', 'parse "relative": invalid URI for request'],
    ['', 'parse "": empty url'],
    [':x', 'parse ":x": missing protocol scheme'],
    ['https://a b/', 'parse "https://a b/": invalid character " " in host name'],
    ['https://a/%zz', 'parse "https://a/%zz": invalid URL escape "%zz"'],
    ['https://[1.2.3.4]/', 'parse "https://[1.2.3.4]/": invalid IP-literal'],
    ['https://a:b/', 'parse "https://a:b/": invalid port ":b" after host'],
    ['a\u0001', 'parse "a\\x01": net/url: invalid control character in URL'],
  ])('URLs as Go reads them: %s is refused', (text, message) => {
    expect(() => parseRequestUri(text)).toThrow(message)
  })

  test('keys of a query are data', () => {
    const values = queryValues(parseUrl('http://a/?__proto__=1&constructor=2'))
    expect(values.get('__proto__')).toEqual(['1'])
    expect(values.get('constructor')).toEqual(['2'])
    expect(values.get('toString')).toBeUndefined()
  })

  test('too many parameters are none', () => {
    expect(queryValues(parseUrl(`http://a/?${'a&'.repeat(10_000)}`)).size).toBe(0)
  })
})
