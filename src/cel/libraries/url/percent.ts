/** Percent-encoding for each part of a URL, as in Go's net/url. */
import { goQuote } from '../../../api/go-format.ts'

/** The text is not a URL; the message is net/url's. */
export class UrlError extends Error {
  override readonly name = 'UrlError'
}

/** The parts of a URL; they differ in which characters need escaping. */
export type UrlPart = 'path' | 'host' | 'zone' | 'user' | 'query' | 'fragment'

const alphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~'
const hostMarks = `!$&'()*+,;=:[]<>"`

/** Characters that need no escape. */
const plain: Readonly<Record<UrlPart, ReadonlySet<number>>> = {
  path: codes('$&+,/:;=@'),
  host: codes(hostMarks),
  zone: codes(hostMarks),
  user: codes('$&+,;='),
  query: codes(''),
  fragment: codes('$&+,/:;=?@!()*'),
}

function codes(marks: string): ReadonlySet<number> {
  return new Set(Buffer.from(alphanumeric + marks))
}

const escapeForm = /^%[0-9a-fA-F]{2}/

/** Throws {@link UrlError}. Invalid UTF-8 is replaced; Go would keep it. */
export function unescape(text: string, part: UrlPart): string {
  const strict = part === 'host' || part === 'zone'
  let found = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 37) {
      const escape = text.slice(i, i + 3)
      if (!escapeForm.test(escape)) {
        throw new UrlError(`invalid URL escape ${goQuote(firstBytes(text.slice(i, i + 3)))}`)
      }
      checkEscape(escape, part)
      found = true
      i += 2
    } else if (strict && code < 0x80 && !plain[part].has(code)) {
      throw new UrlError(`invalid character ${goQuote(text.charAt(i))} in host name`)
    }
  }
  const spaced = part === 'query' ? text.replaceAll('+', ' ') : text
  return found ? decode(spaced) : spaced
}

/** The three bytes of an invalid escape, or fewer at the end. */
function firstBytes(text: string): string {
  return Buffer.from(text).subarray(0, 3).toString()
}

function checkEscape(escape: string, part: UrlPart): void {
  if (escape === '%25') return
  const code = Number.parseInt(escape.slice(1), 16)
  const hidden = part === 'zone' && code !== 32 && !plain.host.has(code)
  if ((part === 'host' && code < 0x80) || hidden) throw new UrlError(`invalid URL escape ${goQuote(escape)}`)
}

function decode(text: string): string {
  const bytes = Buffer.from(text)
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === 37) {
      bytes[length++] = Number.parseInt(bytes.toString('latin1', i + 1, i + 3), 16)
      i += 2
    } else {
      bytes[length++] = bytes[i] as number
    }
  }
  return bytes.toString('utf8', 0, length)
}

export function escape(text: string, part: UrlPart): string {
  const allowed = plain[part]
  let escaped = ''
  for (const byte of Buffer.from(text)) {
    if (allowed.has(byte)) escaped += String.fromCharCode(byte)
    else escaped += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return escaped
}

const alsoValid = codes("!$&'()*+,;=:@[]%")

/** True if an escaped path or fragment is valid as written. */
export function isEncoded(text: string, part: 'path' | 'fragment'): boolean {
  for (const byte of Buffer.from(text)) if (!alsoValid.has(byte) && !plain[part].has(byte)) return false
  return true
}
