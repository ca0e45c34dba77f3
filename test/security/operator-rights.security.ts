/**
 * What operators may do: their manifests (items 1, 3, 8, 22), that they need exactly these rights (2), and that they do
 * not leave their namespaces (4).
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import backendsOperator from '../../examples/conversion.ts'
import bundlesOperator from '../../examples/own-and-adopt.ts'
import poolsOperator from '../../examples/cel-rules.ts'
import rolloutsOperator from '../../examples/flow-with-state-machine.ts'
import routesOperator from '../../examples/indexes.ts'
import shardsOperator from '../../examples/leader-election-and-shards.ts'
import myResource from '../../operators/myresource/operator.ts'
import webApp from '../../operators/webapp/operator.ts'
import { webAppController } from '../../operators/webapp/controller.ts'
import { WebApp } from '../../operators/webapp/schema/webapp.ts'
import watchingSecrets from '../../operators/webapp/watching-secrets.ts'
import type { Transport } from '../../src/client/transport.ts'
import { embedded } from '../../src/cluster/embedded.ts'
import type { Embedded } from '../../src/cluster/embedded-handle.ts'
import type { UsedAccess } from '../../src/cluster/access-recorder.ts'
import guestbook from '../../src/manifests/testdata/guestbook.ts'
import { type ClusterRole, Deployment, Namespace, NetworkPolicy, Pod, Service } from '../../src/schema/builtin/kinds.ts'
import { manifestFindings } from './manifest-lint.ts'
import { isLong } from './size.ts'

const operators = {
  backends: backendsOperator,
  bundles: bundlesOperator,
  myResource,
  pools: poolsOperator,
  rollouts: rolloutsOperator,
  routes: routesOperator,
  shards: shardsOperator,
  webApp,
}

/** The built-in controllers that the life of an app needs. */
const builtin = ['deployment', 'replicaset', 'garbage-collector', 'serviceaccount', 'namespace', 'node-lifecycle'].map(
  (name) => `${name}-controller`,
)

describe('generated manifests', () => {
  it.each(Object.entries(operators))('%s, in namespaces: nothing is risky', async (_, operator) => {
    const { objects } = await operator.manifests({ namespaces: ['a', 'b'] })
    expect(objects.length).toBeGreaterThan(4)
    expect(manifestFindings(objects)).toEqual([])
  })

  it.each(Object.entries(operators))('%s, in the whole cluster: only Secrets by name', async (name, operator) => {
    const { objects } = await operator.manifests()
    // By name only, see ADR 0022; `--namespaces` limits it to these.
    const known = name === 'webApp' ? ['OPR-R14 ClusterRole webapp-operator: get secrets'] : []
    expect(manifestFindings(objects)).toEqual(known)
  })

  it('the lint finds what is risky', async () => {
    expect(manifestFindings((await watchingSecrets.manifests({ namespaces: ['a'] })).objects)).toEqual([
      'SECRETS Role webapp-operator: list, watch secrets',
    ])
    expect(manifestFindings((await guestbook.manifests()).objects)).toContain(
      'OPR-R14 ClusterRole guestbook-operator: get, list, watch secrets',
    )
    const role = (rule: object) => [
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r' }, rules: [rule] },
    ]
    for (const [rule, id] of [
      [{ apiGroups: ['*'], resources: ['x'], verbs: ['get'] }, 'OPR-R11'],
      [{ apiGroups: [''], resources: ['*'], verbs: ['get'] }, 'OPR-R11'],
      [{ apiGroups: [''], resources: ['x'], verbs: ['*'] }, 'OPR-R11'],
      [{ apiGroups: ['x'], resources: ['roles'], verbs: ['escalate'] }, 'OPR-R16'],
      [{ apiGroups: ['x'], resources: ['roles'], verbs: ['bind'] }, 'OPR-R17'],
      [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'] }, 'OPR-R18'],
      [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['create'] }, 'OPR-R15'],
      [{ apiGroups: [''], resources: ['nodes/proxy'], verbs: ['get'] }, 'OPR-R26'],
      [{ apiGroups: ['x'], resources: ['customresourcedefinitions'], verbs: ['patch'] }, 'OPR-R21'],
      [{ apiGroups: ['x'], resources: ['mutatingwebhookconfigurations'], verbs: ['update'] }, 'OPR-R22'],
    ] as const)
      expect(manifestFindings(role(rule) as never).join(), JSON.stringify(rule)).toContain(id)
    const { objects } = await webApp.manifests({ namespaces: ['a'], resources: { limits: { memory: '1Gi' } } })
    expect(manifestFindings(objects)).toEqual(['LIMITS Deployment webapp-operator: no limit of cpu'])
  })

  it('the pod of an operator runs in its own restricted namespace, with a short-lived token', async () => {
    const cluster = await embedded({
      builtin,
      controlPlane: { admission: { enable: ['ServiceAccount'], disable: [] } },
    })
    try {
      const { objects } = await webApp.manifests()
      await cluster.apply(...(objects as Parameters<typeof cluster.apply>))
      await cluster.settle()
      const [pod] = (await cluster.client.list(Pod, { namespace: 'webapp-system' })).items
      expect(pod?.spec?.serviceAccountName).toBe('webapp-operator')
      const tokens = JSON.stringify(pod?.spec?.volumes)
      expect(tokens).toContain('"expirationSeconds":3607')
      const policy = await cluster.client.get(NetworkPolicy, { namespace: 'webapp-system', name: 'webapp-operator' })
      // Everything that comes in is denied, except metrics from namespaces that are meant to read them.
      expect(policy.spec).toMatchObject({ policyTypes: ['Ingress'] })
      expect(policy.spec?.ingress).toHaveLength(1)
      expect(policy.spec?.ingress?.[0]?.from).toEqual([{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }])
    } finally {
      await cluster.stop()
    }
  })
})

/** The requests of the operator are those of its service account, once it is armed. */
class Account {
  isArmed = false
  readonly paths: string[] = []

  transport(inner: Transport): Transport {
    return {
      ...inner,
      request: (request) => {
        this.paths.push(request.path)
        if (!this.isArmed) return inner.request(request)
        const headers = {
          ...request.headers,
          'impersonate-user': 'system:serviceaccount:webapp-system:webapp-operator',
          'impersonate-group': ['system:serviceaccounts', 'system:authenticated'],
        }
        return inner.request({ ...request, headers })
      },
      close: () => inner.close(),
    }
  }
}

const everything = {
  image: 'nginx:1.20',
  replicas: 2,
  ingress: { host: 'a.example.com' },
  envFrom: [{ secretRef: { name: 'keys', optional: true } }],
}

/** A life in which the operator uses all of its rights. */
async function wholeLife(cluster: Embedded, namespace: string): Promise<void> {
  const app = (spec: object) =>
    cluster.apply({
      apiVersion: WebApp.apiVersion,
      kind: WebApp.kind,
      metadata: { name: 'hello', namespace },
      spec,
    } as never)
  await app(everything)
  await cluster.advance(90_000)
  await app({ image: 'nginx:1.20', autoscaling: { min: 2, max: 4, cpu: 80 } })
  await cluster.advance(90_000)
  await app({ image: 'nginx:1.21' })
  await cluster.advance(90_000)
  await cluster.client.delete(WebApp, { namespace, name: 'hello' })
  await cluster.advance(180_000)
}

async function withAccount(
  namespaces: readonly string[],
  test: (cluster: Embedded, account: Account) => Promise<void>,
  ending: 'succeeds' | 'may fail' = 'succeeds',
): Promise<void> {
  const account = new Account()
  const cluster = await embedded({
    controllers: () => [webAppController()],
    namespaces: namespaces.length === 0 ? undefined : namespaces,
    nodes: 1,
    builtin,
    transport: (inner) => account.transport(inner),
    controlPlane: { authorization: 'RBAC' },
  })
  try {
    for (const name of namespaces)
      if (name !== 'default') await cluster.client.create(Namespace, { metadata: { name } })
    await cluster.settle()
    await test(cluster, account)
  } finally {
    // A manager that could not begin says so again at its end.
    await cluster.stop().catch((error: unknown) => {
      if (ending === 'succeeds') throw error
    })
  }
}

/** Starts the operator again, with nothing but the rights of its account. */
async function restrict(cluster: Embedded, account: Account): Promise<void> {
  account.isArmed = true
  account.paths.length = 0
  await cluster.restart()
}

describe('rights', () => {
  it('namespaced mode works with Roles only', async () => {
    await withAccount(['team-a', 'team-b'], async (cluster, account) => {
      const { objects } = await webApp.manifests({ namespaces: ['team-a', 'team-b'] })
      const bindings = objects.filter(({ kind }) => kind === 'ClusterRoleBinding')
      // Cluster-wide: only the reviews of the callers of /metrics, which have no namespace.
      expect(bindings).toHaveLength(1)
      const role = objects.find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'webapp-operator')
      const rules = (role as unknown as ClusterRole).rules ?? []
      expect(rules.flatMap(({ resources = [] }) => resources).sort()).toEqual(['subjectaccessreviews', 'tokenreviews'])
      await cluster.apply(
        ...(objects.filter(
          ({ kind = '' }) => !/^(ClusterRole(Binding)?|Deployment|CustomResourceDefinition)$/.test(kind),
        ) as Parameters<typeof cluster.apply>),
      )
      await restrict(cluster, account)
      for (const namespace of ['team-a', 'team-b']) {
        await cluster.apply({
          apiVersion: WebApp.apiVersion,
          kind: WebApp.kind,
          metadata: { name: 'hello', namespace },
          spec: everything,
        } as never)
        await cluster.advance(90_000)
        expect((await cluster.client.get(WebApp, { namespace, name: 'hello' })).status?.phase).toBe('Running')
        await cluster.client.delete(WebApp, { namespace, name: 'hello' })
        await cluster.advance(120_000)
        expect((await cluster.client.list(Deployment, { namespace })).items).toEqual([])
      }
      expect(cluster.logs.filter((line) => line.includes('forbidden'))).toEqual([])
      expect(account.paths.filter((path) => /^\/apis?\/[^?]*\/(webapps|deployments|secrets)/.test(path))).not.toEqual(
        [],
      )
    })
  })

  it('each right is needed: without one of them the operator says which', { timeout: 300_000 }, async () => {
    let rights: readonly UsedAccess[] = []
    await withAccount([], async (cluster) => {
      await wholeLife(cluster, 'default')
      rights = cluster.access.used
    })
    const text = ({ verb, resource, group }: UsedAccess): string => `${verb} ${resource}.${group}`
    const used = [
      ...new Map(rights.filter(({ ownerKind }) => ownerKind === undefined).map((e) => [text(e), e])).values(),
    ]
    expect(used.length).toBeGreaterThan(25)
    const quiet: string[] = []
    for (const denied of isLong ? used : used.filter((_, index) => index % 3 === 0)) {
      await withAccount(
        [],
        async (cluster, account) => {
          const rules = used
            .filter((right) => right !== denied)
            .map(({ verb, group, resource }) => ({ verbs: [verb], apiGroups: [group], resources: [resource] }))
          const meta = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'webapp-operator' } }
          const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'webapp-operator' }
          const subjects = [{ kind: 'ServiceAccount', name: 'webapp-operator', namespace: 'webapp-system' }]
          await cluster.apply(
            { ...meta, kind: 'ClusterRole', rules } as never,
            { ...meta, kind: 'ClusterRoleBinding', roleRef, subjects } as never,
          )
          let failure = ''
          try {
            await restrict(cluster, account)
            await wholeLife(cluster, 'default')
          } catch (error) {
            failure = String(error)
          }
          const said = [...cluster.logs, failure].join('\n')
          const wanted = `cannot ${denied.verb} resource \\\\*"${denied.resource}`
          if (!new RegExp(wanted).test(said)) quiet.push(text(denied))
        },
        'may fail',
      )
    }
    expect(quiet).toEqual([])
  })
})

describe('namespaces', () => {
  const hostile = [
    'b',
    'b/secret',
    '../b/secrets/secret',
    '..%2fb%2fsecrets%2fsecret',
    '%2e%2e/b',
    '/api/v1/namespaces/b/secrets/secret',
    'kube-system',
    'a?namespace=b',
    'a#b',
    'a;b',
    'secret.b',
    'secret.b.svc',
    '__proto__',
    'a\\..\\b',
    '𝕓',
    'x\u0000b',
  ]
  const name = fc.constantFrom(...hostile)
  const optionally = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] })
  const spec = fc.tuple(
    name,
    optionally({
      serviceAccountName: name,
      imagePullSecrets: fc.array(fc.record({ name }), { maxLength: 2 }),
      env: fc.dictionary(fc.constantFrom('NAMESPACE', 'A'), name),
      envValueFrom: fc.dictionary(
        fc.constantFrom('B', 'C'),
        fc.oneof(
          fc.record({ secretKeyRef: fc.record({ name, key: name }) }),
          fc.record({ configMapKeyRef: fc.record({ name, key: name }) }),
        ),
      ),
      envFrom: fc.array(
        fc.oneof(
          fc.record({ secretRef: fc.record({ name, optional: fc.boolean() }) }),
          fc.record({ configMapRef: fc.record({ name }) }),
        ),
        { maxLength: 2 },
      ),
      files: fc.oneof(
        fc.constant([]),
        name.map((secret) => [{ path: '/files', secret }]),
        name.map((configMap) => [{ path: '/files', configMap }]),
      ),
      ingress: fc.record({ host: fc.constant('b.example.com'), className: name, tlsSecret: name }),
      podMetadata: fc.record({ annotations: fc.dictionary(fc.constantFrom('namespace', 'x/y'), name) }),
      deletionPolicy: fc.constantFrom('Delete', 'Orphan', 'WaitForTermination'),
    }),
  )

  it(
    'an operator that watches namespace a sends no request to another, whatever an app says',
    { timeout: 300_000 },
    async () => {
      await withAccount(['a'], async (cluster, account) => {
        await cluster.client.create(Namespace, { metadata: { name: 'b' } })
        const ran = { accepted: 0, refused: 0 }
        account.paths.length = 0
        let count = 0
        await fc.assert(
          fc.asyncProperty(spec, async ([image, fields]) => {
            const key = { namespace: 'a', name: `app${count++}` }
            const annotations = { namespace: 'b', 'coxswain.dev/namespace': 'b' }
            try {
              await cluster.apply({
                apiVersion: WebApp.apiVersion,
                kind: WebApp.kind,
                metadata: { ...key, annotations },
                spec: { image, ...fields },
              } as never)
              ran.accepted++
            } catch {
              ran.refused++
              return
            }
            await cluster.advance(5_000)
            await cluster.client.delete(WebApp, key)
            await cluster.advance(60_000)
          }),
          { numRuns: isLong ? 1_000 : 120, seed: 4 },
        )
        expect(ran.accepted).toBeGreaterThan(50)
        const outside = account.paths.filter((path) => {
          const { pathname } = new URL(path, 'http://server')
          // A normalised path that differs has dot segments.
          if (pathname !== path.split('?')[0]) return true
          const namespace = /\/namespaces\/([^/]*)/.exec(pathname)?.[1]
          return namespace === undefined ? /^\/apis?\/([^/]+\/)?v\d\w*\/./.test(pathname) : namespace !== 'a'
        })
        expect(outside).toEqual([])
        expect((await cluster.client.list(Service, { namespace: 'b' })).items).toEqual([])
      })
    },
  )
})
