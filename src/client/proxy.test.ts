import { describe, expect, it } from 'vitest'
import { isLoopback, proxyFromEnvironment } from './proxy.ts'

const of = (server: string, variables: Record<string, string>): string | undefined =>
  proxyFromEnvironment(new URL(server), variables)?.href

describe('the proxy of the environment', () => {
  it('the proxy of the environment is chosen by the scheme of the server, in upper or lower case', () => {
    expect(of('https://a.com', { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://q:2' })).toBe('http://p:1/')
    expect(of('http://a.com', { HTTPS_PROXY: 'http://p:1', http_proxy: 'http://q:2' })).toBe('http://q:2/')
    expect(of('https://a.com', { https_proxy: 'p:1' })).toBe('http://p:1/')
    expect(of('https://a.com', {})).toBeUndefined()
  })

  it('the proxy of the environment is never used for this machine', () => {
    for (const host of ['localhost', '127.0.0.1', '127.8.0.1', '[::1]'])
      expect(of(`https://${host}:6443`, { HTTPS_PROXY: 'http://p' })).toBeUndefined()
  })

  it.each([
    ['*', 'https://a.com', true],
    ['a.com', 'https://a.com', true],
    ['a.com', 'https://x.a.com', true],
    ['a.com', 'https://xa.com', false],
    ['.a.com', 'https://a.com', false],
    ['.a.com', 'https://x.a.com', true],
    ['*.a.com', 'https://x.a.com', true],
    ['A.COM', 'https://a.com', true],
    ['b.com, a.com', 'https://a.com', true],
    ['a.com:6443', 'https://a.com:6443', true],
    ['a.com:6443', 'https://a.com', false],
    ['a.com:443', 'https://a.com', true],
    ['10.0.0.1', 'https://10.0.0.1:6443', true],
    ['10.0.0.1', 'https://10.0.0.11', false],
    ['10.0.0.1:6443', 'https://10.0.0.1:6443', true],
    ['10.0.0.0/8', 'https://10.200.3.4', true],
    ['10.0.0.0/8', 'https://11.0.0.1', false],
    ['10.0.0.0/8', 'https://ten.example.com', false],
    ['10.0.0.0/99', 'https://10.0.0.1', false],
    ['fd00::/8', 'https://[fd00::1]:6443', true],
    ['fd00::1', 'https://[fd00::1]:6443', true],
    ['', 'https://a.com', false],
  ])('the proxy of the environment NO_PROXY=%s and %s: excepted %s', (NO_PROXY, server, excepted) => {
    expect(of(server, { HTTPS_PROXY: 'http://p:1', NO_PROXY }) === undefined).toBe(excepted)
  })

  it('the proxy of the environment says what is wrong with its value', () => {
    expect(() => of('https://a.com', { HTTPS_PROXY: 'socks5://p:1' })).toThrow(
      'the environment variable HTTPS_PROXY: socks5:// proxies are not supported: use an http:// or https:// proxy',
    )
    expect(() => of('http://a.com', { HTTP_PROXY: 'http://' })).toThrow(
      'the environment variable HTTP_PROXY: "http://" is not a URL: write it as http://host:port',
    )
  })

  it('the proxy of the environment knows this machine', () => {
    expect(['localhost', 'a.localhost', '127.0.0.1', '[::1]', '::1'].every(isLoopback)).toBe(true)
    expect(['10.0.0.1', 'localhost.com', '128.0.0.1', '127.example.com'].some(isLoopback)).toBe(false)
  })
})
