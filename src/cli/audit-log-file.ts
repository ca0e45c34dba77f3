/**
 * The file of the audit log, rotated as upstream does: beyond a size it is renamed with the time in its name, and old
 * ones are deleted by number and age. Lines are written at once, so that a crash loses none.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'

export interface AuditLogFileOptions {
  readonly path: string
  /** 0: the default of 100 MiB. */
  readonly maxBytes: number
  /** 0: all. */
  readonly maxBackups: number
  /** 0: for ever. */
  readonly maxAgeDays: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const defaultMaxBytes = 100 * 1024 * 1024
const dayMs = 24 * 60 * 60 * 1000

export class AuditLogFile {
  readonly #options: AuditLogFileOptions
  readonly #maxBytes: number
  #file: number
  #bytes: number

  /** Creates the file and its folder, for the owner only. Throws if that fails. */
  constructor(options: AuditLogFileOptions) {
    this.#options = options
    this.#maxBytes = options.maxBytes || defaultMaxBytes
    mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 })
    this.#file = openSync(options.path, 'a', 0o600)
    this.#bytes = fstatSync(this.#file).size
  }

  write(line: string): void {
    const bytes = Buffer.from(`${line}\n`)
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.#maxBytes) this.#rotate()
    writeSync(this.#file, bytes)
    this.#bytes += bytes.length
  }

  close(): void {
    closeSync(this.#file)
  }

  #rotate(): void {
    const { path, now } = this.#options
    closeSync(this.#file)
    renameSync(path, join(dirname(path), this.#backupName(now())))
    this.#file = openSync(path, 'a', 0o600)
    this.#bytes = 0
    this.#removeOld()
  }

  /** `audit-2026-11-18T07-00-00.000.log` */
  #backupName(at: number): string {
    const { stem, extension } = nameParts(this.#options.path)
    return `${stem}-${new Date(at).toISOString().slice(0, 23).replaceAll(':', '-')}${extension}`
  }

  #removeOld(): void {
    const { path, maxBackups, maxAgeDays, now } = this.#options
    const { stem, extension } = nameParts(path)
    const isBackup = (name: string): boolean =>
      name.startsWith(`${stem}-`) &&
      name.endsWith(extension) &&
      /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/.test(name.slice(stem.length + 1, name.length - extension.length))
    const backups = readdirSync(dirname(path)).filter(isBackup).sort().toReversed()
    const oldest = maxAgeDays === 0 ? '' : this.#backupName(now() - maxAgeDays * dayMs)
    for (const [i, name] of backups.entries())
      if ((maxBackups > 0 && i >= maxBackups) || name < oldest) rmSync(join(dirname(path), name), { force: true })
  }
}

function nameParts(path: string): { stem: string; extension: string } {
  const extension = extname(path)
  return { stem: basename(path, extension), extension }
}
