import { afterEach, describe, expect, it } from 'vitest'
import { Deployment, HorizontalPodAutoscaler, Pod, type Live } from '../../index.ts'
import { embedded, type Embedded, type EmbeddedOptions } from '../../testing/index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(options: EmbeddedOptions = {}): Promise<Embedded> {
  const cluster = await embedded({ nodes: 1, ...options })
  running.push(cluster)
  return cluster
}

const key = { namespace: 'default', name: 'web' }
const web = (replicas: number, annotations: Record<string, string> = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: key,
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' }, annotations },
      spec: { containers: [{ name: 'web', image: 'web', resources: { requests: { cpu: '200m', memory: '64Mi' } } }] },
    },
  },
})
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})
const scaler = (spec: object = {}, annotations: Record<string, string> = {}) => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { ...key, annotations },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 10,
    metrics: [cpu(50)],
    ...spec,
  },
})
const get = ({ client }: Embedded): Promise<Live<HorizontalPodAutoscaler>> => client.get(HorizontalPodAutoscaler, key)
const replicas = async ({ client }: Embedded): Promise<number | undefined> =>
  (await client.get(Deployment, key)).spec?.replicas
const conditions = async (cluster: Embedded): Promise<string[]> =>
  ((await get(cluster)).status?.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason ?? ''}`)

/** Sets the CPU usage of each pod. */
async function use({ client }: Embedded, used: string): Promise<void> {
  for (const pod of (await client.list(Pod, { namespace: 'default' })).items) {
    await client.patch(
      Pod,
      { namespace: 'default', name: pod.metadata.name },
      { type: 'merge', patch: { metadata: { annotations: { 'coxswain.dev/cpu': used } } } },
    )
  }
}

describe('an autoscaler', () => {
  it('an autoscaler scales up above the target, and down after five quiet minutes', async () => {
    const cluster = await start()
    await cluster.apply(web(2, { 'coxswain.dev/cpu': '180m' }), scaler())
    await cluster.advance(16_000)
    expect(await replicas(cluster)).toBe(4)
    await cluster.advance(60_000)
    expect(await replicas(cluster)).toBe(10)
    await cluster.advance(30_000)
    const { status } = await get(cluster)
    expect(status).toMatchObject({
      currentReplicas: 10,
      desiredReplicas: 10,
      currentMetrics: [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 90, averageValue: '180m' } } },
      ],
    })
    expect(status?.conditions?.find(({ type }) => type === 'ScalingLimited')).toMatchObject({
      status: 'True',
      reason: 'TooManyReplicas',
      message: 'the desired replica count is more than the maximum replica count',
    })
    await use(cluster, '10m')
    await cluster.advance(240_000)
    expect(await replicas(cluster)).toBe(10)
    expect(await conditions(cluster)).toContain('AbleToScale True ScaleDownStabilized')
    await cluster.advance(120_000)
    expect(await replicas(cluster)).toBe(1)
    const events = await cluster.events({ metadata: key })
    expect(events.filter(({ reason }) => reason === 'SuccessfulRescale').map(({ message }) => message)).toEqual([
      'New size: 4; reason: cpu resource utilization (percentage of request) above target',
      'New size: 8; reason: cpu resource utilization (percentage of request) above target',
      'New size: 10; reason: cpu resource utilization (percentage of request) above target',
      'New size: 1; reason: All metrics below target',
    ])
  })

  it('an autoscaler is at rest when nothing changes, whether it scales or cannot', async () => {
    const cluster = await start()
    await cluster.apply(web(2, { 'coxswain.dev/cpu': '100m' }), scaler())
    await cluster.settle()
    await cluster.apply({
      ...scaler(),
      metadata: { namespace: 'default', name: 'broken' },
      spec: { ...scaler().spec, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'absent' } },
    })
    await cluster.settle()
    const pods = async (): Promise<string> =>
      JSON.stringify([
        await get(cluster),
        (await cluster.client.list(Pod)).items,
        await cluster.events({ metadata: { namespace: 'default', name: 'broken' } }),
      ])
    const before = await pods()
    await cluster.advance(600_000)
    expect(await pods()).toBe(before)
    expect(await conditions(cluster)).toEqual([
      'AbleToScale True ReadyForNewScale',
      'ScalingActive True ValidMetricFound',
      'ScalingLimited False DesiredWithinRange',
    ])
  })

  it('an autoscaler says why it cannot know', async () => {
    const cluster = await start({ metricsApi: false })
    await cluster.apply(web(2), scaler())
    await cluster.advance(30_000)
    const text =
      'failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from ' +
      'resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)'
    const { status } = await get(cluster)
    expect(status?.conditions?.find(({ type }) => type === 'ScalingActive')).toMatchObject({
      status: 'False',
      reason: 'FailedGetResourceMetric',
      message: `the HPA was unable to compute the replica count: ${text}`,
    })
    expect(
      (await cluster.events({ metadata: key }))
        .filter(({ type }) => type === 'Warning')
        .map(({ reason, message }) => [reason, message]),
    ).toEqual([
      ['FailedGetResourceMetric', text],
      [
        'FailedComputeMetricsReplicas',
        `invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${text}`,
      ],
    ])
    expect(await replicas(cluster)).toBe(2)
  })

  it('an autoscaler says why it cannot scale', async () => {
    const cluster = await start()
    await cluster.apply(scaler())
    await cluster.advance(16_000)
    expect((await get(cluster)).status?.conditions).toMatchObject([
      {
        type: 'AbleToScale',
        status: 'False',
        reason: 'FailedGetScale',
        message: 'the HPA controller was unable to get the target\'s current scale: deployments.apps "web" not found',
      },
    ])
    expect(await cluster.events({ metadata: key })).toMatchObject([
      { type: 'Warning', reason: 'FailedGetScale', message: 'deployments.apps "web" not found' },
    ])
    await cluster.apply(scaler({ scaleTargetRef: { apiVersion: 'example.dev/v1', kind: 'Nothing', name: 'web' } }))
    await cluster.advance(16_000)
    expect((await get(cluster)).status?.conditions?.[0]?.message).toContain(
      'no matches for kind "Nothing" in group "example.dev"',
    )
  })

  it('an autoscaler applies its bounds before any metric, and ignores what is scaled to zero', async () => {
    const cluster = await start()
    await cluster.apply(web(1), scaler({ minReplicas: 3 }))
    await cluster.advance(16_000)
    expect(await replicas(cluster)).toBe(3)
    await cluster.apply(web(12))
    await cluster.advance(16_000)
    expect(await replicas(cluster)).toBe(10)
    await cluster.apply(web(0))
    await cluster.advance(16_000)
    expect(await replicas(cluster)).toBe(0)
    expect(await conditions(cluster)).toContain('ScalingActive False ScalingDisabled')
    expect(
      (await cluster.events({ metadata: key }))
        .filter(({ reason }) => reason === 'SuccessfulRescale')
        .map(({ message }) => message),
    ).toEqual([
      'New size: 3; reason: Current number of replicas below Spec.MinReplicas',
      'New size: 10; reason: Current number of replicas above Spec.MaxReplicas',
    ])
  })

  it('an autoscaler goes by the metric that asks for most, of every type there is', async () => {
    const cluster = await start()
    await cluster.apply(
      web(2, { 'coxswain.dev/cpu': '100m', 'coxswain.dev/memory.web': '96Mi', 'coxswain.dev/metric.requests': '15' }),
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { ...key, annotations: { 'coxswain.dev/metric.hits': '50' } },
        spec: { ports: [{ port: 80 }] },
      } as never,
      scaler(
        {
          metrics: [
            cpu(50),
            {
              type: 'ContainerResource',
              containerResource: {
                name: 'memory',
                container: 'web',
                target: { type: 'AverageValue', averageValue: '64Mi' },
              },
            },
            {
              type: 'Pods',
              pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '15' } },
            },
            {
              type: 'Object',
              object: {
                describedObject: { apiVersion: 'v1', kind: 'Service', name: 'web' },
                metric: { name: 'hits' },
                target: { type: 'Value', value: '50' },
              },
            },
            {
              type: 'External',
              external: {
                metric: { name: 'lag', selector: { matchLabels: { queue: 'a' } } },
                target: { type: 'AverageValue', averageValue: '5' },
              },
            },
          ],
        },
        { 'coxswain.dev/metric.lag': '20' },
      ),
    )
    await cluster.advance(16_000)
    expect(await replicas(cluster)).toBe(4)
    const { status } = await get(cluster)
    expect(status?.currentMetrics).toEqual([
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 50, averageValue: '100m' } } },
      {
        type: 'ContainerResource',
        containerResource: { name: 'memory', container: 'web', current: { averageValue: '96Mi' } },
      },
      { type: 'Pods', pods: { metric: { name: 'requests' }, current: { averageValue: '15' } } },
      {
        type: 'Object',
        object: {
          describedObject: { apiVersion: 'v1', kind: 'Service', name: 'web' },
          metric: { name: 'hits' },
          current: { value: '50' },
        },
      },
      {
        type: 'External',
        external: {
          metric: { name: 'lag', selector: { matchLabels: { queue: 'a' } } },
          current: { averageValue: '10' },
        },
      },
    ])
    expect(status?.conditions?.find(({ type }) => type === 'ScalingActive')?.message).toBe(
      'the HPA was able to successfully calculate a replica count from external metric ' +
        'lag(&LabelSelector{MatchLabels:map[string]string{queue: ' +
        'a,},MatchExpressions:[]LabelSelectorRequirement{},})',
    )
  })

  it('an autoscaler does not take away while one of its metrics is missing, but adds', async () => {
    const cluster = await start()
    const external = { type: 'External', external: { metric: { name: 'lag' }, target: { type: 'Value', value: '5' } } }
    await cluster.apply(web(4, { 'coxswain.dev/cpu': '10m' }), scaler({ metrics: [cpu(50), external] }))
    await cluster.advance(400_000)
    expect(await replicas(cluster)).toBe(4)
    expect((await get(cluster)).status?.conditions?.find(({ type }) => type === 'ScalingActive')).toMatchObject({
      status: 'False',
      reason: 'FailedGetExternalMetric',
    })
    await use(cluster, '200m')
    await cluster.advance(16_000)
    expect(await replicas(cluster)).toBe(8)
  })

  it('an autoscaler does not share pods with another', async () => {
    const cluster = await start()
    await cluster.apply(web(2, { 'coxswain.dev/cpu': '200m' }), scaler(), {
      ...scaler(),
      metadata: { namespace: 'default', name: 'too' },
    } as never)
    await cluster.advance(40_000)
    expect((await get(cluster)).status?.conditions?.find(({ type }) => type === 'ScalingActive')).toMatchObject({
      status: 'False',
      reason: 'AmbiguousSelector',
      message: 'pods by selector app=web are controlled by multiple HPAs: [{too default} {web default}]',
    })
  })

  it('an autoscaler goes by metrics that a test gives', async () => {
    let used = 100
    const cluster = await start({
      metrics: {
        resource: async ({ pods, now }) =>
          new Map(pods.map(({ metadata }) => [metadata.name, { value: used, time: now, window: 0 }])),
        pods: () => Promise.reject(new Error('none')),
        object: () => Promise.reject(new Error('none')),
        external: () => Promise.reject(new Error('none')),
      },
    })
    await cluster.apply(web(2), scaler())
    await cluster.advance(31_000)
    expect(await replicas(cluster)).toBe(2)
    used = 150
    await cluster.advance(16_000)
    expect(await replicas(cluster)).toBe(3)
  })
})
