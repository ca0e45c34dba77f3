import { parseAllDocuments } from 'yaml'
import { describe, expect, it } from 'vitest'
import { operator } from '../operator/operator.ts'
import { controller } from '../controller/builder.ts'
import { Deployment, Namespace, Pod, type ClusterRole, type Role, type Service } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import type { ObjectOf } from '../schema/kind.ts'
import { embedded } from '../cluster/embedded.ts'
import type { Manifests } from './manifests.ts'
import { Shop, webhooks } from '../webhooks/testdata/shop.ts'
import guestbook, { Guestbook } from './testdata/guestbook.ts'

function found<T>({ objects }: Manifests, kind: string, name: string, namespace?: string): T {
  const object = objects.find(
    (each) => each.kind === kind && each.metadata.name === name && each.metadata.namespace === namespace,
  )
  if (object === undefined)
    throw new Error(
      `no ${kind} ${name} among ${objects.map((each) => `${each.kind} ${each.metadata.name}`).join(', ')}`,
    )
  return object as unknown as T
}

const reading = ['get', 'list', 'watch']

/** Of the callers of /metrics. */
const reviews = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
]

describe('roles', () => {
  it('generated roles grant what the controllers declare, and nothing more', async () => {
    const { rules } = found<ClusterRole>(await guestbook.manifests(), 'ClusterRole', 'guestbook-operator')
    expect(rules).toEqual([
      { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: reading },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      { apiGroups: [''], resources: ['services'], verbs: [...reading, 'create', 'patch', 'delete'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: [...reading, 'create', 'patch'] },
      ...reviews,
      { apiGroups: ['example.dev'], resources: ['guestbooks'], verbs: [...reading, 'patch'] },
      { apiGroups: ['example.dev'], resources: ['guestbooks/finalizers'], verbs: ['update'] },
      { apiGroups: ['example.dev'], resources: ['guestbooks/status'], verbs: ['patch'] },
    ])
  })

  it('generated roles grant the lease where the operator is, and by its name', async () => {
    const { rules } = found<Role>(await guestbook.manifests(), 'Role', 'guestbook-operator', 'guestbook-system')
    expect(rules).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['guestbook'],
        verbs: ['get', 'update'],
      },
    ])
  })

  it('generated roles grant the leases of shards, and those by which copies show that they live', async () => {
    const sharing = operator({ name: 'guestbook', controllers: guestbook.controllers, defaults: { shards: '2' } })
    expect(found<Role>(await sharing.manifests(), 'Role', 'guestbook-operator', 'guestbook-system').rules).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list', 'create', 'patch', 'delete'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['guestbook-0', 'guestbook-1'],
        verbs: ['get', 'update'],
      },
    ])
  })

  it('generated roles are of namespaces where the operator looks at namespaces only', async () => {
    const manifests = await guestbook.manifests({ namespace: 'ops', namespaces: ['shop', 'ops'] })
    const kinds = manifests.objects
      .filter(({ kind }) => /Role/.test(kind ?? ''))
      .map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name].filter(Boolean).join(' '))
    expect(kinds).toEqual([
      'ClusterRole guestbook-operator',
      'ClusterRoleBinding guestbook-operator',
      'Role ops guestbook-operator',
      'RoleBinding ops guestbook-operator',
      'Role shop guestbook-operator',
      'RoleBinding shop guestbook-operator',
      'ClusterRole guestbook-edit',
      'ClusterRole guestbook-view',
      'ClusterRole guestbook-metrics-reader',
    ])
    expect(found<ClusterRole>(manifests, 'ClusterRole', 'guestbook-operator').rules).toEqual(reviews)
    const inShop = found<Role>(manifests, 'Role', 'guestbook-operator', 'shop').rules
    const inOps = found<Role>(manifests, 'Role', 'guestbook-operator', 'ops').rules
    expect(inShop).toContainEqual({
      apiGroups: ['apps'],
      resources: ['deployments'],
      verbs: [...reading, 'create', 'patch'],
    })
    expect(inShop?.some(({ resources }) => resources?.includes('leases'))).toBe(false)
    expect(inOps).toEqual(expect.arrayContaining(inShop as object[]))
    expect(
      found<ObjectOf<typeof Deployment>>(manifests, 'Deployment', 'guestbook-operator', 'ops').spec?.template.spec
        ?.containers[0]?.args,
    ).toEqual(['--leader-elect', '--namespaces=shop,ops'])
  })

  it('generated roles of a cluster-scoped kind are cluster roles, with events in default', async () => {
    const Realm = resource('example.dev/v1', 'Realm', { scope: 'Cluster', spec: t.object({ a: t.string() }) })
    const realms = operator({
      name: 'realms',
      controllers: [
        controller(Realm)
          .owns(Namespace)
          .watches(Pod, { map: () => [], informer: { namespaces: ['kube-system'] } })
          .reconcile(() => undefined),
      ],
      defaults: {
        namespaces: 'shop',
        'wait-for': 'crd/others.example.dev, http://x',
        'leader-election-id': 'realm-lease',
        'graceful-shutdown-timeout': '2m',
      },
      access: [{ kind: Pod, subresource: 'eviction', verbs: ['create'] }],
    })
    const manifests = await realms.manifests()
    expect(found<ClusterRole>(manifests, 'ClusterRole', 'realms-operator').rules).toEqual([
      { apiGroups: [''], resources: ['namespaces'], verbs: [...reading, 'create', 'patch'] },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        resourceNames: ['others.example.dev'],
        verbs: ['get'],
      },
      ...reviews,
      { apiGroups: ['example.dev'], resources: ['realms'], verbs: reading },
      { apiGroups: ['example.dev'], resources: ['realms/finalizers'], verbs: ['update'] },
    ])
    expect(found<Role>(manifests, 'Role', 'realms-operator', 'default').rules).toEqual([
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    ])
    expect(found<Role>(manifests, 'Role', 'realms-operator', 'kube-system').rules).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: reading },
    ])
    expect(found<Role>(manifests, 'Role', 'realms-operator', 'shop').rules).toContainEqual({
      apiGroups: [''],
      resources: ['pods/eviction'],
      verbs: ['create'],
    })
    expect(found<Role>(manifests, 'Role', 'realms-operator', 'realms-system').rules?.[1]?.resourceNames).toEqual([
      'realm-lease',
    ])
    expect(
      found<ObjectOf<typeof Deployment>>(manifests, 'Deployment', 'realms-operator', 'realms-system').spec?.template
        .spec?.terminationGracePeriodSeconds,
    ).toBe(135)
  })
})

describe('webhooks', () => {
  it('generated manifests of webhooks have a Service, and a Secret for their certificates', async () => {
    const shops = operator({ name: 'shop', controllers: [controller(Shop).reconcile(() => undefined)], webhooks })
    const manifests = await shops.manifests({ namespace: 'ops' })
    const clientConfig = (path: string) => ({ service: { name: 'shop-webhooks', namespace: 'ops', path, port: 443 } })
    expect(found(manifests, 'MutatingWebhookConfiguration', 'shop-webhooks')).toMatchObject({
      webhooks: [
        {
          name: 'mutate-example-dev-v1-shop.shop.webhook',
          clientConfig: clientConfig('/mutate-example-dev-v1-shop'),
          timeoutSeconds: 5,
          failurePolicy: 'Fail',
          // An operator that is down does not keep its own pods from starting.
          namespaceSelector: {
            matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['ops'] }],
          },
          reinvocationPolicy: 'Never',
        },
      ],
    })
    expect(found(manifests, 'ValidatingWebhookConfiguration', 'shop-webhooks')).toMatchObject({
      webhooks: [{ clientConfig: clientConfig('/validate-example-dev-v1-shop') }],
    })
    expect(found(manifests, 'CustomResourceDefinition', 'shops.example.dev')).toMatchObject({
      spec: {
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: clientConfig('/convert'), conversionReviewVersions: ['v1'] },
        },
      },
    })
    const service = found<ObjectOf<typeof Service>>(manifests, 'Service', 'shop-webhooks', 'ops')
    const { spec } = found<ObjectOf<typeof Deployment>>(manifests, 'Deployment', 'shop-operator', 'ops')
    expect(service.spec?.selector).toEqual(spec?.selector.matchLabels)
    expect(spec?.template.spec?.containers[0]?.ports).toContainEqual({
      name: service.spec?.ports?.[0]?.targetPort,
      containerPort: 9443,
    })
    expect(found<ClusterRole>(manifests, 'ClusterRole', 'shop-operator').rules).toEqual(
      expect.arrayContaining([
        {
          apiGroups: ['admissionregistration.k8s.io'],
          resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
          resourceNames: ['shop-webhooks'],
          verbs: ['get', 'patch'],
        },
        {
          apiGroups: ['apiextensions.k8s.io'],
          resources: ['customresourcedefinitions'],
          resourceNames: ['shops.example.dev'],
          verbs: ['get', 'patch'],
        },
      ]),
    )
    expect(found<Role>(manifests, 'Role', 'shop-operator', 'ops').rules).toEqual(
      expect.arrayContaining([
        { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['shop-webhooks'], verbs: ['get', 'update'] },
      ]),
    )
    const cluster = await embedded()
    await cluster.apply(...(manifests.objects as Parameters<typeof cluster.apply>))
    await cluster.stop()
  })
})

describe('metrics', () => {
  it('generated manifests of metrics have a Service, a role for readers, and a NetworkPolicy', async () => {
    const shops = operator({ name: 'shop', controllers: [controller(Shop).reconcile(() => undefined)], webhooks })
    const manifests = await shops.manifests({ namespace: 'ops' })
    expect(found<ClusterRole>(manifests, 'ClusterRole', 'shop-metrics-reader').rules).toEqual([
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ])
    const service = found<ObjectOf<typeof Service>>(manifests, 'Service', 'shop-metrics', 'ops')
    const { spec } = found<ObjectOf<typeof Deployment>>(manifests, 'Deployment', 'shop-operator', 'ops')
    expect(service.spec).toEqual({
      selector: spec?.selector.matchLabels,
      ports: [{ name: 'https', port: 8443, targetPort: 'metrics' }],
    })
    expect(spec?.template.spec?.containers[0]?.ports).toContainEqual({ name: 'metrics', containerPort: 8443 })
    expect(found(manifests, 'NetworkPolicy', 'shop-operator', 'ops')).toMatchObject({
      spec: {
        podSelector: { matchLabels: spec?.selector.matchLabels },
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }],
            ports: [{ protocol: 'TCP', port: 'metrics' }],
          },
          { ports: [{ protocol: 'TCP', port: 'webhooks' }] },
        ],
      },
    })
  })

  it.each<[Readonly<Record<string, string>>, readonly string[], boolean]>([
    [{ 'metrics-secure': 'false', 'metrics-bind-address': ':9090' }, ['http 9090'], true],
    [{ 'metrics-bind-address': '127.0.0.1:8080' }, [], false],
    [{ 'metrics-bind-address': '0' }, [], false],
  ])('generated manifests of metrics with %j need no reviews', async (defaults, ports, isReachable) => {
    const maps = operator({ name: 'maps', controllers: [controller(Pod).reconcile(() => undefined)], defaults })
    const { objects } = await maps.manifests()
    expect(JSON.stringify(objects)).not.toMatch(/reviews|metrics-reader/)
    const services = objects.filter(({ kind }) => kind === 'Service') as unknown as Service[]
    const served = services.flatMap(({ spec }) => spec?.ports ?? []).map(({ name, port }) => `${name ?? ''} ${port}`)
    expect(served).toEqual(ports)
    const policy = objects.find(({ kind }) => kind === 'NetworkPolicy') as unknown as {
      readonly spec: { readonly ingress: readonly object[] }
    }
    expect(policy.spec.ingress.length).toBe(isReachable ? 1 : 0)
  })
})

describe('manifests', () => {
  it('generated manifests are the same text each time, and what they say is what they are', async () => {
    const first = await guestbook.manifests()
    expect(await guestbook.manifests()).toEqual(first)
    expect(Object.keys(first.files)).toEqual([
      'crds.yaml',
      'namespace.yaml',
      'network.yaml',
      'roles.yaml',
      'workload.yaml',
    ])
    // `kubectl apply -f FOLDER` applies files in the order of their names.
    expect(Object.keys(first.files).sort()).toEqual(Object.keys(first.files))
    const read = Object.values(first.files).flatMap((text) =>
      parseAllDocuments(text).map((document) => document.toJS() as unknown),
    )
    expect(read).toEqual(JSON.parse(JSON.stringify(first.objects)))
    expect(first.objects[0]).toEqual(Guestbook.crd)
  })

  it('generated manifests run as the strictest pod security wants it, with probes and time to stop', async () => {
    const { spec } = found<ObjectOf<typeof Deployment>>(
      await guestbook.manifests({ image: 'registry.example/guestbook@sha256:0', args: ['--log-level=debug'] }),
      'Deployment',
      'guestbook-operator',
      'guestbook-system',
    )
    const pod = spec?.template.spec
    expect(pod).toMatchObject({
      serviceAccountName: 'guestbook-operator',
      terminationGracePeriodSeconds: 45,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          image: 'registry.example/guestbook@sha256:0',
          args: ['--leader-elect', '--log-level=debug'],
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            readOnlyRootFilesystem: true,
          },
          livenessProbe: { httpGet: { path: '/healthz', port: 'probes' } },
          readinessProbe: { httpGet: { path: '/readyz', port: 'probes' } },
        },
      ],
    })
  })

  it('generated manifests are accepted by a server as they are, field by field', async () => {
    const { objects } = await guestbook.manifests()
    const cluster = await embedded()
    await cluster.apply(...(objects as Parameters<typeof cluster.apply>))
    const stored = await cluster.client.get(Deployment, { namespace: 'guestbook-system', name: 'guestbook-operator' })
    expect(stored.spec?.template.spec?.containers[0]?.image).toBe('guestbook:1.2.3')
    expect(
      (await cluster.client.get(Namespace, { name: 'guestbook-system' })).metadata.labels?.[
        'pod-security.kubernetes.io/enforce'
      ],
    ).toBe('restricted')
    await cluster.stop()
  })

  it('generated manifests need a name that objects can have', () => {
    for (const name of ['Web', '1web', 'web.', '', 'x'.repeat(51)])
      expect(() => operator({ name, controllers: [] })).toThrow('cannot name an operator')
  })
})
