/** MicroTime, used in leases and events: RFC 3339 with exactly six decimals, as servers require. */

/** `ms` since the epoch as `2026-01-01T00:00:00.123000Z`. */
export function microTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`
}

/** The inverse, for any RFC 3339 text; truncated to milliseconds. NaN if the text is not a time. */
export function parseTime(text: string): number {
  return Date.parse(text)
}
