/** The smaller plugins, tested by their effect on requests. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { mergeTolerations } from './runtime-class.ts'
import { testPlane, type Answer } from './testdata/plane.ts'

const specOf = (answer: Answer) => answer.body['spec'] as JsonObject

describe('NamespaceLifecycle', () => {
  it('NamespaceLifecycle lets nothing into a namespace that is missing or going', async () => {
    const plane = testPlane()
    await plane.post('/api/v1/namespaces', { metadata: { name: 'n' } })
    await plane.remove('/api/v1/namespaces/n')
    const missing = await plane.post('/api/v1/namespaces/nope/configmaps', { metadata: { name: 'a' } })
    expect([missing.status, missing.message]).toEqual([404, 'namespaces "nope" not found'])
    const going = await plane.post('/api/v1/namespaces/n/configmaps', { metadata: { generateName: 'a-' } })
    expect(going.message).toBe(
      'configmaps "a-" is forbidden: unable to create new content in namespace n because it is being terminated',
    )
  })

  it.each(['default', 'kube-system', 'kube-public'])('NamespaceLifecycle keeps %s', async (name) => {
    const answer = await testPlane().remove(`/api/v1/namespaces/${name}`)
    expect(answer.message).toBe(`namespaces "${name}" is forbidden: this namespace may not be deleted`)
  })

  it('NamespaceLifecycle lets others go', async () => {
    expect((await testPlane().remove('/api/v1/namespaces/kube-node-lease')).status).toBe(200)
  })

  it('NamespaceLifecycle can be switched off', async () => {
    const plane = testPlane({ disable: ['NamespaceLifecycle'] })
    expect((await plane.post('/api/v1/namespaces/nope/configmaps', { metadata: { name: 'a' } })).status).toBe(201)
    expect((await plane.remove('/api/v1/namespaces/default')).status).toBe(200)
  })
})

describe('Priority', () => {
  const path = '/apis/scheduling.k8s.io/v1/priorityclasses'

  it('Priority reads the class, or the default one', async () => {
    const plane = testPlane()
    await plane.post(path, { metadata: { name: 'high' }, value: 9, preemptionPolicy: 'Never' })
    expect(specOf(await plane.pod('a'))).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' })
    expect(specOf(await plane.pod('b', { priorityClassName: 'high' }))).toMatchObject({
      priority: 9,
      preemptionPolicy: 'Never',
    })
    expect(specOf(await plane.pod('c', { priorityClassName: 'system-node-critical' }))['priority']).toBe(2000001000)
    await plane.post(path, { metadata: { name: 'usual' }, value: 5, globalDefault: true })
    expect(specOf(await plane.pod('d'))).toMatchObject({ priority: 5, priorityClassName: 'usual' })
  })

  it('Priority refuses classes that are not there and numbers that are not theirs', async () => {
    const plane = testPlane()
    expect((await plane.pod('a', { priorityClassName: 'x' })).message).toBe(
      'pods "a" is forbidden: no PriorityClass with name x was found',
    )
    expect((await plane.pod('a', { priority: 3 })).message).toContain(
      'the integer value of priority (3) must not be provided in pod spec',
    )
    expect((await plane.pod('a', { preemptionPolicy: 'Never' })).message).toContain(
      'the string value of PreemptionPolicy (Never)',
    )
    expect((await plane.pod('a', { preemptionPolicy: '' })).message).toContain(
      'the string value of PreemptionPolicy ()',
    )
  })

  it('Priority knows one default', async () => {
    const plane = testPlane()
    await plane.post(path, { metadata: { name: 'a' }, value: 1, globalDefault: true })
    const second = await plane.post(path, { metadata: { name: 'b' }, value: 2, globalDefault: true })
    expect(second.message).toContain('PriorityClass a is already marked as default. Only one default can exist')
    expect((await plane.patch(`${path}/a`, { description: 'x' })).status).toBe(200)
  })
})

describe('classes', () => {
  it('classes of storage and ingress have defaults: the newest', async () => {
    const plane = testPlane()
    const mark = (key: string) => ({ annotations: { [`${key}.kubernetes.io/is-default-class`]: 'true' } })
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims'
    expect(
      specOf(await plane.post(claims, { metadata: { name: 'a' }, spec: claim }))['storageClassName'],
    ).toBeUndefined()
    await plane.post('/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: 's', ...mark('storageclass') },
      provisioner: 'p',
    })
    const made = await plane.post(claims, { metadata: { name: 'b' }, spec: claim })
    expect(specOf(made)['storageClassName']).toBe('s')
    expect((made.body['metadata'] as JsonObject)['finalizers']).toEqual(['kubernetes.io/pvc-protection'])
    for (const name of ['z', 'y']) {
      await plane.post('/apis/networking.k8s.io/v1/ingressclasses', {
        metadata: { name, ...mark('ingressclass') },
        spec: { controller: 'a.io/b' },
      })
    }
    const backend = { defaultBackend: { service: { name: 's', port: { number: 80 } } } }
    const ingress = await plane.post('/apis/networking.k8s.io/v1/namespaces/default/ingresses', {
      metadata: { name: 'i' },
      spec: backend,
    })
    expect(specOf(ingress)['ingressClassName']).toBe('y')
  })
})

describe('PersistentVolumeClaimResize', () => {
  it('PersistentVolumeClaimResize lets only bound claims of willing classes grow', async () => {
    const plane = testPlane()
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims'
    await plane.post('/apis/storage.k8s.io/v1/storageclasses', { metadata: { name: 'fix' }, provisioner: 'p' })
    await plane.post(claims, {
      metadata: { name: 'c' },
      spec: { storageClassName: 'fix', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
    await plane.patch(`${claims}/c/status`, { status: { phase: 'Bound' } })
    const grow = () => plane.patch(`${claims}/c`, { spec: { resources: { requests: { storage: '2Gi' } } } })
    expect((await grow()).message).toContain('only dynamically provisioned pvc can be resized')
    await plane.patch('/apis/storage.k8s.io/v1/storageclasses/fix', { allowVolumeExpansion: true })
    expect((await grow()).status).toBe(200)
  })
})

describe('nodes', () => {
  it('nodes are tainted when new, and lend their place to pods', async () => {
    const plane = testPlane()
    const node = await plane.post('/api/v1/nodes', {
      metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'z' } },
    })
    expect(specOf(node)['taints']).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }])
    expect(((await plane.pod('p', { nodeName: 'n' })).body['metadata'] as JsonObject)['labels']).toEqual({
      'topology.kubernetes.io/zone': 'z',
    })
  })
})

describe('RuntimeClass', () => {
  it('RuntimeClass gives its overhead and asks for no other', async () => {
    const plane = testPlane()
    await plane.post('/apis/node.k8s.io/v1/runtimeclasses', {
      metadata: { name: 'r' },
      handler: 'h',
      overhead: { podFixed: { cpu: '1' } },
    })
    expect(specOf(await plane.pod('a', { runtimeClassName: 'r' }))['overhead']).toEqual({ cpu: '1' })
    expect(await plane.pod('b', { runtimeClassName: '' })).toMatchObject({
      status: 500,
      message: 'resource name may not be empty',
    })
    expect(await plane.pod('b', { runtimeClassName: 'a/b' })).toMatchObject({
      status: 500,
      message: 'invalid resource name "a/b": [may not contain \'/\']',
    })
    expect(await plane.pod('b', { runtimeClassName: 'a' })).toMatchObject({
      status: 403,
      message: 'pods "b" is forbidden: pod rejected: RuntimeClass "a" not found',
    })
    expect((await plane.pod('b', { overhead: { cpu: '1' } })).message).toContain(
      'Pod Overhead set without corresponding RuntimeClass',
    )
    expect((await plane.pod('c', { runtimeClassName: 'x' })).message).toContain(
      'pod rejected: RuntimeClass "x" not found',
    )
  })

  it('RuntimeClass merges tolerations', () => {
    const wide = { key: 'k', operator: 'Exists' }
    const narrow = { key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }
    const other = { key: 'o', operator: 'Equal', value: 'v' }
    expect(mergeTolerations([narrow, other, wide, other])).toEqual([other, wide])
  })
})

describe('plugins that are off by default', () => {
  it('plugins that are off by default work when they are enabled', async () => {
    const plane = testPlane({ enable: ['AlwaysPullImages', 'NamespaceAutoProvision', 'DenyServiceExternalIPs'] })
    expect((specOf(await plane.pod('p'))['containers'] as JsonObject[])[0]?.['imagePullPolicy']).toBe('Always')
    expect((await plane.post('/api/v1/namespaces/new/configmaps', { metadata: { name: 'a' } })).status).toBe(201)
    const service = await plane.post('/api/v1/namespaces/default/services', {
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }], externalIPs: ['1.2.3.4'] },
    })
    expect(service.message).toBe('services "s" is forbidden: Use of external IPs is denied by admission control')
  })
})

describe('CertificateSubjectRestriction', () => {
  it('CertificateSubjectRestriction rejects client certificates for system:masters', async () => {
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${mastersRequest}\n-----END CERTIFICATE REQUEST-----\n`
    const send = (signerName: string): Promise<Answer> =>
      testPlane().post('/apis/certificates.k8s.io/v1/certificatesigningrequests', {
        metadata: { name: 'a' },
        spec: { request: Buffer.from(pem).toString('base64'), signerName, usages: ['client auth'] },
      })
    expect((await send('kubernetes.io/kube-apiserver-client')).message).toBe(
      'certificatesigningrequests.certificates.k8s.io "a" is forbidden: use of kubernetes.io/kube-apiserver-client ' +
        'signer with system:masters group is not allowed',
    )
    expect((await send('example.org/other')).status).toBe(201)
  })
})

/** O=dev, O=system:masters, CN=bob */
const mastersRequest =
  'MIHxMIGXAgEAMDUxDDAKBgNVBAMMA2JvYjEMMAoGA1UECgwDZGV2MRcwFQYDVQQKDA5zeXN0ZW06bWFzdGVyczBZMBMGByqGSM49' +
  'AgEGCCqGSM49AwEHA0IABLNc39Zjb2r7cJrcyLOix2sJt9qWDJjvzSwDRAdrlZlaN88b7lqs8L2TXHzdM1eJkcI38cPX1ixkzCWg' +
  'x7MG1eKgADAKBggqhkjOPQQDAgNJADBGAiEA8GpVm/m+WIgLDamXmONLrKXHDawydISCjO9+bhkeRf0CIQCqRh+SUKNHpYMmQgBW' +
  '+qa7XZw5hw5rjAgeOgYuxyP8Xg=='
