/**
 * Validation of names, label keys and label values, with the messages of kube-apiserver.
 * Every check returns a list of messages, empty if the value is valid.
 */

/** The check of `metadata.name`; each kind declares one. */
export type NameRule =
  /** RFC 1123 subdomain, up to 253 characters: the default. */
  | 'subdomain'
  /** RFC 1123 label, up to 63 characters. */
  | 'label'
  /** RFC 1035 label: starts with a letter. */
  | 'label1035'
  /** Anything that is valid as a path segment. */
  | 'pathSegment'
  /** The kind validates its names itself. */
  | 'own'

/** Returns the errors of a name; `prefix`: it is a generateName, to which five characters will be appended. */
export type NameCheck = (name: string, prefix: boolean) => readonly string[]

const none: readonly string[] = []

const labelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`
const label1035Pattern = '[a-z]([-a-z0-9]*[a-z0-9])?'
const keyPattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const valuePattern = `(${keyPattern})?`
const configKeyPattern = '[-._a-zA-Z0-9]+'

const labelRegExp = new RegExp(`^${labelPattern}$`)
const subdomainRegExp = new RegExp(`^${subdomainPattern}$`)
const label1035RegExp = new RegExp(`^${label1035Pattern}$`)
const keyRegExp = new RegExp(`^${keyPattern}$`)
const valueRegExp = new RegExp(`^${valuePattern}$`)
const configKeyRegExp = new RegExp(`^${configKeyPattern}$`)

/** `text (e.g. 'a',  or 'b', regex used for validation is '…')`; the irregular commas are upstream's. */
export function patternMessage(text: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ')
  return examples.length === 0
    ? `${text} (regex used for validation is '${pattern}')`
    : `${text} (e.g. ${shown}regex used for validation is '${pattern}')`
}

const ends = 'and must start and end with an alphanumeric character'
const subdomainMessage = patternMessage(
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${ends}`,
  subdomainPattern,
  'example.com',
)
const labelMessage = patternMessage(
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${ends}`,
  labelPattern,
  'my-name',
  '123-abc',
)
const label1035Message = patternMessage(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
    'start with an alphabetic character, and end with an alphanumeric character',
  label1035Pattern,
  'my-name',
  'abc-123',
)
const keyMessage = patternMessage(
  `must consist of alphanumeric characters, '-', '_' or '.', ${ends}`,
  keyPattern,
  'MyName',
  'my.name',
  '123-abc',
)
const valueMessage = patternMessage(
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${ends}`,
  valuePattern,
  'MyValue',
  'my_value',
  '12345',
)
const configKeyMessage = patternMessage(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configKeyPattern,
  'key.name',
  'KEY_NAME',
  'key-name',
)

const tooManyCharacters = (limit: number) => `must be no more than ${limit} characters`
const tooManyBytes = (limit: number) => `must be no more than ${limit} bytes`

/** Lengths are in UTF-8 bytes, although the messages say characters. */
function longer(text: string, limit: number): boolean {
  return text.length > limit || (text.length * 3 > limit && Buffer.byteLength(text) > limit)
}

/** Names such as `example.com`. */
export function checkSubdomain(name: string): readonly string[] {
  return complaints(longer(name, 253), tooManyCharacters(253), subdomainRegExp.test(name), subdomainMessage)
}

/** Names such as `my-name`. */
export function checkLabel(name: string): readonly string[] {
  const fits = labelRegExp.test(name)
  const message = !fits && subdomainRegExp.test(name) ? 'must not contain dots' : labelMessage
  return complaints(longer(name, 63), tooManyCharacters(63), fits, message)
}

/** Names such as `my-name` that start with a letter. */
export function checkLabel1035(name: string): readonly string[] {
  return complaints(longer(name, 63), tooManyCharacters(63), label1035RegExp.test(name), label1035Message)
}

/** Names that are valid between two slashes of a URL. */
export function checkPathSegment(name: string, prefix = false): readonly string[] {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`]
  const found: string[] = []
  if (name.includes('/')) found.push("may not contain '/'")
  if (name.includes('%')) found.push("may not contain '%'")
  return found
}

/** Label keys, finalizers, condition types: `name` or `example.com/name`. */
export function checkQualifiedName(value: string): readonly string[] {
  const slash = value.indexOf('/')
  if (slash === -1) return checkKeyName(value, none)
  if (value.includes('/', slash + 1)) {
    const form = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
    return [`a valid label key ${keyMessage} ${form}`]
  }
  return checkKeyName(value.slice(slash + 1), checkKeyPrefix(value.slice(0, slash)))
}

function checkKeyPrefix(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty']
  const long = longer(prefix, 253)
  const fits = subdomainRegExp.test(prefix)
  return complaints(long, `prefix part ${tooManyBytes(253)}`, fits, `prefix part ${subdomainMessage}`)
}

function checkKeyName(name: string, before: readonly string[]): readonly string[] {
  const empty = name === ''
  const size = empty ? 'name part must be non-empty' : `name part ${tooManyBytes(63)}`
  const found = complaints(empty || longer(name, 63), size, keyRegExp.test(name), `name part ${keyMessage}`)
  return before.length === 0 ? found : [...before, ...found]
}

export function checkLabelValue(value: string): readonly string[] {
  return complaints(longer(value, 63), tooManyBytes(63), valueRegExp.test(value), valueMessage)
}

/** Keys in the data of a ConfigMap or Secret: file names without path traversal. */
export function checkConfigKey(key: string): readonly string[] {
  const fits = configKeyRegExp.test(key)
  const found = complaints(longer(key, 253), tooManyCharacters(253), fits, configKeyMessage)
  if (!key.startsWith('..')) return key === '.' ? [...found, "must not be '.'"] : found
  return [...found, key === '..' ? "must not be '..'" : "must not start with '..'"]
}

function complaints(long: boolean, size: string, fits: boolean, message: string): readonly string[] {
  if (!long) return fits ? none : [message]
  return fits ? [size] : [size, message]
}

/** The check for each {@link NameRule}. */
export const nameChecks: Readonly<Record<NameRule, NameCheck>> = {
  subdomain: (name, prefix) => checkSubdomain(prefix ? withoutTrailingDash(name) : name),
  label: (name, prefix) => checkLabel(prefix ? withoutTrailingDash(name) : name),
  label1035: (name, prefix) => checkLabel1035(prefix ? withoutTrailingDash(name) : name),
  pathSegment: checkPathSegment,
  own: () => [],
}

/** A prefix may end with a dash. The character before the dash is not checked, as upstream does. */
function withoutTrailingDash(prefix: string): string {
  const { length } = prefix
  if (length < 2 || !prefix.endsWith('-') || prefix.charCodeAt(length - 2) > 0x7f) return prefix
  return `${prefix.slice(0, -2)}a`
}

/** Without vowels and digits that resemble vowels, so that no words appear. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const maxGeneratedLength = 63

/** Five characters for `generateName`; `random` returns numbers in [0, 1). */
export function generateSuffix(random: () => number): string {
  let suffix = ''
  for (let i = 0; i < suffixLength; i++) {
    suffix += suffixAlphabet.charAt(Math.floor(random() * suffixAlphabet.length))
  }
  return suffix
}

/** The prefix, truncated so that the name has at most 63 characters, plus a suffix. */
export function generatedName(prefix: string, random: () => number): string {
  return prefix.slice(0, maxGeneratedLength - suffixLength) + generateSuffix(random)
}
