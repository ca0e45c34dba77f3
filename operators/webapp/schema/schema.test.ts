/** The definition of WebApp: what a server stores, refuses and shows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CustomResourceDefinition } from 'coxswain'
import { embedded, type Embedded } from 'coxswain/testing'
import { WebApp, type WebAppInput } from './webapp.ts'

let cluster: Embedded
beforeAll(async () => {
  cluster = await embedded({ crds: [WebApp.crd] })
})
afterAll(() => cluster.stop())

const app = (spec: object, name = 'hello'): WebAppInput => ({
  metadata: { name, namespace: 'default' },
  spec: { image: 'nginx:1.20', ...spec },
})
const rejection = async (object: WebAppInput): Promise<string> => {
  try {
    await cluster.client.create(WebApp, object, { dryRun: true })
    return 'accepted'
  } catch (error) {
    return (error as Error).message.replace(/^.*? is invalid: /, '')
  }
}

describe('an app', () => {
  it('a WebApp needs no more than an image', async () => {
    const { spec, status } = await cluster.client.create(WebApp, app({}, 'plain'))
    expect(spec).toEqual({
      image: 'nginx:1.20',
      port: 80,
      replicas: 1,
      configRollout: 'Auto',
      security: { profile: 'Restricted' },
      topologySpread: 'Preferred',
      terminationGracePeriodSeconds: 30,
      strategy: { type: 'RollingUpdate', minReadySeconds: 0 },
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      service: { type: 'ClusterIP' },
      disruption: { enabled: true, minAvailable: '50%' },
      suspend: false,
      onFailure: 'Hold',
      onFailureRetries: 0,
      deletionPolicy: 'Delete',
      drift: { mode: 'Enforce' },
    })
    expect(status).toEqual({ observedGeneration: -1, phase: 'Pending' })
  })

  it('a WebApp takes a map of env variables, and references beside it', async () => {
    expect(
      await rejection(
        app({
          env: { ENV: 'production' },
          envValueFrom: { PASSWORD: { secretKeyRef: { name: 'db', key: 'password' } } },
        }),
      ),
    ).toBe('accepted')
  })

  it.each([
    [
      { replicas: 2, autoscaling: { max: 3, cpu: 50 } },
      'spec.replicas: Invalid value: replicas and autoscaling exclude each other: leave replicas out',
    ],
    [{ autoscaling: { min: 4, max: 3, cpu: 50 } }, 'spec.autoscaling.min: Invalid value: min is more than max'],
    [
      { autoscaling: { max: 3 } },
      'spec.autoscaling: Invalid value: give cpu, memory or both: there is nothing to scale by',
    ],
    [
      { env: { A: '1' }, envValueFrom: { A: { fieldRef: { fieldPath: 'metadata.name' } } } },
      'a variable is in env or in envValueFrom, not in both',
    ],
    [{ env: { '1A': '1' } }, 'begins with no digit'],
    [{ envValueFrom: { A: {} } }, 'exactly one of configMapKeyRef, secretKeyRef and fieldRef'],
    [{ envFrom: [{ prefix: 'a' }] }, 'exactly one of configMapRef and secretRef'],
    [{ files: [{ path: '/a' }] }, 'exactly one of configMap and secret'],
    [{ files: [{ path: 'abc', secret: 's' }] }, 'spec.files[0].path in body should match'],
    [{ ports: [{ name: 'other', port: 80 }] }, 'ports must differ from port, whose name is http'],
    [{ ports: [{ name: 'http', port: 81 }] }, 'ports must differ from port, whose name is http'],
    [{ strategy: { type: 'Recreate', maxSurge: 1 } }, 'maxSurge and maxUnavailable are for RollingUpdate'],
    [{ strategy: { minReadySeconds: 700 } }, 'minReadySeconds must be less than progressDeadlineSeconds'],
    [{ preStopSeconds: 30 }, 'preStopSeconds must be less than terminationGracePeriodSeconds'],
    [
      { drift: { ignore: [{ kind: 'Deployment', fields: ['spec.containers[0]'] }] } },
      'spec.drift.ignore[0].fields[0] in body should match',
    ],
    [{ security: { runAsUser: 0 } }, 'the profile Restricted does not run as root'],
    [
      { probes: { liveness: { httpGet: { port: 80, host: '169.254.169.254' } } } },
      'spec.probes.liveness: Invalid value: a probe is of the pod itself: leave host out',
    ],
    [{ probes: { startup: { tcpSocket: { port: 80, host: 'a' } } } }, 'a probe is of the pod itself'],
    [{ image: '' }, 'spec.image in body should be at least 1 chars long'],
    [{ port: 0 }, 'spec.port in body should be greater than or equal to 1'],
    [{ ingress: { host: 'Not A Host' } }, 'spec.ingress.host in body should match'],
  ])('a WebApp %j is refused: %s', async (spec, message) => {
    expect(await rejection(app(spec))).toContain(message)
  })

  it('a WebApp has a name that a Service can have', async () => {
    const message = 'the name of a WebApp is that of its Service'
    expect(await rejection(app({}, '1st'))).toContain(message)
    expect(await rejection(app({}, 'a.b'))).toContain(message)
    expect(await rejection(app({}, 'a'.repeat(64)))).toContain(message)
    expect(await rejection(app({}, 'a'.repeat(63)))).toBe('accepted')
  })

  it('a WebApp accepts everything at once', async () => {
    expect(
      await rejection(
        app({
          imagePullPolicy: 'Always',
          imagePullSecrets: [{ name: 'a' }],
          command: ['a'],
          args: ['b'],
          ports: [{ name: 'metrics', port: 9090 }],
          envFrom: [{ secretRef: { name: 'a', optional: true }, prefix: 'A_' }],
          files: [{ path: '/etc/app', configMap: 'a' }],
          configRollout: 'Manual',
          resources: { requests: { cpu: '100m' } },
          probes: { liveness: { httpGet: { port: 'http', path: '/live' } } },
          security: { profile: 'Baseline', runAsUser: 0 },
          serviceAccountName: 'a',
          topologySpread: 'Off',
          preStopSeconds: 5,
          podMetadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
          autoscaling: {
            max: 3,
            cpu: 50,
            behavior: {
              scaleDown: { stabilizationWindowSeconds: 60, policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] },
            },
          },
          strategy: { maxSurge: '50%', maxUnavailable: 0 },
          service: { type: 'LoadBalancer', port: 443, annotations: { a: 'b' } },
          ingress: { host: '*.example.com', path: '/app', className: 'nginx', tlsSecret: 'tls' },
          disruption: { enabled: true, minAvailable: 1 },
          onFailure: 'Rollback',
          deletionPolicy: 'Orphan',
          drift: {
            mode: 'Warn',
            ignore: [{ kind: 'Service', fields: ["metadata.annotations['a.b/c']", 'spec.type'] }],
          },
        }),
      ),
    ).toBe('accepted')
  })

  it('a WebApp can be found by phase and image, and shows its columns', async () => {
    await cluster.client.create(WebApp, app({ image: 'other:1' }, 'other'))
    await cluster.client.patch(
      WebApp,
      { namespace: 'default', name: 'other' },
      { type: 'merge', patch: { status: { phase: 'Running' } } },
      { subresource: 'status' },
    )
    const names = async (fieldSelector: string) =>
      (await cluster.client.list(WebApp, { fieldSelector })).items.map(({ metadata }) => metadata.name)
    expect(await names('status.phase=Running')).toEqual(['other'])
    expect(await names('spec.image=other:1')).toEqual(['other'])
    const columns = (WebApp.crd.spec.versions[0]?.additionalPrinterColumns ?? []).map(
      ({ name, priority = 0 }) => `${name}${priority > 0 ? ' (wide)' : ''}`,
    )
    expect(columns).toEqual([
      'Phase',
      'Ready',
      'Available',
      'Desired',
      'Image',
      'URL',
      'Age',
      'Reason (wide)',
      'Message (wide)',
      'Revision (wide)',
    ])
    expect(
      (await cluster.client.get(CustomResourceDefinition, { name: 'webapps.coxswain.dev' })).spec.names.shortNames,
    ).toEqual(['wa'])
  })
})
