/**
 * Writes log lines: JSON for machines, short text for people. The level can change at run time, and values that look
 * like secrets are not written, nor the credentials of this process.
 */
import { credentialMask } from '../client/credential-mask.ts'
import { timestamp, type Env } from '../env/env.ts'
import type { LogFields, Logger, LogLevel } from './logger.ts'

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

export interface LogOptions {
  readonly env: Env
  /** Receives a complete line, without its newline. */
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
  return new LineLogger({ ...options, level: options.level ?? 'info' }, undefined, {})
}

interface LogState extends LogOptions {
  level: LogLevel
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
    const line = format === 'text' ? textLine : jsonLine
    write(credentialMask.text(line(env.now(), level, message, { ...this.#allFields(), ...fields })))
  }

  #allFields(): LogFields {
    return this.#parent === undefined ? this.#fields : { ...this.#parent.#allFields(), ...this.#fields }
  }
}

function jsonLine(now: number, level: LogLevel, message: string, fields: LogFields): string {
  const line = { ts: new Date(now).toISOString(), level, msg: message, ...(plain(fields, 0) as object) }
  return withoutControls(JSON.stringify(line))
}

function textLine(now: number, level: LogLevel, message: string, fields: LogFields): string {
  const text = (value: unknown): string =>
    typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value)
  const pairs = Object.entries(plain(fields, 0) as object).map(([name, value]) => `${name}=${text(value)}`)
  return withoutControls([timestamp(now), level.toUpperCase().padEnd(5), message, ...pairs].join(' '))
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
    return { name, message, stack, ...(cause === undefined ? {} : { cause: plain(cause, depth + 1) }) }
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
