import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { healthResponse } from './health.ts'

const fine = () => undefined
const broken = (check: string) => (check === 'etcd' ? 'storage is gone' : undefined)
const ask = (path: string, query = '', problem: (check: string) => string | undefined = fine) =>
  healthResponse(path, new URLSearchParams(query), problem)

describe('healthResponse', () => {
  test('healthResponse is ok, and lists its checks when asked', () => {
    expect(ask('/livez')).toMatchObject({ status: 200, body: 'ok', contentType: 'text/plain; charset=utf-8' })
    const report = ask('/readyz', 'verbose')?.body ?? ''
    expect(report).toMatch(/^\[\+\]ping ok\n\[\+\]log ok\n[^]*\n\[\+\]shutdown ok\nreadyz check passed\n$/)
    // The digest of the response of a real kube-apiserver v1.35.8.
    const digest = createHash('sha256').update(report).digest('hex')
    expect(digest).toBe('eb68009b74b309baf8e82a942b86a2041aedf54cf638e805c8ae8741f7c4ecb3')
    expect(ask('/healthz', 'verbose')?.body).not.toContain('shutdown')
  })

  test('healthResponse leaves out what is excluded and warns of what it does not know', () => {
    const body = ask('/livez', 'verbose&exclude=etcd&exclude=zz&exclude=nope', broken)?.body
    expect(body).toContain('[+]etcd excluded: ok\n')
    const warning = 'warn: some health checks cannot be excluded: no matches for "nope","zz"'
    expect(body).toContain(`${warning}\nlivez check passed\n`)
  })

  test('healthResponse fails verbosely, without the reason', () => {
    const answer = ask('/readyz', '', broken)
    expect(answer?.status).toBe(500)
    expect(answer?.body).toContain('[-]etcd failed: reason withheld\n')
    expect(answer?.body).toMatch(/readyz check failed\n$/)
    expect(answer?.body).not.toContain('gone')
  })

  test('healthResponse answers each check by itself', () => {
    expect(ask('/livez/poststarthook/rbac/bootstrap-roles')).toMatchObject({ status: 200, body: 'ok' })
    const failed = { status: 500, body: 'internal server error: storage is gone\n' }
    expect(ask('/livez/etcd', '', broken)).toMatchObject(failed)
    expect(ask('/livez/shutdown')).toMatchObject({ status: 404, body: '404 page not found\n' })
    expect(ask('/livez/')).toMatchObject({ status: 404 })
    expect(ask('/nothing')).toBeUndefined()
  })
})
