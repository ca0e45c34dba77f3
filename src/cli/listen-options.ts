/** Options shared by commands that serve the API. An invalid value is a usage error. */
import { randomBytes } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import type { ClientLimits } from '../controlplane/index.ts'
import { UsageError } from './command.ts'

/** Default 0: any free port. */
export function readPort(text = '0'): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535)
    throw new UsageError(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}`)
  return Number(text)
}

export function readNodes(text = '0'): number {
  if (!/^\d{1,4}$/.test(text))
    throw new UsageError(`--nodes must be a number from 0 to 9999, not ${JSON.stringify(text)}`)
  return Number(text)
}

/** Limits of clients. A number that is not given has its default. */
export function readLimits(text: (name: string) => string | undefined): Partial<ClientLimits> {
  const limits: { -readonly [Name in keyof ClientLimits]?: number } = {}
  const read = (option: string, limit: keyof ClientLimits, factor: number): void => {
    const given = text(option)
    if (given === undefined) return
    if (!/^[1-9]\d{0,6}$/.test(given))
      throw new UsageError(`--${option} must be a number from 1 to 9999999, not ${JSON.stringify(given)}`)
    limits[limit] = Number(given) * factor
  }
  read('max-requests-inflight-per-user', 'maxRequestsPerUser', 1)
  read('max-watches-per-user', 'maxWatchesPerUser', 1)
  read('max-buffered-mib', 'maxBufferedBytes', 1024 * 1024)
  read('max-buffered-mib-per-user', 'maxBufferedBytesPerUser', 1024 * 1024)
  return limits
}

/** Default: a random token. */
export function readToken(text = randomBytes(24).toString('base64url')): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new UsageError('--token must be printable ASCII without spaces')
  return text
}

/** Checks before the start that the file can be written. */
export function checkFolder(path: string, option = 'kubeconfig'): void {
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch {
    throw new UsageError(`--${option}: cannot write into the folder ${dirname(path)}`)
  }
}

export function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE')
    return `port ${port} on ${host} is in use; choose another with --port, or 0 for any free port`
  if (error.code === 'EACCES') return `no permission to listen on port ${port}; choose one above 1023`
  return `cannot listen on ${host}:${port}: ${error.message}`
}
