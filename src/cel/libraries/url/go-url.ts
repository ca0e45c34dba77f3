/** URLs as Go's net/url parses and prints them, with its error messages. */
import { takeSteps } from '../../../api/step-limit.ts'
import { goQuote } from '../../../api/go-format.ts'
import { IpAddressError, isIPv4, parseIpAddress } from '../net/ip-address.ts'
import { escape, isEncoded, unescape, UrlError } from './percent.ts'

export interface GoUrl {
  /** In lower case; empty if there is none. */
  readonly scheme: string
  /** The text after the scheme if it does not start with a slash, still escaped. */
  readonly opaque: string
  /** `name` or `name:password`, escaped; undefined if there is none. */
  readonly user: string | undefined
  /** With the port. */
  readonly host: string
  readonly path: string
  /** The path as written, if it differs from the default escaping. */
  readonly rawPath: string
  readonly query: string
  /** True for a `?` with an empty query. */
  readonly emptyQuery: boolean
  readonly omitHost: boolean
  readonly fragment: string
  readonly rawFragment: string
}

/** Accepts only absolute URLs and absolute paths; `#` is not special. Throws {@link UrlError}. */
export function parseRequestUri(text: string): GoUrl {
  takeSteps(40 + 2 * text.length)
  return parseAs(text, text, true)
}

/** Throws {@link UrlError}. */
export function parseUrl(text: string): GoUrl {
  takeSteps(40 + 2 * text.length)
  const hash = text.indexOf('#')
  if (hash === -1) return parseAs(text, text, false)
  const url = parseAs(text.slice(0, hash), text.slice(0, hash), false)
  const written = text.slice(hash + 1)
  if (written === '') return url
  const fragment = named(text, () => unescape(written, 'fragment'))
  const rawFragment = escape(fragment, 'fragment') === written ? '' : written
  return { ...url, fragment, rawFragment }
}

function parseAs(text: string, shown: string, request: boolean): GoUrl {
  return named(shown, () => parse(text, request))
}

function named<T>(text: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof UrlError) throw new UrlError(`parse ${goQuote(text)}: ${error.message}`)
    throw error
  }
}

const schemeForm = /^([A-Za-z][A-Za-z0-9+.-]*):/
const blank = {
  scheme: '',
  opaque: '',
  user: undefined,
  host: '',
  path: '',
  rawPath: '',
  query: '',
  emptyQuery: false,
  omitHost: false,
  fragment: '',
  rawFragment: '',
} satisfies GoUrl

function parse(text: string, request: boolean): GoUrl {
  if (hasControl(text)) throw new UrlError('net/url: invalid control character in URL')
  if (text === '' && request) throw new UrlError('empty url')
  if (text === '*') return { ...blank, path: '*' }
  if (text.startsWith(':')) throw new UrlError('missing protocol scheme')
  const found = schemeForm.exec(text)
  const scheme = (found?.[1] ?? '').toLowerCase()
  let rest = found === null ? text : text.slice(found[0].length)
  const mark = rest.indexOf('?')
  const emptyQuery = mark !== -1 && mark === rest.length - 1
  const query = mark === -1 ? '' : rest.slice(mark + 1)
  if (mark !== -1) rest = rest.slice(0, mark)
  const url: GoUrl = { ...blank, scheme, query, emptyQuery }
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...url, opaque: rest }
    if (request) throw new UrlError('invalid URI for request')
    if (rest.split('/', 1)[0]?.includes(':')) {
      throw new UrlError('first path segment in URL cannot contain colon')
    }
  }
  const mayHaveHost = scheme !== '' || (!request && !rest.startsWith('///'))
  if (!mayHaveHost || !rest.startsWith('//')) {
    return { ...url, ...readPath(rest), omitHost: scheme !== '' && rest.startsWith('/') }
  }
  const slash = rest.indexOf('/', 2)
  const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash)
  return { ...url, ...readAuthority(authority), ...readPath(slash === -1 ? '' : rest.slice(slash)) }
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

function readPath(written: string): Pick<GoUrl, 'path' | 'rawPath'> {
  const path = unescape(written, 'path')
  return { path, rawPath: escape(path, 'path') === written ? '' : written }
}

const userForm = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/

function readAuthority(authority: string): Pick<GoUrl, 'user' | 'host'> {
  const at = authority.lastIndexOf('@')
  const host = readHost(authority.slice(at + 1))
  if (at === -1) return { user: undefined, host }
  const written = authority.slice(0, at)
  if (!userForm.test(written)) throw new UrlError('net/url: invalid userinfo')
  const colon = written.indexOf(':')
  const parts = colon === -1 ? [written] : [written.slice(0, colon), written.slice(colon + 1)]
  return { user: parts.map((part) => escape(unescape(part, 'user'), 'user')).join(':'), host }
}

const portForm = /^(?::[0-9]*)?$/

function checkPort(port: string): void {
  if (!portForm.test(port)) throw new UrlError(`invalid port ${goQuote(port)} after host`)
}

function readHost(host: string): string {
  const bracket = host.lastIndexOf('[')
  if (bracket > 0) throw new UrlError('invalid IP-literal')
  if (bracket === 0) return readIpLiteral(host)
  // The last colon counts: Go still accepts lists of hosts.
  const colon = host.lastIndexOf(':')
  if (colon !== -1) checkPort(host.slice(colon))
  return unescape(host, 'host')
}

function readIpLiteral(host: string): string {
  const close = host.lastIndexOf(']')
  if (close === -1) throw new UrlError("missing ']' in host")
  const port = host.slice(close + 1)
  checkPort(port)
  const written = host.slice(1, close)
  const zone = written.indexOf('%25')
  const address =
    zone === -1
      ? unescape(written, 'host')
      : unescape(written.slice(0, zone), 'host') + unescape(written.slice(zone), 'zone')
  checkIPv6(address)
  return `[${address}]${unescape(port, 'host')}`
}

function checkIPv6(text: string): void {
  try {
    if (!isIPv4(parseIpAddress(text))) return
  } catch (error) {
    if (error instanceof IpAddressError) throw new UrlError(`invalid host: ${error.message}`)
    throw error
  }
  throw new UrlError('invalid IP-literal')
}

/** Host name and port; an IPv6 address without its brackets. */
export function splitHost({ host }: GoUrl): { readonly name: string; readonly port: string } {
  const colon = host.lastIndexOf(':')
  const hasPort = colon !== -1 && portForm.test(host.slice(colon))
  const name = hasPort ? host.slice(0, colon) : host
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
  return { name: bare, port: hasPort ? host.slice(colon + 1) : '' }
}

/** The path as written, if that is a valid escaping. */
export function escapedPath({ path, rawPath }: GoUrl): string {
  if (rawPath !== '' && isEncoded(rawPath, 'path')) return rawPath
  return path === '*' ? '*' : escape(path, 'path')
}

function escapedFragment({ fragment, rawFragment }: GoUrl): string {
  return rawFragment !== '' && isEncoded(rawFragment, 'fragment') ? rawFragment : escape(fragment, 'fragment')
}

/** The URL in canonical form: two URLs are equal if these texts are. */
export function urlText(url: GoUrl): string {
  let text = url.scheme === '' ? '' : `${url.scheme}:`
  if (url.opaque !== '') {
    text += url.opaque
  } else {
    const hasHost = url.host !== '' || url.user !== undefined
    if ((url.scheme !== '' && !url.omitHost) || hasHost) {
      if (hasHost || url.path !== '') text += '//'
      if (url.user !== undefined) text += `${url.user}@`
      text += escape(url.host, 'host')
    }
    const path = escapedPath(url)
    if (path !== '' && !path.startsWith('/') && url.host !== '') text += '/'
    if (text === '' && path.split('/', 1)[0]?.includes(':')) text = './/'
    text += path
  }
  if (url.emptyQuery || url.query !== '') text += `?${url.query}`
  return url.fragment === '' ? text : `${text}#${escapedFragment(url)}`
}

const maxParameters = 10_000

/** Invalid pairs are skipped. */
export function queryValues({ query }: GoUrl): Map<string, string[]> {
  const values = new Map<string, string[]>()
  const pairs = query.split('&')
  if (pairs.length > maxParameters) return values
  for (const pair of pairs) {
    if (pair === '' || pair.includes(';')) continue
    const equals = pair.indexOf('=')
    const key = readComponent(equals === -1 ? pair : pair.slice(0, equals))
    const value = readComponent(equals === -1 ? '' : pair.slice(equals + 1))
    if (key === undefined || value === undefined) continue
    const known = values.get(key)
    if (known === undefined) values.set(key, [value])
    else known.push(value)
  }
  return values
}

function readComponent(text: string): string | undefined {
  try {
    return unescape(text, 'query')
  } catch (error) {
    if (error instanceof UrlError) return undefined
    throw error
  }
}
