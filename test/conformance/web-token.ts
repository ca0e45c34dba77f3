/** Compares service account tokens by their claims, with times relative to the issue time. Signatures may differ. */
import { isObject } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'

export interface WebToken {
  readonly header: JsonObject
  readonly claims: JsonObject
  /** Seconds since the epoch. */
  readonly issued: number
}

/** Undefined if the text is not a token of a server. */
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

/** The content of a token as text, for comparison. */
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

/** Whether both expire after the same time; a second may pass between two readings of the clock. */
export function sameLifetime(recorded: JsonObject, live: JsonObject): boolean {
  const [theirs, ours] = [recorded, live].map((status) => {
    const issued = parseWebToken(String(status['token']))?.issued
    return issued === undefined ? Number.NaN : Date.parse(String(status['expirationTimestamp'])) / 1000 - issued
  }) as [number, number]
  return Math.abs(theirs - ours) <= 1
}
