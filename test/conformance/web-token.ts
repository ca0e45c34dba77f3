/**
 * Compares tokens of service accounts: by what they claim, with times counted from when they were issued. How a server
 * signs is its own affair.
 */
import { isObject } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'

export interface WebToken {
  readonly header: JsonObject
  readonly claims: JsonObject
  /** Seconds since the epoch. */
  readonly issued: number
}

/** Undefined for what is no token that a server issued. */
export function parseWebToken(text: string): WebToken | undefined {
  const [header, claims] = text.split('.', 2).map(decode)
  if (!isObject(header) || !isObject(claims) || typeof claims['iat'] !== 'number') return undefined
  return { header, claims, issued: claims['iat'] }
}

function decode(part: string): Json {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Json
  } catch {
    return null
  }
}

/** What a token says, as a text to be compared. */
export function outlineOf({ header, claims, issued }: WebToken): string {
  return JSON.stringify([Object.keys(header), sinceIssued(claims, issued)])
}

const times = new Set(['exp', 'nbf', 'iat', 'warnafter'])

function sinceIssued(value: Json, issued: number): Json {
  if (Array.isArray(value)) return value.map((item) => sinceIssued(item, issued))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      return [key, typeof child === 'number' && times.has(key) ? child - issued : sinceIssued(child, issued)]
    }),
  )
}

/**
 * Whether both expire as long after their tokens were issued; a second may pass between the two readings of a clock.
 */
export function sameLifetime(recorded: JsonObject, live: JsonObject): boolean {
  const [theirs, ours] = [recorded, live].map((status) => {
    const issued = parseWebToken(String(status['token']))?.issued
    return issued === undefined ? Number.NaN : Date.parse(String(status['expirationTimestamp'])) / 1000 - issued
  }) as [number, number]
  return Math.abs(theirs - ours) <= 1
}
