/** Counts the API calls of a user by the audit log of the server. */
import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Call {
  readonly verb: string
  /** `deployments`, `webapps/status`. */
  readonly resource: string
  readonly code: number
}

/** The log contains only this user's calls, each once, when it is answered. */
export function auditArgs(folder: string, user: string): readonly string[] {
  const policy = join(folder, 'audit-policy.json')
  writeFileSync(
    policy,
    JSON.stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived', 'ResponseStarted'],
      rules: [
        {
          level: 'Metadata',
          users: [user],
          verbs: ['create', 'update', 'patch', 'delete', 'deletecollection', 'get', 'list'],
        },
        { level: 'None' },
      ],
    }),
  )
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${logIn(folder)}`, '--audit-log-maxsize=10000']
}

const logIn = (folder: string): string => join(folder, 'audit.log')

/** Reads the entries that were added since the last read. */
export class AuditLog {
  readonly #file: string
  #offset = 0

  constructor(folder: string) {
    this.#file = logIn(folder)
  }

  next(): readonly Call[] {
    const file = openSync(this.#file, 'r')
    try {
      const bytes = Buffer.alloc(fstatSync(file).size - this.#offset)
      readSync(file, bytes, 0, bytes.length, this.#offset)
      const end = bytes.lastIndexOf(10) + 1
      this.#offset += end
      return bytes
        .toString('utf8', 0, end)
        .split('\n')
        .filter((line) => line !== '')
        .map(callOf)
    } finally {
      closeSync(file)
    }
  }
}

interface AuditEvent {
  readonly verb: string
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string }
  readonly responseStatus?: { readonly code?: number }
}

export function callOf(line: string): Call {
  const { verb, objectRef, responseStatus } = JSON.parse(line) as AuditEvent
  const { resource = '', subresource } = objectRef ?? {}
  return {
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    code: responseStatus?.code ?? 0,
  }
}

export function isWrite({ verb }: Call): boolean {
  return verb !== 'get' && verb !== 'list'
}

/** `patch webapps/status 2.00`, highest count first. */
export function tally(calls: readonly Call[], apps: number): string {
  const counts = new Map<string, number>()
  for (const { verb, resource, code } of calls) {
    const key = `${verb} ${resource}${code >= 400 ? ` (${code})` : ''}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([key, count]) => `${key} ${(count / apps).toFixed(2)}`)
    .join(', ')
}
