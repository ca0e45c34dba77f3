/** Formats of addresses: IP addresses and ranges, request URIs, mail addresses. */

/** Four decimal parts; leading zeros are allowed. */
export function isIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^0*\d{1,3}$/.test(part) && Number(part) <= 255)
}

/**
 * Eight groups, or fewer around one `::`. The last two groups may be an IPv4 address. Zones are not allowed.
 * `loose`: the IPv4 part may have leading zeros.
 */
export function isIpv6(text: string, loose = false): boolean {
  const halves = text.split('::')
  if (halves.length > 2) return false
  let groups = 0
  for (const [i, half] of halves.entries()) {
    const count = countGroups(half, i === halves.length - 1, loose)
    if (count === undefined) return false
    groups += count
  }
  return halves.length === 2 ? groups <= 7 : groups === 8
}

function countGroups(half: string, last: boolean, loose: boolean): number | undefined {
  if (half === '') return 0
  const parts = half.split(':')
  const tail = parts[parts.length - 1] as string
  const embedded = last && tail.includes('.')
  if (embedded) {
    if (!isIpv4(tail) || (!loose && /(?:^|\.)0\d/.test(tail))) return undefined
    parts.pop()
  }
  if (!parts.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part))) return undefined
  return parts.length + (embedded ? 2 : 0)
}

export function isCidr(text: string): boolean {
  const slash = text.indexOf('/')
  if (slash < 0) return false
  const address = text.slice(0, slash)
  const bits = text.slice(slash + 1)
  if (!/^\d{1,8}$/.test(bits)) return false
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address, true) && Number(bits) <= 128)
}

/** An absolute URI or an absolute path, by the rules of Go's `url.ParseRequestURI`. */
export function isRequestUri(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are rejected
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text)) return false
  if (text === '*') return true
  const scheme = splitScheme(text)
  if (scheme === undefined) return false
  let rest = scheme === '' ? text : text.slice(scheme.length + 1)
  const query = rest.indexOf('?')
  if (query >= 0) rest = rest.slice(0, query)
  if (!rest.startsWith('/')) return scheme !== ''
  if (scheme !== '' && rest.startsWith('//')) {
    const slash = rest.indexOf('/', 2)
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash)
    rest = slash < 0 ? '' : rest.slice(slash)
    if (!isAuthority(authority)) return false
  }
  return hasValidEscapes(rest)
}

/** '' without a scheme; undefined when the text starts with a colon. */
function splitScheme(text: string): string | undefined {
  if (text.startsWith(':')) return undefined
  return /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1] ?? ''
}

function hasValidEscapes(text: string): boolean {
  for (let i = text.indexOf('%'); i >= 0; i = text.indexOf('%', i + 1)) {
    if (!/^[0-9a-fA-F]{2}$/.test(text.slice(i + 1, i + 3))) return false
  }
  return true
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at >= 0) {
    const user = text.slice(0, at)
    if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !hasValidEscapes(user)) return false
  }
  return isHost(text.slice(at + 1))
}

function isHost(text: string): boolean {
  let name = text
  if (text.startsWith('[')) {
    const end = text.lastIndexOf(']')
    if (end < 0 || !isPort(text.slice(end + 1))) return false
  } else {
    const colon = text.lastIndexOf(':')
    if (colon >= 0) {
      if (!isPort(text.slice(colon))) return false
      name = text.slice(0, colon)
    }
  }
  if (!hasValidEscapes(name)) return false
  for (const escape of name.match(/%../g) ?? []) if (escape !== '%25' && /^%[0-7]/.test(escape)) return false
  // oxlint-disable-next-line no-control-regex -- all non-ASCII characters are allowed
  return /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]*$/.test(name)
}

function isPort(text: string): boolean {
  return text === '' || /^:[0-9]*$/.test(text)
}

/** RFC 5322 as Go's `mail.ParseAddress` reads it: `a@b`, `"a b"@c`, `Name <a@b>`; no comments, no groups. */
export function isEmail(text: string): boolean {
  const trimmed = text.trim()
  const angle = /^(.*)<([^<>]*)>$/s.exec(trimmed)
  if (angle === null) return isAddressSpec(trimmed)
  return isPhrase((angle[1] as string).trim()) && isAddressSpec((angle[2] as string).trim())
}

const atomText = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\-.\u0080-\uffff]+$/

function isDotAtom(text: string): boolean {
  return atomText.test(text) && !text.startsWith('.') && !text.endsWith('.') && !text.includes('..')
}

function isQuoted(text: string): boolean {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return false
  for (let i = 1; i < text.length - 1; i++) {
    const character = text[i]
    if (character === '"' || character === '\r' || character === '\n') return false
    if (character === '\\' && ++i >= text.length - 1) return false
  }
  return true
}

function isAddressSpec(text: string): boolean {
  const at = text.startsWith('"') ? text.indexOf('"@', 1) + 1 : text.indexOf('@')
  if (at <= 0) return false
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  if (!isDotAtom(local) && !isQuoted(local)) return false
  return isDotAtom(domain) || /^\[[^[\]\\]+\]$/.test(domain)
}

function isPhrase(text: string): boolean {
  if (text === '' || isQuoted(text)) return true
  return text.split(/\s+/).every((word) => atomText.test(word) || isQuoted(word))
}
