/** Entries of the audit log for requests of every kind. The comparison with a real server is in test/audit. */
import { afterEach, describe, expect, it } from 'vitest'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane, type ControlPlane } from '../control-plane.ts'
import type { InProcessRequest } from '../api/in-process.ts'
import type { AuditOptions } from './audited-handler.ts'

interface Entry {
  readonly level: string
  readonly stage: string
  readonly auditID: string
  readonly [field: string]: unknown
}

let plane: ControlPlane | undefined
const lines: string[] = []
afterEach(async () => {
  lines.length = 0
  await plane?.close()
})

const alice = { name: 'alice', uid: 'u1', groups: ['dev', 'system:authenticated'] }

function start(rules: readonly object[], more: object = {}, format: AuditOptions['format'] = 'json'): ControlPlane {
  plane = createControlPlane({
    env: simulatedEnv(),
    authorization: 'RBAC',
    tokens: [{ token: 'secret', user: alice }],
    audit: {
      policy: { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules, ...more },
      format,
      write: (line) => lines.push(line),
    },
  })
  return plane
}

const entries = (): Entry[] => lines.map((line) => JSON.parse(line) as Entry)

const configMaps = '/api/v1/namespaces/default/configmaps'
const create: InProcessRequest = {
  method: 'POST',
  path: `${configMaps}?fieldManager=me`,
  headers: { 'user-agent': 'test', 'audit-id': 'mine' },
  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { secret: 'x' } },
}

describe('the audit log', () => {
  it('has a request that is rejected with 429', async () => {
    const { url } = await start([{ level: 'Metadata' }]).listen({ tls: false, limits: { maxRequestsPerUser: 0 } })
    const headers = { authorization: 'Bearer secret', 'audit-id': 'mine' }
    const response = await fetch(`${url}${configMaps}`, { headers })
    expect(response.status).toBe(429)
    expect(response.headers.get('audit-id')).toBe('mine')
    expect(entries()).toEqual([
      expect.objectContaining({ stage: 'RequestReceived', auditID: 'mine', verb: 'list' }),
      expect.objectContaining({
        stage: 'ResponseComplete',
        auditID: 'mine',
        responseStatus: expect.objectContaining({ code: 429 }) as object,
      }),
    ])
    expect(entries()[1]?.['annotations']).toBeUndefined()
  })

  it('has metadata, stages and the authorization of a request, and returns its id', async () => {
    const { headers } = await start([{ level: 'Metadata' }]).transport()(create)
    expect(headers['audit-id']).toBe('mine')
    const [received, complete] = entries()
    expect(entries()).toHaveLength(2)
    expect(received).toMatchObject({ stage: 'RequestReceived' })
    expect(received).not.toHaveProperty('annotations')
    expect(received).not.toHaveProperty('responseStatus')
    expect(Object.entries(complete ?? {})).toEqual([
      ['kind', 'Event'],
      ['apiVersion', 'audit.k8s.io/v1'],
      ['level', 'Metadata'],
      ['auditID', 'mine'],
      ['stage', 'ResponseComplete'],
      ['requestURI', `${configMaps}?fieldManager=me`],
      ['verb', 'create'],
      ['user', { username: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] }],
      ['userAgent', 'test'],
      ['objectRef', { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' }],
      ['responseStatus', { metadata: {}, code: 201 }],
      ['requestReceivedTimestamp', expect.stringMatching(/^\d{4}-.*T.*\.\d{6}Z$/) as unknown],
      ['stageTimestamp', expect.stringMatching(/^\d{4}-.*T.*\.\d{6}Z$/) as unknown],
      [
        'annotations',
        { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': expect.any(String) as unknown },
      ],
    ])
  })

  it('has bodies by level, without managed fields on request', async () => {
    const omitStages = ['RequestReceived']
    await start([{ level: 'Request' }], { omitStages }).transport()(create)
    expect(entries()).toMatchObject([{ requestObject: create.body }])
    expect(entries()[0]).not.toHaveProperty('responseObject')
    await plane?.close()
    lines.length = 0
    await start([{ level: 'RequestResponse', omitManagedFields: true }], { omitStages }).transport()(create)
    await plane?.transport()({ method: 'GET', path: configMaps })
    expect(entries()).toMatchObject([
      { requestObject: create.body, responseObject: { kind: 'ConfigMap', metadata: { name: 'a' } } },
      { verb: 'list', responseObject: { kind: 'ConfigMapList' } },
    ])
    expect(lines.join()).not.toContain('managedFields')
  })

  it('has the decoded object with its defaults, as it was before admission', async () => {
    await start([{ level: 'Request', omitStages: ['RequestReceived'] }]).transport()({
      method: 'POST',
      path: '/api/v1/namespaces/default/pods',
      body: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i:1' }], unknown: 1 } },
    })
    const { requestObject, objectRef } = entries()[0] as unknown as Record<string, Record<string, object>>
    expect(requestObject).toMatchObject({ kind: 'Pod', spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' } })
    expect(requestObject?.['spec']).not.toHaveProperty('unknown')
    expect(requestObject?.['spec']).not.toHaveProperty('tolerations')
    expect(requestObject?.['metadata']).toEqual({ name: 'p' })
    expect(objectRef).toMatchObject({ name: 'p' })
  })

  it('has annotations of deprecated versions, at the end of the request', async () => {
    const stop = new AbortController()
    const path = '/api/v1/namespaces/default/endpoints'
    const api = start([{ level: 'Metadata', omitStages: ['RequestReceived'] }]).transport()
    await api({ method: 'GET', path })
    const { events } = await api({ method: 'GET', path: `${path}?watch=1`, signal: stop.signal })
    events?.stop()
    expect(entries().map(({ annotations }) => (annotations as Record<string, string>)['k8s.io/deprecated'])).toEqual([
      'true',
      undefined,
      'true',
    ])
  })

  it('has what the audit level of pod security finds', async () => {
    const api = start([{ level: 'Metadata', omitStages: ['RequestReceived'] }]).transport()
    const labels = { 'pod-security.kubernetes.io/audit': 'baseline' }
    await api({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'strict', labels } } })
    const spec = { hostNetwork: true, containers: [{ name: 'c', image: 'i:1' }] }
    for (const namespace of ['strict', 'default'])
      await api({
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/pods`,
        body: { metadata: { name: 'p' }, spec },
      })
    expect(entries().slice(1)).toMatchObject([
      {
        annotations: {
          'pod-security.kubernetes.io/audit-violations':
            'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
          'pod-security.kubernetes.io/enforce-policy': 'privileged:latest',
        },
      },
      { annotations: { 'pod-security.kubernetes.io/enforce-policy': 'privileged:latest' } },
    ])
  })

  it('has the webhooks that were called, once each, and what they changed and annotate', async () => {
    const patch = Buffer.from(JSON.stringify([{ op: 'add', path: '/data/b', value: '1' }])).toString('base64')
    plane = createControlPlane({
      env: simulatedEnv(),
      callWebhook: (_target, review) => {
        const { uid } = (review as { request: { uid: string } }).request
        const response = { uid, allowed: true, patchType: 'JSONPatch', patch, auditAnnotations: { seen: 'yes' } }
        return Promise.resolve({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response })
      },
      audit: {
        policy: { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Request' }] },
        write: (line) => lines.push(line),
      },
    })
    const api = plane.transport()
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }]
    const clientConfig = { url: 'https://example.com/' }
    const webhook = { name: 'a.example.com', clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] }
    const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
    await api({ method: 'POST', path, body: { metadata: { name: 'c' }, webhooks: [webhook] } })
    await api(create)
    const { annotations, requestObject } = entries().at(-1) as unknown as Record<string, Record<string, unknown>>
    expect(requestObject?.['data']).toEqual({ secret: 'x' })
    expect(annotations).toMatchObject({
      'a.example.com/seen': 'yes',
      'mutation.webhook.admission.k8s.io/round_0_index_0':
        '{"configuration":"c","webhook":"a.example.com","mutated":true}',
      'patch.webhook.admission.k8s.io/round_0_index_0':
        '{"configuration":"c","webhook":"a.example.com","patch":[{"op":"add","path":"/data/b","value":"1"}],' +
        '"patchType":"JSONPatch"}',
    })
  })

  it('has denials with their Status, and the impersonated user', async () => {
    const served = start([{ level: 'Metadata', omitStages: ['RequestReceived'] }])
    await served.transport(alice)(create)
    await served.transport()({ ...create, headers: { 'impersonate-user': 'bob' } })
    expect(entries()).toMatchObject([
      {
        user: { username: 'alice' },
        responseStatus: { status: 'Failure', reason: 'Forbidden', code: 403 },
        annotations: { 'authorization.k8s.io/decision': 'forbid' },
      },
      {
        user: { username: 'admin' },
        impersonatedUser: { username: 'bob', groups: ['system:authenticated'] },
        responseStatus: { code: 403 },
      },
    ])
  })

  it('has the start and the end of a watch', async () => {
    const stop = new AbortController()
    const path = `${configMaps}?watch=1`
    const { events } = await start([{ level: 'Metadata' }]).transport()({ method: 'GET', path, signal: stop.signal })
    expect(entries().map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseStarted'])
    stop.abort()
    events?.stop()
    expect(entries().map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete'])
    expect(new Set(entries().map(({ auditID }) => auditID)).size).toBe(1)
  })

  it('has failed authentications and addresses over HTTP, and no tokens', async () => {
    const { url } = await start([{ level: 'RequestResponse' }], { omitStages: ['RequestReceived'] }).listen({
      tls: false,
    })
    const headers = { authorization: 'Bearer wrong-token', 'x-forwarded-for': '192.0.2.1, nonsense' }
    expect((await fetch(`${url}/version?a=%20b`, { headers })).status).toBe(401)
    expect((await fetch(`${url}/version`, { headers: { authorization: 'Bearer secret' } })).status).toBe(200)
    expect(entries()).toMatchObject([
      {
        stage: 'ResponseStarted',
        requestURI: '/version?a=%20b',
        verb: 'get',
        user: {},
        sourceIPs: ['192.0.2.1', '127.0.0.1'],
        responseStatus: { metadata: {}, status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 },
      },
      { stage: 'ResponseComplete', user: { username: 'alice' }, sourceIPs: ['127.0.0.1'] },
    ])
    expect(lines.join()).not.toMatch(/wrong-token|Bearer/)
  })

  it('has lines in the legacy format', async () => {
    await start([{ level: 'Metadata', omitStages: ['RequestReceived'] }], {}, 'legacy').transport(alice)(create)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(
      ' AUDIT: id="mine" stage="ResponseComplete" ip="<unknown>" method="create" user="alice" ' +
        'groups="\\"dev\\",\\"system:authenticated\\"" as="<self>" asgroups="<lookup>" user-agent="test" ' +
        `namespace="default" uri="${configMaps}?fieldManager=me" response="403"`,
    )
  })

  it('has nothing of requests without a rule, and does not change their response', async () => {
    const { headers } = await start([{ level: 'None' }]).transport()(create)
    expect(lines).toEqual([])
    expect(headers).not.toHaveProperty('audit-id')
  })
})
