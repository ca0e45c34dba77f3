import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { testPlane, type Answer, type TestPlane } from './testdata/plane.ts'

const accounts = '/api/v1/namespaces/default/serviceaccounts'
const path = '/var/run/secrets/kubernetes.io/serviceaccount'

async function withAccount(account: JsonObject = {}, metadata: JsonObject = {}): Promise<TestPlane> {
  const plane = testPlane({ enable: ['ServiceAccount'] })
  await plane.post(accounts, { metadata: { name: 'default', ...metadata }, ...account })
  return plane
}

interface PodSpec extends JsonObject {
  volumes: JsonObject[]
  initContainers: JsonObject[]
  containers: JsonObject[]
}

const specOf = ({ body }: Answer): PodSpec => body['spec'] as PodSpec

describe('ServiceAccount', () => {
  it('ServiceAccount is off unless it is asked for', async () => {
    expect(specOf(await testPlane().pod('p'))['serviceAccountName']).toBeUndefined()
  })

  it('ServiceAccount needs the account, mounts its token and hands on its pull secrets', async () => {
    const plane = testPlane({ enable: ['ServiceAccount'] })
    const refused = plane.pod('p')
    await plane.advance(1800)
    expect((await refused).message).toBe(
      'pods "p" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
    )
    await plane.post(accounts, { metadata: { name: 'default' }, imagePullSecrets: [{ name: 's' }] })
    const spec = specOf(await plane.pod('p', { initContainers: [{ name: 'i', image: 'i:1' }] }))
    expect(spec).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      imagePullSecrets: [{ name: 's' }],
    })
    const [volume] = spec.volumes
    expect(volume?.['name']).toMatch(/^kube-api-access-[a-z0-9]{5}$/)
    expect(volume?.['projected']).toEqual({
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    })
    const mounts = [{ name: volume?.['name'], readOnly: true, mountPath: path }]
    expect([...spec.initContainers, ...spec.containers].map(({ volumeMounts }) => volumeMounts)).toEqual([
      mounts,
      mounts,
    ])
  })

  it('ServiceAccount waits for the default account of a new namespace, but for no other', async () => {
    const plane = testPlane({ enable: ['ServiceAccount'] })
    const created = plane.pod('p')
    await plane.post(accounts, { metadata: { name: 'other' } })
    await plane.post(accounts, { metadata: { name: 'default' } })
    expect((await created).status).toBe(201)
    expect((await plane.pod('q', { serviceAccountName: 'absent' })).message).toBe(
      'pods "q" is forbidden: error looking up service account default/absent: serviceaccount "absent" not found',
    )
  })

  it('ServiceAccount mounts no token if the pod says so, or else if the account says so', async () => {
    const plane = await withAccount({ automountServiceAccountToken: false })
    expect(specOf(await plane.pod('a')).volumes).toBeUndefined()
    expect(specOf(await plane.pod('b', { automountServiceAccountToken: true })).volumes).toHaveLength(1)
    await plane.patch(`${accounts}/default`, { automountServiceAccountToken: null })
    expect(specOf(await plane.pod('c')).volumes).toHaveLength(1)
    expect(specOf(await plane.pod('d', { automountServiceAccountToken: false })).volumes).toBeUndefined()
  })

  it('ServiceAccount keeps what is mounted at the path of the token, and a volume with such a name', async () => {
    const plane = await withAccount()
    const own = [{ name: 'v', mountPath: path }]
    const containers = [{ name: 'c', image: 'i:1', volumeMounts: own }]
    const volumes = [{ name: 'v', emptyDir: {} }]
    expect(specOf(await plane.pod('a', { containers, volumes })).volumes).toEqual(volumes)
    const mixed = specOf(await plane.pod('b', { containers: [...containers, { name: 'd', image: 'i:1' }], volumes }))
    expect(mixed.volumes).toHaveLength(2)
    expect(mixed.containers[0]?.['volumeMounts']).toEqual(own)
    expect(mixed.containers[1]?.['volumeMounts']).toMatchObject([{ mountPath: path }])
    const named = specOf(await plane.pod('c', { volumes: [{ name: 'kube-api-access-mine', emptyDir: {} }] }))
    expect(named.volumes).toHaveLength(1)
    expect(named.containers[0]?.['volumeMounts']).toMatchObject([{ name: 'kube-api-access-mine' }])
  })

  it('ServiceAccount gives pods of one template one spec, also with volumes and with other accounts', async () => {
    const plane = await withAccount()
    await plane.post(accounts, { metadata: { name: 'other' }, imagePullSecrets: [{ name: 's' }] })
    const given = [
      {},
      { volumes: [{ name: 'v', emptyDir: {} }], initContainers: [{ name: 'i', image: 'i:1' }] },
      { serviceAccountName: 'other' },
    ]
    for (const [i, spec] of given.entries()) {
      const specs: PodSpec[] = []
      for (let j = 0; j < 5; j++) specs.push(specOf(await plane.pod(`p${i}-${j}`, spec)))
      for (const each of specs) expect(each).toEqual(specs[0])
      expect(specs[4]).toBe(specs[3])
    }
  })

  it('ServiceAccount keeps pods of strict accounts to their secrets', async () => {
    const plane = await withAccount({}, { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } })
    expect((await plane.pod('p', { volumes: [{ name: 'v', secret: { secretName: 's' } }] })).message).toContain(
      'volume with secret.secretName="s" is not allowed because service account default does not reference that secret',
    )
    expect((await plane.pod('p', { imagePullSecrets: [{ name: 's' }] })).message).toContain(
      'imagePullSecrets[0].name="s" is not allowed because service account default does not reference that ' +
        'imagePullSecret',
    )
    expect((await plane.pod('p')).status).toBe(201)
    const debugged = await plane.patch('/api/v1/namespaces/default/pods/p/ephemeralcontainers', {
      spec: { ephemeralContainers: [{ name: 'e', image: 'i', envFrom: [{ secretRef: { name: 's' } }] }] },
    })
    expect([debugged.status, debugged.message]).toEqual([
      500,
      'ephemeral container e with envFrom referencing secret.secretName="s" is not allowed because service account ' +
        'default does not reference that secret',
    ])
  })

  it('ServiceAccount leaves mirror pods as they are, and keeps them from using the API', async () => {
    const plane = await withAccount()
    const mirror = (name: string, spec: JsonObject = {}): Promise<Answer> =>
      plane.pod(name, spec, { annotations: { 'kubernetes.io/config.mirror': 'x' } })
    expect((await mirror('a', { serviceAccountName: 'default' })).message).toContain(
      'a mirror pod may not reference service accounts',
    )
    expect((await mirror('b', { imagePullSecrets: [{ name: 's' }] })).message).toContain(
      'a mirror pod may not reference secrets',
    )
    const projected = { sources: [{ serviceAccountToken: { path: 'token' } }] }
    expect((await mirror('c', { volumes: [{ name: 'v', projected }] })).message).toContain(
      'a mirror pod may not use ServiceAccountToken volume projections',
    )
  })
})
