/**
 * Proxies: which proxy a server is reached through, and the tunnel through it. The environment is read as Go does:
 * HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper or lower case; loopback is never proxied.
 */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, type Socket } from 'node:net'
import { credentialMask } from './credential-mask.ts'
import { TransportError } from './transport.ts'

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** The proxy for a server, or undefined for none. Throws for a value that is not the URL of a proxy. */
export function proxyFromEnvironment(server: URL, variables: EnvironmentVariables): URL | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const value = either(variables, name)
  if (value === '' || isLoopback(server.hostname) || isExcepted(server, either(variables, 'NO_PROXY'))) return undefined
  return parseProxy(value, (why) => new Error(`the environment variable ${name}: ${why}`))
}

function either(variables: EnvironmentVariables, name: string): string {
  return variables[name] || variables[name.toLowerCase()] || ''
}

/** `complaint` creates the error: it knows the origin of the text. */
export function parseProxy(text: string, complaint: (why: string) => Error): URL {
  const withScheme = /^\w+:\/\//.test(text) ? text : `http://${text}`
  if (!URL.canParse(withScheme))
    throw complaint(`${JSON.stringify(withoutUser(text))} is not a URL: write it as http://host:port`)
  const url = new URL(withScheme)
  if (url.protocol === 'http:' || url.protocol === 'https:') return url
  throw complaint(`${url.protocol}// proxies are not supported: use an http:// or https:// proxy`)
}

/** The URL of a proxy may contain a password. */
function withoutUser(text: string): string {
  return text.slice(text.lastIndexOf('@') + 1)
}

export function isLoopback(hostname: string): boolean {
  const name = bare(hostname)
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
}

/** Without the brackets of an IPv6 address. */
function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.toLowerCase()
}

function isExcepted(server: URL, exceptions: string): boolean {
  const host = bare(server.hostname)
  const port = server.port === '' ? (server.protocol === 'https:' ? '443' : '80') : server.port
  return exceptions.split(',').some((part) => {
    const text = part.trim().toLowerCase()
    if (text === '') return false
    if (text === '*') return true
    if (text.includes('/')) return isInSubnet(host, text)
    const [, name = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(text) ?? []
    if (isIP(text) !== 0) return host === text
    if (onlyPort !== undefined && onlyPort !== port) return false
    if (isIP(bare(name)) !== 0) return host === bare(name)
    const domain = name.replace(/^\*?\./, '')
    const onlySubdomains = name !== domain
    return host.endsWith(`.${domain}`) || (!onlySubdomains && host === domain)
  })
}

function isInSubnet(host: string, subnet: string): boolean {
  const [address = '', bits = ''] = subnet.split('/')
  const family = isIP(host)
  if (family === 0 || family !== isIP(address) || !/^\d+$/.test(bits)) return false
  const list = new BlockList()
  const type = family === 4 ? 'ipv4' : 'ipv6'
  try {
    list.addSubnet(address, Number(bits), type)
  } catch {
    return false
  }
  return list.check(host, type)
}

/** The header that authenticates at a proxy; undefined if the URL has no user. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '') return undefined
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  return `Basic ${Buffer.from(user).toString('base64')}`
}

/** The waiting requests may be gone by then, and nothing else would end the attempt. */
const maxProxySilenceMs = 30_000

/**
 * Opens a socket to `host:port` through the proxy (CONNECT). `onSocket` is called with the socket before it is
 * connected.
 */
export function openTunnel(proxy: URL, target: string, onSocket: (socket: Socket) => void): Promise<Socket> {
  const authorization = proxyAuthorization(proxy)
  credentialMask.add({ authorization })
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void => {
      reject(new TransportError('PROXY', `the proxy ${proxy.host} did not connect to ${target}: ${why}`, false, cause))
    }
    const connect = send({
      method: 'CONNECT',
      host: bare(proxy.hostname),
      port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port),
      path: target,
      agent: false,
      headers: { host: target, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) },
    })
    connect.setTimeout(maxProxySilenceMs, () =>
      connect.destroy(new Error(`it said nothing for ${maxProxySilenceMs / 1000} s`)),
    )
    connect.once('socket', onSocket)
    connect.once('connect', (answer, socket) => {
      socket.setTimeout(0)
      if (answer.statusCode === 200) {
        resolve(socket)
        return
      }
      socket.destroy()
      fail(`it answered ${answer.statusCode ?? '?'} ${answer.statusMessage ?? ''}`.trimEnd())
    })
    connect.once('response', (answer) => {
      answer.resume()
      fail(`it answered ${answer.statusCode ?? '?'} ${answer.statusMessage ?? ''}`.trimEnd())
    })
    connect.once('error', (error) => fail(error.message, error))
    connect.end()
  })
}
