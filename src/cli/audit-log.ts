/** Opens the audit log that the flags of `coxswain server` describe. Loaded only if there are any. */
import { readFileSync } from 'node:fs'
import { AuditPolicy } from '../controlplane/audit/policy.ts'
import type { AuditOptions } from '../controlplane/index.ts'
import { AuditLogFile } from './audit-log-file.ts'
import { UsageError, type Io, type Values } from './command.ts'

export interface AuditLog {
  readonly options: AuditOptions
  close(): void
}

/** Undefined without the flags of an audit log. Rejects with a {@link UsageError}. */
export async function openAuditLog(values: Values, io: Io, now: () => number): Promise<AuditLog | undefined> {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  const [policyFile, path] = [text('audit-policy-file'), text('audit-log-path')]
  if (policyFile === undefined && path === undefined) return undefined
  if (policyFile === undefined)
    throw new UsageError('--audit-log-path needs --audit-policy-file: without it nothing is logged')
  if (path === undefined) throw new UsageError('--audit-policy-file needs --audit-log-path')
  const format = text('audit-log-format') ?? 'json'
  if (format !== 'json' && format !== 'legacy')
    throw new UsageError(`--audit-log-format must be json or legacy, not ${JSON.stringify(format)}`)
  const count = (name: string): number => {
    const value = text(name) ?? '0'
    if (!/^\d{1,9}$/.test(value)) throw new UsageError(`--${name} must be a number, not ${JSON.stringify(value)}`)
    return Number(value)
  }
  const limits = {
    maxBytes: count('audit-log-maxsize') * 1024 * 1024,
    maxBackups: count('audit-log-maxbackup'),
    maxAgeDays: count('audit-log-maxage'),
  }
  const policy = await readPolicy(policyFile)
  if (path === '-') return { options: { policy, format, write: (line) => io.out(line) }, close: () => undefined }
  let file: AuditLogFile
  try {
    file = new AuditLogFile({ path, now, ...limits })
  } catch (error) {
    throw new UsageError(
      `--audit-log-path: cannot write ${path}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`,
    )
  }
  const write = (line: string): void => {
    try {
      file.write(line)
    } catch (error) {
      io.error(`coxswain: the audit log cannot be written: ${(error as Error).message}`)
    }
  }
  return { options: { policy, format, write }, close: () => file.close() }
}

async function readPolicy(file: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    const policy: unknown = parse(readFileSync(file, 'utf8'))
    void new AuditPolicy(policy)
    return policy
  } catch (error) {
    throw new UsageError(`--audit-policy-file: ${file}: ${(error as Error).message}`)
  }
}
