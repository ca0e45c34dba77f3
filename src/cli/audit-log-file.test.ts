import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AuditLogFile, type AuditLogFileOptions } from './audit-log-file.ts'
import { openAuditLog } from './audit-log.ts'
import type { Io, Values } from './command.ts'

const start = Date.parse('2026-11-18T07:00:00Z')
const dayMs = 24 * 60 * 60 * 1000

let folder: string
let now: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-audit-'))
  now = start
})
afterEach(() => rmSync(folder, { recursive: true }))

function open(options: Partial<AuditLogFileOptions> = {}): AuditLogFile {
  const path = join(folder, 'audit.log')
  return new AuditLogFile({ path, maxBytes: 10, maxBackups: 0, maxAgeDays: 0, now: () => now, ...options })
}

describe('the file of the audit log', () => {
  it('is continued, and only its owner can read it', () => {
    const one = open({ maxBytes: 0 })
    one.write('a')
    one.close()
    const two = open({ maxBytes: 0 })
    two.write('b')
    two.close()
    expect(readFileSync(join(folder, 'audit.log'), 'utf8')).toBe('a\nb\n')
    expect(statSync(join(folder, 'audit.log')).mode & 0o077).toBe(0)
  })

  it('is rotated before a line exceeds the size', () => {
    const file = open()
    file.write('first')
    file.write('next')
    file.close()
    expect(readdirSync(folder).sort()).toEqual(['audit-2026-11-18T07-00-00.000.log', 'audit.log'])
    expect(readFileSync(join(folder, 'audit.log'), 'utf8')).toBe('next\n')
  })

  it('old ones are deleted by number and by age, other files are not', () => {
    writeFileSync(join(folder, 'audit-policy.log'), '')
    const file = open({ maxBackups: 2, maxAgeDays: 2 })
    for (const ageDays of [0, 1, 1, 5]) {
      now += ageDays * dayMs + 1
      file.write('0123456789')
    }
    file.close()
    expect(readdirSync(folder).sort()).toEqual(['audit-2026-11-25T07-00-00.004.log', 'audit-policy.log', 'audit.log'])
  })
})

describe('the flags of the audit log', () => {
  const io: Io = { out: () => undefined, error: () => undefined, stopped: new Promise(() => undefined) }
  const policy = (text: string): string => {
    const path = join(folder, 'policy.yaml')
    writeFileSync(path, text)
    return path
  }
  const valid = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n'

  it('open a log', async () => {
    const path = join(folder, 'logs', 'audit.log')
    const values = { 'audit-policy-file': policy(valid), 'audit-log-path': path }
    const log = await openAuditLog(values, io, () => now)
    log?.options.write('line')
    log?.close()
    expect(readFileSync(path, 'utf8')).toBe('line\n')
    expect(await openAuditLog({}, io, () => now)).toBeUndefined()
  })

  it.each<[Values, string]>([
    [{ 'audit-log-path': 'a' }, '--audit-log-path needs --audit-policy-file'],
    [{ 'audit-policy-file': 'a' }, '--audit-policy-file needs --audit-log-path'],
    [{ 'audit-policy-file': 'a', 'audit-log-path': '-' }, '--audit-policy-file: a: ENOENT'],
    [{ 'audit-policy-file': 'a', 'audit-log-path': '-', 'audit-log-format': 'x' }, 'must be json or legacy, not "x"'],
    [
      { 'audit-policy-file': 'a', 'audit-log-path': '-', 'audit-log-maxsize': '-1' },
      '--audit-log-maxsize must be a number',
    ],
  ])('%j is wrong usage', async (values, message) => {
    await expect(openAuditLog(values, io, () => now)).rejects.toThrow(message)
  })

  it('a policy that is invalid is wrong usage', async () => {
    const values = { 'audit-policy-file': policy(valid.replace('Metadata', 'All')), 'audit-log-path': '-' }
    await expect(openAuditLog(values, io, () => now)).rejects.toThrow('rules[0].level: Unsupported value: "All"')
  })
})
