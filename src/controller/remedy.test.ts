import { describe, expect, it } from 'vitest'
import { ApiError, type Status } from '../api/status.ts'
import { ConfigMap, CronJob, Job } from '../schema/builtin/kinds.ts'
import type { Access } from './access.ts'
import { remedyOf, type Declarations } from './remedy.ts'
import { App, app, apps, start, stopAfterEach } from './testdata/app.ts'

stopAfterEach()

const account = 'system:serviceaccount:apps:operator'
const access: readonly Access[] = [
  { kind: ConfigMap, verbs: ['get'] },
  { kind: Job, subresource: 'status', verbs: ['patch'] },
]
const declarations: Declarations = {
  who: 'the controller app',
  access,
  declare: (verb, target) => `add .may('${verb}', ${target}) to the controller app`,
}

function denied(user: string, verb: string, resource: string, group: string, where = 'in the namespace "a"'): ApiError {
  const message =
    `${resource}.${group} "x" is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group ` +
    `"${group}" ${where}`
  return new ApiError(failure(403, 'Forbidden', message, { name: 'x' }))
}

function failure(code: number, reason: string, message: string, details: Status['details'] = {}): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message, details }
}

const manifests = 'coxswain manifests MODULE | kubectl apply -f -'

describe('the remedy of a denied request', () => {
  it.each([
    [denied(account, 'delete', 'cronjobs', 'batch'), `.may('delete', ${CronJob.kind})`],
    [denied(account, 'patch', 'cronjobs/status', 'batch'), ".may('patch', { kind: CronJob, subresource: 'status' })"],
    [
      denied(account, 'delete', 'things', 'example.dev', 'at the cluster scope'),
      ".may('delete', the kind of things.example.dev)",
    ],
    [denied(account, 'patch', 'jobs', 'batch'), ".may('patch', Job)"],
  ])('the remedy of a denied request is the declaration that is missing: %s', (error, missing) => {
    expect(remedyOf(error, declarations)).toBe(`add ${missing} to the controller app, then ${manifests}`)
  })

  it('the remedy of a denied request that is declared is to apply the manifests', () => {
    const fix = `the controller app declares it, but the role in the cluster does not have it: ${manifests}`
    expect(remedyOf(denied(account, 'get', 'configmaps', ''), declarations)).toBe(fix)
    expect(remedyOf(denied(account, 'patch', 'jobs/status', 'batch'), declarations)).toBe(fix)
  })

  it('the remedy of a denied request of a person is another context, or more rights', () => {
    expect(remedyOf(denied('jane', 'delete', 'cronjobs', 'batch'), declarations)).toBe(
      '"jane" may not: choose another --context, or have an administrator allow it; ' +
        'kubectl auth can-i delete cronjobs.batch --namespace a shows when',
    )
  })

  it('the remedy of a denied request is found in causes', () => {
    const error = denied(account, 'delete', 'cronjobs', 'batch')
    const fix = remedyOf(error, declarations)
    expect(fix).toContain('CronJob')
    expect(remedyOf(new Error('outer', { cause: error }), declarations)).toBe(fix)
    expect(remedyOf(new AggregateError([new Error('other'), error]), declarations)).toBe(fix)
  })

  it('a denial of admission has no remedy, nor has another error', () => {
    const quota = new ApiError(failure(403, 'Forbidden', 'pods "x" is forbidden: exceeded quota: q'))
    const circle = new Error('round')
    circle.cause = circle
    for (const error of [quota, circle, 'thrown', undefined]) expect(remedyOf(error, declarations)).toBeUndefined()
  })
})

describe('a failed reconcile', () => {
  it('a failed reconcile has the remedy in its line of the log', async () => {
    const denial = denied(account, 'delete', 'cronjobs', 'batch')
    const all = await start(
      apps.may('get', Job).reconcile(() => {
        throw denial
      }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    const line = all.logs.find((each) => each.includes('reconcile failed')) ?? '{}'
    expect(JSON.parse(line)).toMatchObject({
      fix: `add .may('delete', CronJob) to the controller app, then ${manifests}`,
    })
  })
})

describe('the remedy of a missing kind', () => {
  it('the remedy of a missing kind is its CRD; that of a missing object is none', () => {
    const missing = 'the server could not find the requested resource'
    expect(remedyOf(new ApiError(failure(404, 'NotFound', missing)), declarations)).toBe(
      `the server does not serve the kind: install its CRD with ${manifests}`,
    )
    const gone = failure(404, 'NotFound', 'configmaps "x" not found', { name: 'x' })
    expect(remedyOf(new ApiError(gone), declarations)).toBeUndefined()
  })
})
