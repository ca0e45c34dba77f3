/**
 * Checks of single values. Each returns upstream's messages, [] for a valid value. Names and labels are in
 * `api/names.ts`; here are those that only built-in kinds use.
 */

/** `must be between 1 and 65535, inclusive`. */
export function inclusiveRange(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`
}

export const mustBeNonnegative = 'must be greater than or equal to 0'
export const mustBePositive = 'must be greater than zero'
export const isImmutable = 'field is immutable'

const right: readonly string[] = []

export function portNumber(port: number): readonly string[] {
  return port >= 1 && port <= 65535 ? right : [inclusiveRange(1, 65535)]
}

/** User and group ids. */
export function unixId(id: number): readonly string[] {
  return id >= 0 && id <= 2147483647 ? right : [inclusiveRange(0, 2147483647)]
}

const portNameCharacters = /^[-a-z0-9]+$/

/** The IANA service name of a port: 15 characters at most, with a letter. */
export function portName(name: string): readonly string[] {
  const wrong: string[] = []
  if (name.length > 15) wrong.push('must be no more than 15 characters')
  if (!portNameCharacters.test(name)) {
    wrong.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(name)) wrong.push('must contain at least one letter (a-z)')
  if (name.includes('--')) wrong.push('must not contain consecutive hyphens')
  if (name.startsWith('-') || name.endsWith('-')) wrong.push('must not begin or end with a hyphen')
  return wrong
}

export function percent(text: string): readonly string[] {
  if (/^[0-9]+%$/.test(text)) return right
  return [
    "a valid percent string must be a numeric string followed by an ending '%' " +
      "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
  ]
}

export function headerName(name: string): readonly string[] {
  if (/^[-A-Za-z0-9]+$/.test(name)) return right
  return [
    "a valid HTTP header must consist of alphanumeric characters or '-' " +
      "(e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
  ]
}

/** Printable ASCII except `=`. */
export function envName(name: string): readonly string[] {
  if (name === '') return ['environment variable name must be non-empty']
  if (/^[ -<>-~]+$/.test(name)) return right
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
}
