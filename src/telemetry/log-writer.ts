/**
 * Writes log lines: JSON for machines, short text for people. The level can change at run time, and values that look
 * like secrets are not written, nor the credentials of this process. Of an error, both name the line of the user's code
 * that it comes from; text shows the code there.
 */
import { errorText } from '../api/error-text.ts'
import { credentialMask } from '../client/credential-mask.ts'
import { timestamp, type Env } from '../env/env.ts'
import { codeAt } from './error-place.ts'
import type { LogFields, Logger, LogLevel } from './logger.ts'
import { placeText, shortened, userPlaceOf } from './user-frame.ts'

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

export interface LogOptions {
  readonly env: Env
  /**
   * Receives a complete line, without its newline. In text, an error has several lines; all but the first are indented.
   */
  readonly write: (line: string) => void
  /** Default `json`. */
  readonly format?: 'json' | 'text' | undefined
  /** Default `info`: lower levels are not written. */
  readonly level?: LogLevel | undefined
}

/** A logger whose level can be changed. Loggers from `with` share its level. */
export interface LeveledLogger extends Logger {
  level: LogLevel
}

export function createLogger(options: LogOptions): LeveledLogger {
  return new LineLogger({ ...options, level: options.level ?? 'info', shown: new RecentPlaces() }, undefined, {})
}

interface LogState extends LogOptions {
  level: LogLevel
  readonly shown: RecentPlaces
}

/**
 * One is created for every reconcile, and most write nothing: so fields are merged only when a line is written. Its
 * functions can be destructured.
 */
class LineLogger implements LeveledLogger {
  /** Shared by all loggers that are derived from one. */
  readonly #state: LogState
  readonly #parent: LineLogger | undefined
  readonly #fields: LogFields

  constructor(state: LogState, parent: LineLogger | undefined, fields: LogFields) {
    this.#state = state
    this.#parent = parent
    this.#fields = fields
  }

  get level(): LogLevel {
    return this.#state.level
  }

  set level(level: LogLevel) {
    if (!order.includes(level)) throw new Error(`"${level}" is not a log level: use one of ${order.join(', ')}`)
    this.#state.level = level
  }

  readonly debug = (message: string, fields?: LogFields): void => this.#log('debug', message, fields)
  readonly info = (message: string, fields?: LogFields): void => this.#log('info', message, fields)
  readonly warn = (message: string, fields?: LogFields): void => this.#log('warn', message, fields)
  readonly error = (message: string, fields?: LogFields): void => this.#log('error', message, fields)
  readonly with = (fields: LogFields): Logger => new LineLogger(this.#state, this, fields)

  #log(level: LogLevel, message: string, fields?: LogFields): void {
    const { level: least, format, env, write } = this.#state
    if (order.indexOf(level) < order.indexOf(least)) return
    const fieldsOfLine = { ...this.#allFields(), ...fields }
    const lines =
      format === 'text'
        ? textLines(env.now(), level, message, fieldsOfLine, this.#state.shown)
        : [jsonLine(env.now(), level, message, fieldsOfLine)]
    for (const line of lines) write(credentialMask.text(withoutControls(line)))
  }

  #allFields(): LogFields {
    return this.#parent === undefined ? this.#fields : { ...this.#parent.#allFields(), ...this.#fields }
  }
}

function jsonLine(now: number, level: LogLevel, message: string, fields: LogFields): string {
  const [error] = errorsOf(fields)
  const ts = new Date(now).toISOString()
  return JSON.stringify({ ts, level, msg: message, ...placeFields(error), ...(plain(fields, 0) as object) })
}

function placeFields(error: Error | undefined): Readonly<Record<string, string | number>> {
  const place = userPlaceOf(error)
  return place === undefined ? {} : { file: shortened(place.file), line: place.line, column: place.column }
}

/** The last places whose code was shown: retries of one mistake show it once. */
class RecentPlaces {
  readonly #places: string[] = []

  /** Whether it is not among the last places; from now on it is. */
  isNew(place: string): boolean {
    if (this.#places.includes(place)) return false
    this.#places.push(place)
    if (this.#places.length > maxRecentPlaces) this.#places.shift()
    return true
  }
}

const maxRecentPlaces = 20

function textLines(
  now: number,
  level: LogLevel,
  message: string,
  fields: LogFields,
  shown: RecentPlaces,
): readonly string[] {
  const { [fixField]: fix, ...others } = fields
  const pairs = Object.entries(withShortKeys(others))
    .filter(([, value]) => value !== undefined && !(value instanceof Error))
    .map(([name, value]) => `${name}=${textValue(plain({ [name]: value }, 0), name)}`)
  return [
    [timestamp(now), level.toUpperCase().padEnd(5), message, ...pairs].join(' '),
    ...errorsOf(fields).flatMap((error) => errorLines(error, shown)),
    ...(typeof fix === 'string' ? [`  fix: ${fix}`] : []),
  ]
}

/** The key of an object as `default/hello`, without the fields that repeat its parts. */
function withShortKeys(fields: LogFields): LogFields {
  const { namespace, name, ...others } = fields
  const isKey = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).every((part) => part === 'namespace' || part === 'name') &&
    (value as LogFields)['name'] === name &&
    (value as LogFields)['namespace'] === namespace
  if (typeof name !== 'string' || !Object.values(others).some(isKey)) return fields
  const text = namespace === undefined ? name : `${String(namespace)}/${name}`
  return Object.fromEntries(Object.entries(others).map(([field, value]) => [field, isKey(value) ? text : value]))
}

/** The field that says what to do. In text it has a line of its own. */
const fixField = 'fix'

function textValue(fields: unknown, name: string): string {
  const value = (fields as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value)
}

function errorsOf(fields: LogFields): readonly Error[] {
  return Object.values(fields).filter((value) => value instanceof Error)
}

const maxMessageLines = 20

/** The place is enough to find a mistake; without one, the stack of what may be a bug. */
function errorLines(error: Error, shown: RecentPlaces): readonly string[] {
  const place = userPlaceOf(error)
  const at = place === undefined ? [] : [`at ${placeText(place)}`]
  const code = place === undefined || !shown.isNew(placeText(place)) ? [] : codeAt(place)
  const where = place === undefined && isBug(error) ? stackLines(error) : [...at, ...code]
  const [first, ...more] = `${error.name}: ${errorText(error)}`.split('\n').slice(0, maxMessageLines)
  return [`  ${first}`, ...more.map((line) => `    ${line}`), ...where.map((line) => `    ${line}`)]
}

function isBug(error: Error): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
}

function stackLines({ stack = '' }: Error): readonly string[] {
  return stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
}

/** Line ends, and what terminals obey: escape sequences, and marks that change the direction of text. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g

/** Names and messages of others cannot begin a new line or steer the terminal: `\u001b[2J`. */
function withoutControls(text: string): string {
  return text.replace(controls, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Deeper and further values are left out, to keep log lines short. */
const maxDepth = 6
const maxItems = 100

const secretNames = /^(data|stringData|token|password|secret|authorization|client-key-data|clientKeyData)$/i

/** Turns any value into JSON: errors with their causes, no cycles, no secrets. */
function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return '[deeper]'
  if (value instanceof Error) {
    const { name, message, stack, cause } = value
    const errors = value instanceof AggregateError ? { errors: plain(value.errors, depth + 1) } : {}
    return { name, message, stack, ...errors, ...(cause === undefined ? {} : { cause: plain(cause, depth + 1) }) }
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => plain(item, depth + 1))
  const isSecret = (value as { kind?: unknown }).kind === 'Secret'
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, maxItems)
      .map(([name, field]) => {
        const hidden = secretNames.test(name) && (isSecret || (name !== 'data' && typeof field === 'string'))
        return [name, hidden ? '[redacted]' : plain(field, depth + 1)]
      }),
  )
}
