/** Cells that are computed from several fields: pods, services, ingresses, jobs, events. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { cells } from './index.ts'

const now = Date.parse('2026-01-01T12:00:00Z')
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString().replace('.000', '')

function row(resource: string, object: JsonObject): unknown[] {
  const metadata = { name: 'x', creationTimestamp: ago(90), ...(object.metadata as JsonObject | undefined) }
  return cells[resource]?.({ ...object, metadata }, now) ?? []
}

function pod(status: JsonObject, spec: JsonObject = {}, metadata: JsonObject = {}): unknown[] {
  const containers = [{ name: 'c' }, { name: 'd' }]
  return row('pods', { metadata, spec: { containers, ...spec }, status }).slice(1, 4)
}

const running = { name: 'c', ready: true, restartCount: 0, state: { running: {} } }
const waiting = (reason: string) => ({
  name: 'd',
  ready: false,
  restartCount: 2,
  state: { waiting: { reason } },
})
const ended = (name: string, exitCode: number, extra: JsonObject = {}) => ({
  name,
  ready: false,
  restartCount: 0,
  state: { terminated: { exitCode, ...extra } },
})

describe('pods', () => {
  it.each<[string, unknown[], unknown[]]>([
    ['new', pod({ phase: 'Pending' }), ['0/2', 'Pending', '0']],
    [
      'running',
      pod({ phase: 'Running', containerStatuses: [running, { ...running, name: 'd' }] }),
      ['2/2', 'Running', '0'],
    ],
    [
      'crashing',
      pod({ phase: 'Running', containerStatuses: [running, waiting('CrashLoopBackOff')] }),
      ['1/2', 'CrashLoopBackOff', '2'],
    ],
    [
      'done',
      pod({ phase: 'Succeeded', containerStatuses: [ended('c', 0, { reason: 'Completed' })] }),
      ['0/2', 'Completed', '0'],
    ],
    ['failed', pod({ phase: 'Failed', containerStatuses: [ended('c', 7)] }), ['0/2', 'ExitCode:7', '0']],
    ['killed', pod({ phase: 'Failed', containerStatuses: [ended('c', 0, { signal: 9 })] }), ['0/2', 'Signal:9', '0']],
    ['evicted', pod({ phase: 'Failed', reason: 'Evicted' }), ['0/2', 'Evicted', '0']],
    [
      'gated',
      pod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] }),
      ['0/2', 'SchedulingGated', '0'],
    ],
    ['deleted', pod({ phase: 'Running' }, {}, { deletionTimestamp: ago(1) }), ['0/2', 'Terminating', '0']],
    ['lost', pod({ phase: 'Running', reason: 'NodeLost' }, {}, { deletionTimestamp: ago(1) }), ['0/2', 'Unknown', '0']],
    [
      'initialising',
      pod(
        { phase: 'Pending', initContainerStatuses: [ended('i', 0), waiting('PodInitializing')] },
        { initContainers: [{ name: 'i' }, { name: 'd' }] },
      ),
      ['0/2', 'Init:1/2', '2'],
    ],
    [
      'failing to initialise',
      pod({ phase: 'Pending', initContainerStatuses: [ended('i', 3)] }, { initContainers: [{ name: 'i' }] }),
      ['0/2', 'Init:ExitCode:3', '0'],
    ],
    [
      'with a sidecar',
      pod(
        {
          phase: 'Running',
          initContainerStatuses: [{ ...running, name: 's', started: true }],
          containerStatuses: [running],
        },
        { initContainers: [{ name: 's', restartPolicy: 'Always' }] },
      ),
      ['2/3', 'Running', '0'],
    ],
    [
      'with a sidecar behind one that waits, which does not count',
      pod(
        {
          phase: 'Running',
          conditions: [{ type: 'Initialized', status: 'True' }],
          initContainerStatuses: [waiting('Oh'), { ...running, name: 's', started: true, restartCount: 3 }],
        },
        { initContainers: [{ name: 'd' }, { name: 's', restartPolicy: 'Always' }] },
      ),
      ['0/3', 'Init:Oh', '0'],
    ],
    [
      'restarted',
      pod({
        phase: 'Running',
        containerStatuses: [{ ...running, restartCount: 3, lastState: { terminated: { finishedAt: ago(300) } } }],
      }),
      ['1/2', 'Running', '3 (5m ago)'],
    ],
  ])('%s', (_, given, expected) => {
    expect(given).toEqual(expected)
  })
})

describe('services', () => {
  const service = (spec: JsonObject, status: JsonObject = {}) => {
    const ips = spec.clusterIP === undefined ? {} : { clusterIPs: [spec.clusterIP] }
    return row('services', { spec: { ...spec, ...ips }, status }).slice(1, 5)
  }
  it.each<[string, unknown[], unknown[]]>([
    [
      'cluster',
      service({ type: 'ClusterIP', clusterIP: '10.0.0.1', ports: [{ port: 80, protocol: 'TCP' }] }),
      ['ClusterIP', '10.0.0.1', '<none>', '80/TCP'],
    ],
    ['headless', service({ type: 'ClusterIP', clusterIP: 'None' }), ['ClusterIP', 'None', '<none>', '<none>']],
    [
      'node port',
      service({
        type: 'NodePort',
        clusterIP: '10.0.0.1',
        ports: [{ port: 80, nodePort: 30001, protocol: 'UDP' }],
      }),
      ['NodePort', '10.0.0.1', '<none>', '80:30001/UDP'],
    ],
    [
      'balancer to come',
      service({ type: 'LoadBalancer', clusterIP: '10.0.0.1' }),
      ['LoadBalancer', '10.0.0.1', '<pending>', '<none>'],
    ],
    [
      'balancer',
      service(
        { type: 'LoadBalancer', clusterIP: '10.0.0.1' },
        { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'h' }] } },
      ),
      ['LoadBalancer', '10.0.0.1', '1.2.3.4,h', '<none>'],
    ],
    ['name', service({ type: 'ExternalName', externalName: 'a.b' }), ['ExternalName', '<none>', 'a.b', '<none>']],
    [
      'external addresses',
      service({ type: 'ClusterIP', clusterIP: '10.0.0.1', externalIPs: ['9.9.9.9'] }),
      ['ClusterIP', '10.0.0.1', '9.9.9.9', '<none>'],
    ],
  ])('%s', (_, given, expected) => {
    expect(given).toEqual(expected)
  })
})

describe('others', () => {
  it('cells of other kinds: deployments', () => {
    const spec = {
      replicas: 3,
      selector: { matchLabels: { a: 'b' } },
      template: { spec: { containers: [{ name: 'c', image: 'i' }] } },
    }
    expect(
      row('deployments.apps', {
        spec,
        status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
      }),
    ).toEqual(['x', '1/3', 2, 1, '90s', 'c', 'i', 'a=b'])
  })

  it('cells of other kinds: jobs', () => {
    const job = (status: JsonObject, spec: JsonObject = { completions: 2 }) =>
      row('jobs.batch', { spec, status }).slice(1, 4)
    expect(job({})).toEqual(['Running', '0/2', ''])
    expect(job({ succeeded: 1, startTime: ago(60) })).toEqual(['Running', '1/2', '60s'])
    const complete = [{ type: 'Complete', status: 'True' }]
    expect(job({ succeeded: 2, startTime: ago(60), completionTime: ago(30), conditions: complete })).toEqual([
      'Complete',
      '2/2',
      '30s',
    ])
    expect(job({ conditions: [{ type: 'Failed', status: 'True' }] })).toEqual(['Failed', '0/2', ''])
    expect(job({}, { suspend: true, completions: 1 }).at(0)).toBe('Running')
    expect(job({ conditions: [{ type: 'Suspended', status: 'True' }] }).at(0)).toBe('Suspended')
    expect(job({}, { parallelism: 3 }).at(1)).toBe('0/1 of 3')
  })

  it('cells of other kinds: ingresses', () => {
    const host = (name: string) => ({ host: name })
    const ingress = (rules: JsonObject[], tls: JsonObject[] = []) =>
      row('ingresses.networking.k8s.io', {
        spec: { ingressClassName: 'c', rules, tls },
        status: { loadBalancer: {} },
      })
    expect(ingress([]).slice(1, 5)).toEqual(['c', '*', '', '80'])
    expect(ingress([host('a'), host('b')], [{}]).slice(1, 5)).toEqual(['c', 'a,b', '', '80, 443'])
    expect(ingress(['a', 'b', 'c', 'd', 'e'].map(host))[2]).toBe('a,b,c + 2 more...')
  })

  it('cells of other kinds: events', () => {
    const event = { involvedObject: { kind: 'Pod', name: 'p' }, type: 'Normal', reason: 'R', message: 'm\n' }
    expect(row('events', { ...event, lastTimestamp: ago(65), firstTimestamp: ago(300), count: 4 })).toEqual([
      '65s',
      'Normal',
      'R',
      'pod/p',
      '',
      '',
      'm',
      '5m',
      4,
      'x',
    ])
  })

  it('cells of other kinds: nodes', () => {
    const node = (conditions: JsonObject[], spec: JsonObject = {}) => row('nodes', { spec, status: { conditions } })[1]
    expect(node([])).toBe('Unknown')
    expect(node([{ type: 'Ready', status: 'True' }])).toBe('Ready')
    expect(node([{ type: 'Ready', status: 'False' }], { unschedulable: true })).toBe('NotReady,SchedulingDisabled')
    expect(
      node([
        { type: 'Ready', status: 'True' },
        { type: 'Ready', status: 'False' },
      ]),
    ).toBe('NotReady')
    const addresses = [{ type: 'InternalIP', address: '' }]
    expect(row('nodes', { status: { addresses } }).slice(5, 7)).toEqual(['', '<none>'])
  })

  it('cells of other kinds: claims', () => {
    const claim = (spec: JsonObject) => row('persistentvolumeclaims', { spec })[6]
    expect([claim({}), claim({ volumeAttributesClassName: '' }), claim({ volumeAttributesClassName: 'c' })]).toEqual([
      '<unset>',
      '',
      'c',
    ])
  })

  it('cells of other kinds: autoscalers', () => {
    const metrics = [{ type: 'Pods', pods: { target: { averageValue: '5' } } }]
    const shown = (currentMetrics: JsonObject[]) =>
      row('horizontalpodautoscalers.autoscaling', { spec: { metrics }, status: { currentMetrics } })[2]
    expect(shown([])).toBe('<unknown>/5')
    expect(shown([{ type: 'Pods', pods: { current: {} } }])).toBe('<nil>/5')
    expect(shown([{ type: 'Pods', pods: { current: { averageValue: '3' } } }])).toBe('3/5')
  })
})
