/**
 * Masks this process's own credentials in texts that come from outside: responses of servers, output of exec plugins.
 * Transports report each credential that they use; transport errors, error responses, warnings and log lines are
 * masked. A credential that was cut off is found too, by its first characters.
 */
import type { FrozenJson } from '../api/json.ts'
import type { Credential } from './credentials.ts'

/** In place of a credential. */
export const maskedText = '[masked]'

/** Shorter ones are not masked: they would be found in ordinary words. */
const minSecretChars = 6
/** What is at least shown of a copy that was cut off. */
const minPrefixChars = 12
/** The most recent credentials, with those that were replaced. */
const maxSecrets = 32

/** A credential in one of the forms in which a text may have it. */
interface SecretForm {
  readonly text: string
  /** What is searched for. */
  readonly prefix: string
}

export class CredentialMask {
  /** By secret, the least recently added first. */
  readonly #secrets = new Map<string, readonly SecretForm[]>()
  /** Of all secrets. */
  #forms: readonly SecretForm[] = []

  /** Adds the secrets of a credential: the token, the password, the private key. */
  add({ authorization, certificate }: Credential): void {
    if (authorization !== undefined) {
      const value = authorization.slice(authorization.indexOf(' ') + 1)
      this.addSecret(value)
      if (/^basic /i.test(authorization)) {
        const user = Buffer.from(value, 'base64').toString()
        this.addSecret(user.slice(user.indexOf(':') + 1))
      }
    }
    // Without its first line, which all keys have.
    if (certificate !== undefined) this.addSecret(certificate.key.replaceAll(/-----[A-Z ]+-----/g, ''))
  }

  addSecret(secret: string): void {
    const text = secret.trim()
    if (text.length < minSecretChars) return
    const forms = this.#secrets.get(text) ?? formsOf(text)
    this.#secrets.delete(text)
    this.#secrets.set(text, forms)
    const [oldest] = this.#secrets.keys()
    if (this.#secrets.size > maxSecrets && oldest !== undefined) this.#secrets.delete(oldest)
    this.#forms = [...this.#secrets.values()].flat()
  }

  text(text: string): string {
    const found = this.#forms.filter(({ prefix }) => text.includes(prefix))
    let masked = text
    for (const form of found) masked = withoutForm(masked, form.prefix, found)
    return masked
  }

  /** A JSON value with all its texts masked, names of fields too. The same value if there is nothing to mask. */
  json(value: FrozenJson): FrozenJson {
    const text = JSON.stringify(value)
    const masked = this.text(text)
    return masked === text ? value : this.#masked(value)
  }

  /**
   * The output of a program that handles credentials, whose secrets may be unknown here: values that look like secrets
   * are masked as well.
   */
  programText(text: string): string {
    return this.text(text)
      .replaceAll(privateKeys, maskedText)
      .replaceAll(namedSecrets, (found, before: string, value: string) =>
        /[^A-Za-z]/.test(value) ? before + maskedText : found,
      )
      .replaceAll(opaqueWords, (word) => (/\d/.test(word) && /[A-Za-z]/.test(word) ? maskedText : word))
  }

  #masked(value: FrozenJson): FrozenJson {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item: FrozenJson) => this.#masked(item))
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [this.text(name), this.#masked(field)]))
  }
}

/** Of all clients of the process: what one has sent must not be logged by another. */
export const credentialMask: CredentialMask = new CredentialMask()

const privateKeys = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g
const scheme = '(?:bearer|basic)\\s+'
const secretField = `(?:token|password|passwd|secret|authorization|key)["']?\\s*[:=]\\s*["']?(?:${scheme})?`
const namedSecrets = new RegExp(`(${secretField}|\\b${scheme})([^\\s"',;]{6,})`, 'gi')
/** Parts of tokens and keys: base64 without dots and slashes, so that hosts and paths can be read. */
const opaqueWords = /[\w+=~-]{20,}/g

function formsOf(secret: string): SecretForm[] {
  const texts = new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(Buffer.from(secret).toString()),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ])
  return [...texts].map((text) => ({ text, prefix: text.slice(0, minPrefixChars) }))
}

/** Masks what begins with the prefix, as far as it equals any of the forms: tokens begin alike. */
function withoutForm(text: string, prefix: string, forms: readonly SecretForm[]): string {
  let found = text.indexOf(prefix)
  if (found < 0) return text
  let masked = ''
  let rest = 0
  for (; found >= 0; found = text.indexOf(prefix, rest)) {
    masked += text.slice(rest, found) + maskedText
    rest = found + Math.max(...forms.map((form) => commonLength(text, found, form.text)))
  }
  return masked + text.slice(rest)
}

function commonLength(text: string, start: number, form: string): number {
  let length = 0
  while (length < form.length && text[start + length] === form[length]) length++
  return length
}
