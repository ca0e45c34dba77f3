/** What an app wants there to be, as values. */
import { describe, expect, it } from 'vitest'
import type { Deployment, Live } from 'coxswain'
import type { Partially } from 'coxswain/client'
import { WebApp, type WebAppInput } from '../schema/webapp.ts'
import { autoscaler } from './autoscaler.ts'
import { deployment as made } from './deployment.ts'
import { disruptionBudget } from './disruption-budget.ts'
import { ingress } from './ingress.ts'
import { children } from './index.ts'
import { service } from './service.ts'

const app = (spec: Partial<WebAppInput['spec']> = {}): Live<WebApp> =>
  WebApp.defaulted({
    metadata: { name: 'hello', namespace: 'default' },
    spec: { image: 'nginx:1.20', ...spec },
  }) as unknown as Live<WebApp>
const deployment = (
  spec: Partial<WebAppInput['spec']> = {},
  checksum?: string,
): NonNullable<Partially<Deployment>['spec']> => {
  const object = app(spec)
  return made({ app: object, spec: object.spec, checksum }).spec ?? {}
}
/** As it is sent: without what is undefined. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

describe('the Deployment', () => {
  it("the Deployment of an app has the app's image, port, variables and number", () => {
    expect(sent(deployment({ replicas: 3, port: 8080, env: { B: '2', A: '1' } }))).toMatchObject({
      replicas: 3,
      selector: { matchLabels: { 'coxswain.dev/webapp': 'hello' } },
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        spec: {
          containers: [
            {
              name: 'web',
              image: 'nginx:1.20',
              ports: [{ name: 'http', containerPort: 8080 }],
              env: [
                { name: 'A', value: '1' },
                { name: 'B', value: '2' },
              ],
              readinessProbe: { tcpSocket: { port: 'http' } },
            },
          ],
        },
      },
    })
  })

  it('the Deployment of an app is restricted by default, and as the image is when asked', () => {
    const { template } = sent(deployment())
    expect(template?.spec).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      automountServiceAccountToken: false,
    })
    expect(template?.spec?.containers?.[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
    const open = sent(deployment({ security: { profile: 'Baseline' } })).template?.spec
    expect(open?.securityContext).toBeUndefined()
    expect(open?.containers?.[0]?.securityContext).toBeUndefined()
  })

  it('the Deployment of an app says nothing of replicas under an autoscaler', () => {
    expect('replicas' in deployment({ autoscaling: { max: 3, cpu: 50 } })).toBe(false)
  })

  it('the Deployment of an app has a template that depends on nothing but what shapes pods', () => {
    const before = JSON.stringify(deployment({ env: { A: '1', B: '2' } }).template)
    expect(
      JSON.stringify(
        deployment({
          env: { B: '2', A: '1' },
          replicas: 9,
          suspend: true,
          strategy: { type: 'Recreate' },
          service: { port: 1 },
        }).template,
      ),
    ).toBe(before)
    expect(JSON.stringify(deployment({ env: { A: '1', B: '3' } }).template)).not.toBe(before)
    expect(JSON.stringify(deployment({ env: { A: '1', B: '2' } }, 'sum').template)).not.toBe(before)
  })

  it('the Deployment of an app mounts files, and takes variables from elsewhere', () => {
    const spec = sent(
      deployment({
        files: [
          { path: '/a', configMap: 'a' },
          { path: '/b', secret: 'b', optional: true },
        ],
        preStopSeconds: 5,
        envValueFrom: { NODE: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        envFrom: [{ configMapRef: { name: 'a' } }],
      }),
    ).template?.spec
    expect(spec?.volumes).toEqual([
      { name: 'files-0', configMap: { name: 'a', optional: false } },
      { name: 'files-1', secret: { secretName: 'b', optional: true } },
    ])
    expect(spec?.containers?.[0]).toMatchObject({
      volumeMounts: [
        { name: 'files-0', mountPath: '/a', readOnly: true },
        { name: 'files-1', mountPath: '/b', readOnly: true },
      ],
      env: [{ name: 'NODE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } }],
      envFrom: [{ configMapRef: { name: 'a' } }],
      lifecycle: { preStop: { sleep: { seconds: 5 } } },
    })
  })
})

describe('the others', () => {
  it("an app has a Service with the app's port, or its own", () => {
    expect(service(app({ port: 8080, ports: [{ name: 'metrics', port: 9090 }] })).spec?.ports).toEqual([
      { name: 'http', port: 8080, targetPort: 'http', protocol: 'TCP' },
      { name: 'metrics', port: 9090, targetPort: 'metrics', protocol: 'TCP' },
    ])
    expect(service(app({ port: 8080, service: { port: 80 } })).spec?.ports?.[0]?.port).toBe(80)
  })

  it('an app has an Ingress only if the spec asks for it, with TLS if there is a certificate', () => {
    expect(ingress(app())).toBeUndefined()
    expect(ingress(app({ ingress: { host: 'a.b', tlsSecret: 'tls', className: 'nginx' } }))?.spec).toEqual({
      ingressClassName: 'nginx',
      tls: [{ hosts: ['a.b'], secretName: 'tls' }],
      rules: [
        {
          host: 'a.b',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'hello', port: { name: 'http' } } } }],
          },
        },
      ],
    })
  })

  it('an app has an autoscaler by CPU, memory or both', () => {
    expect(autoscaler(app())).toBeUndefined()
    const metrics = autoscaler(app({ autoscaling: { max: 3, cpu: 50, memory: 70 } }))?.spec?.metrics
    expect(metrics?.map((metric) => [metric.resource?.name, metric.resource?.target?.averageUtilization])).toEqual([
      ['cpu', 50],
      ['memory', 70],
    ])
  })

  it('an app has a disruption budget from two pods on', () => {
    expect(disruptionBudget(app())).toBeUndefined()
    expect(disruptionBudget(app({ replicas: 2, disruption: { enabled: false } }))).toBeUndefined()
    expect(disruptionBudget(app({ autoscaling: { min: 1, max: 9, cpu: 50 } }))).toBeUndefined()
    expect(disruptionBudget(app({ replicas: 2 }))?.spec).toEqual({
      minAvailable: '50%',
      selector: { matchLabels: { 'coxswain.dev/webapp': 'hello' } },
    })
  })

  it("all children have the app's name and label, in the order of their creation", () => {
    const object = app({ replicas: 1, autoscaling: { min: 2, max: 3, cpu: 50 }, ingress: { host: 'a.b' } })
    const all = children({ app: object, spec: object.spec })
    expect(all.map(({ kind }) => kind.kind)).toEqual([
      'Deployment',
      'PodDisruptionBudget',
      'HorizontalPodAutoscaler',
      'Service',
      'Ingress',
    ])
    for (const { wanted } of all)
      expect(wanted?.metadata).toMatchObject({ name: 'hello', labels: { 'coxswain.dev/webapp': 'hello' } })
  })
})
