import { X509Certificate } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { ClusterRole, ClusterRoleBinding, CertificateSigningRequest, isNotFound, type Live } from '../../index.ts'
import { inProcessTransport, RestClient } from '../../client/index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { aliceRequest, nodeRequest, servingRequest, wrongNodeRequest } from '../../x509/testdata/requests.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const builtin = ['signing', 'approving', 'cleaner'].map((what) => `certificatesigningrequest-${what}-controller`)
  const cluster = await embedded({ builtin, controlPlane: { authorization: 'RBAC' } })
  running.push(cluster)
  return cluster
}

type Spec = CertificateSigningRequest['spec']
const client = 'kubernetes.io/kube-apiserver-client'
const kubelet = 'kubernetes.io/kube-apiserver-client-kubelet'
const serving = 'kubernetes.io/kubelet-serving'

async function request(cluster: Embedded, name: string, text: string, spec: Partial<Spec> = {}): Promise<void> {
  await cluster.client.create(CertificateSigningRequest, {
    metadata: { name },
    spec: { request: Buffer.from(text).toString('base64'), signerName: client, usages: ['client auth'], ...spec },
  })
}

async function decide(cluster: Embedded, name: string, type: 'Approved' | 'Denied' = 'Approved'): Promise<void> {
  const patch = { status: { conditions: [{ type, status: 'True', reason: 'Test', message: 'by hand' }] } }
  await cluster.client.patch(CertificateSigningRequest, { name }, { type: 'merge', patch }, { subresource: 'approval' })
  await cluster.settle()
}

const read = (cluster: Embedded, name: string): Promise<Live<CertificateSigningRequest>> =>
  cluster.client.get(CertificateSigningRequest, { name })
const isGone = (cluster: Embedded, name: string): Promise<boolean> =>
  read(cluster, name).then(
    () => false,
    (error: unknown) => isNotFound(error),
  )
const certificateOf = ({ status }: Live<CertificateSigningRequest>): X509Certificate =>
  new X509Certificate(Buffer.from(status?.certificate ?? '', 'base64'))
const conditionsOf = ({ status }: Live<CertificateSigningRequest>): unknown[] =>
  (status?.conditions ?? []).map(({ type, reason, message }) => [type, reason, message])
const hourMs = 3_600_000

describe('certificate requests', () => {
  it('an approved request gets a certificate for a year, or for the time that it asks for', async () => {
    const cluster = await start()
    await request(cluster, 'a', aliceRequest)
    await request(cluster, 'b', aliceRequest, { expirationSeconds: 1200 })
    await cluster.settle()
    expect((await read(cluster, 'a')).status).toEqual({})
    await decide(cluster, 'a')
    await decide(cluster, 'b')
    const certificate = certificateOf(await read(cluster, 'a'))
    expect(certificate.subject).toBe('O=dev + O=ops\nCN=alice')
    expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(365 * 24 * hourMs)
    const short = certificateOf(await read(cluster, 'b'))
    expect(Date.parse(short.validTo) - Date.parse(short.validFrom)).toBe(25 * 60_000)
  })

  it('a denied request gets no certificate, nor does one for a signer of somebody else', async () => {
    const cluster = await start()
    await request(cluster, 'a', aliceRequest)
    await request(cluster, 'b', aliceRequest, { signerName: 'example.org/own' })
    await decide(cluster, 'a', 'Denied')
    await decide(cluster, 'b')
    for (const name of ['a', 'b']) expect((await read(cluster, name)).status?.certificate).toBeUndefined()
  })

  it('a signer fails requests that it does not sign, and says why', async () => {
    const cluster = await start()
    const wrong = [
      [client, aliceRequest, ['server auth'], 'invalid usage for client certificate: server auth'],
      [client, aliceRequest, ['digital signature'], 'missing required usage for client certificate: client auth'],
      [kubelet, aliceRequest, ['client auth'], 'subject organization is not system:nodes'],
      [kubelet, servingRequest, ['client auth'], 'DNS subjectAltNames are not allowed'],
      [kubelet, wrongNodeRequest, ['client auth'], 'subject common name does not begin with system:node:'],
      [kubelet, nodeRequest, ['client auth'], 'usages did not match [client auth digital signature key encipherment]'],
      [serving, nodeRequest, ['server auth'], 'DNS or IP subjectAltName is required'],
      [serving, servingRequest, ['any'], 'usages did not match [digital signature key encipherment server auth]'],
    ] as const
    for (const [i, [signerName, text, usages, message]] of wrong.entries()) {
      await request(cluster, `r${i}`, text, { signerName, usages: [...usages] })
      await decide(cluster, `r${i}`)
      expect(conditionsOf(await read(cluster, `r${i}`))).toEqual([
        ['Approved', 'Test', 'by hand'],
        ['Failed', 'SignerValidationFailure', message],
      ])
    }
    await request(cluster, 'good', servingRequest, {
      signerName: serving,
      usages: ['digital signature', 'server auth'],
    })
    await decide(cluster, 'good')
    expect(certificateOf(await read(cluster, 'good')).subjectAltName).toBe('DNS:node-9, IP Address:192.0.2.9')
  })

  it('a kubelet gets its certificate by itself, once it has the right to', async () => {
    const cluster = await start()
    const user = { name: 'system:node:node-9', uid: '', groups: ['system:authenticated', 'system:nodes'] }
    const transport = inProcessTransport(cluster.plane.transport(user))
    const node = new RestClient({ env: cluster.env, transport, fieldManager: 'kubelet', timeoutMs: 0 })
    const rule = (resource: string) => ({
      apiGroups: ['certificates.k8s.io'],
      resources: [resource],
      verbs: ['create'],
    })
    const grant = async (name: string, resource: string): Promise<void> => {
      await cluster.client.create(ClusterRole, { metadata: { name }, rules: [rule(resource)] })
      await cluster.client.create(ClusterRoleBinding, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user.name }],
      })
    }
    await grant('request', 'certificatesigningrequests')
    await node.create(CertificateSigningRequest, {
      metadata: { name: 'a' },
      spec: {
        request: Buffer.from(nodeRequest).toString('base64'),
        signerName: kubelet,
        usages: ['client auth', 'digital signature'],
      },
    })
    await cluster.settle()
    expect((await read(cluster, 'a')).status).toEqual({})
    await grant('renew', 'certificatesigningrequests/selfnodeclient')
    await cluster.advance(60_000)
    await cluster.settle()
    const object = await read(cluster, 'a')
    expect(conditionsOf(object)).toEqual([
      ['Approved', 'AutoApproved', 'Auto approving self kubelet client certificate after SubjectAccessReview.'],
    ])
    expect(certificateOf(object).subject).toBe('O=system:nodes\nCN=system:node:node-9')
  })

  it('requests are deleted an hour after they were decided, and after a day without a decision', async () => {
    const cluster = await start()
    await request(cluster, 'pending', aliceRequest)
    await request(cluster, 'elsewhere', aliceRequest, { signerName: 'example.org/own' })
    await request(cluster, 'issued', aliceRequest)
    await request(cluster, 'short', aliceRequest, { expirationSeconds: 600 })
    await request(cluster, 'denied', aliceRequest)
    for (const name of ['elsewhere', 'issued', 'short']) await decide(cluster, name)
    await decide(cluster, 'denied', 'Denied')
    const left = async (): Promise<string[]> => {
      const names = ['pending', 'elsewhere', 'issued', 'short', 'denied']
      const gone = await Promise.all(names.map((name) => isGone(cluster, name)))
      return names.filter((_, i) => gone[i] === false)
    }
    expect(await left()).toHaveLength(5)
    await cluster.advance(601_000)
    expect(await left()).toEqual(['pending', 'elsewhere', 'issued', 'denied'])
    await cluster.advance(hourMs)
    expect(await left()).toEqual(['pending', 'elsewhere'])
    await cluster.advance(23 * hourMs)
    expect(await left()).toEqual([])
  })
})
