/** Times of leases and events (MicroTime): RFC 3339 with exactly six digits, which servers insist on. */

/** `ms` since the epoch as `2026-01-01T00:00:00.123000Z`. */
export function microTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`
}

/** The inverse, for any RFC 3339 text; what is finer than a millisecond is cut off. NaN for no time. */
export function parseTime(text: string): number {
  return Date.parse(text)
}
