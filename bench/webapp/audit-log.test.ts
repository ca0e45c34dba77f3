import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AuditLog, auditArgs, isWrite, tally } from './audit-log.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-audit-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** JSON omits an undefined subresource. */
const line = (verb: string, resource: string, subresource?: string, code = 200): string =>
  `${JSON.stringify({ kind: 'Event', verb, objectRef: { resource, subresource }, responseStatus: { code } })}\n`

describe('the audit log', () => {
  it('is asked for with the calls of one user', () => {
    const [policyFlag = '', logFlag = ''] = auditArgs(folder, 'carol')
    expect(JSON.parse(readFileSync(policyFlag.replace('--audit-policy-file=', ''), 'utf8'))).toMatchObject({
      kind: 'Policy',
      rules: [{ level: 'Metadata', users: ['carol'] }, { level: 'None' }],
    })
    expect(logFlag).toBe(`--audit-log-path=${join(folder, 'audit.log')}`)
  })

  it('is read from where it was left, whole lines only', () => {
    const file = join(folder, 'audit.log')
    const log = new AuditLog(folder)
    appendFileSync(file, line('create', 'events') + line('patch', 'webapps', 'status'))
    expect(log.next()).toEqual([
      { verb: 'create', resource: 'events', code: 200 },
      { verb: 'patch', resource: 'webapps/status', code: 200 },
    ])
    expect(log.next()).toEqual([])
    const half = line('get', 'webapps', undefined, 404)
    appendFileSync(file, half.slice(0, 20))
    expect(log.next()).toEqual([])
    appendFileSync(file, half.slice(20))
    const [call] = log.next()
    expect(call).toEqual({ verb: 'get', resource: 'webapps', code: 404 })
    expect(call === undefined ? undefined : isWrite(call)).toBe(false)
  })

  it('is summed up for one app, what failed apart', () => {
    const calls = [
      { verb: 'patch', resource: 'webapps', code: 200 },
      { verb: 'patch', resource: 'webapps', code: 200 },
      { verb: 'patch', resource: 'webapps', code: 409 },
    ]
    expect(tally(calls, 2)).toBe('patch webapps 1.00, patch webapps (409) 0.50')
  })
})
