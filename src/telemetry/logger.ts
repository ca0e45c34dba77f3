/** Structured logs: a constant message and key-value fields. The sink decides about the format. */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export type LogFields = Readonly<Record<string, unknown>>

/** Its functions can be destructured. */
export interface Logger {
  debug(this: void, message: string, fields?: LogFields): void
  info(this: void, message: string, fields?: LogFields): void
  warn(this: void, message: string, fields?: LogFields): void
  error(this: void, message: string, fields?: LogFields): void
  /** A logger that adds these fields to each line. */
  with(this: void, fields: LogFields): Logger
}

/** Logs nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLogger,
}
