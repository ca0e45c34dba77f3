/** What only pods have: QoS class, grace period, and fields that a status update keeps. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { WriteContext } from '../../contract/resource.ts'
import { pod } from './index.ts'
import { qosClass } from '../shared/qos.ts'

const context = {} as WriteContext

function withResources(...containers: JsonObject[]): JsonObject {
  return { containers: containers.map((resources) => ({ resources })) }
}

describe('quality of service', () => {
  const all = { cpu: '1', memory: '1Gi' }
  it.each([
    ['nothing', withResources({}), 'BestEffort'],
    ['zero', withResources({ requests: { cpu: '0' } }), 'BestEffort'],
    ['only what does not count', withResources({ requests: { 'ephemeral-storage': '1Gi' } }), 'BestEffort'],
    ['requests', withResources({ requests: { cpu: '1' } }), 'Burstable'],
    ['limits of all and as many requests', withResources({ limits: all, requests: all }), 'Guaranteed'],
    [
      'the same in other words',
      withResources({ limits: all, requests: { cpu: '1000m', memory: '1024Mi' } }),
      'Guaranteed',
    ],
    ['fewer requests', withResources({ limits: all, requests: { ...all, cpu: '500m' } }), 'Burstable'],
    ['a container without', withResources({ limits: all, requests: all }, {}), 'Burstable'],
    ['the pod as a whole', { resources: { limits: all, requests: all }, containers: [{}] }, 'Guaranteed'],
  ])('quality of service of a pod: %s', (_, spec, expected) => {
    expect(qosClass(spec as JsonObject)).toBe(expected)
  })
})

describe('grace', () => {
  const grace = (spec: JsonObject, phase: string, requested?: number) =>
    pod.gracePeriod?.({ metadata: {}, spec, status: { phase } }, requested)

  it('the grace period of a pod is none for pods that no node runs', () => {
    expect(grace({ terminationGracePeriodSeconds: 30 }, 'Pending')).toBe(0)
    expect(grace({ terminationGracePeriodSeconds: 30 }, 'Pending', 60)).toBe(0)
  })

  it('the grace period of a pod is none for pods that have run', () => {
    const spec = { nodeName: 'n', terminationGracePeriodSeconds: 30 }
    expect([grace(spec, 'Succeeded'), grace(spec, 'Failed', 5)]).toEqual([0, 0])
  })

  it('the grace period of a pod is what the client asks for, else what the pod says', () => {
    const spec = { nodeName: 'n', terminationGracePeriodSeconds: 30 }
    expect([grace(spec, 'Running'), grace(spec, 'Running', 5), grace(spec, 'Running', 0)]).toEqual([30, 5, 0])
    expect(grace({ ...spec, terminationGracePeriodSeconds: -3 }, 'Running')).toBe(1)
  })
})

describe('a write to status', () => {
  it('a write to the status of a pod keeps what old clients leave out', () => {
    const old: KubeObject = { metadata: {}, status: { qosClass: 'Burstable', observedGeneration: 3 } }
    const object: KubeObject = { metadata: {}, status: { phase: 'Running' } }
    pod.prepareForStatusUpdate?.(object, old, context)
    expect(object.status).toEqual({ phase: 'Running', qosClass: 'Burstable', observedGeneration: 3 })
  })

  it('a write to the status of a pod does not bring ended containers back to life', () => {
    const status = (state: JsonObject): JsonObject => ({ containerStatuses: [{ name: 'c', state }] })
    const wrong = (restartPolicy: string, exitCode: number) =>
      pod
        .validateStatusUpdate?.(
          { metadata: {}, status: status({ running: {} }) },
          { metadata: {}, spec: { restartPolicy }, status: status({ terminated: { exitCode } }) },
          context,
        )
        .map(({ field }) => field)
    expect(wrong('Always', 1)).toEqual([])
    expect(wrong('OnFailure', 1)).toEqual([])
    expect(wrong('OnFailure', 0)).toEqual(['status.containerStatuses[0].state'])
    expect(wrong('Never', 1)).toEqual(['status.containerStatuses[0].state'])
  })
})

describe('selection', () => {
  const object: KubeObject = {
    metadata: {},
    spec: { nodeName: 'n', hostNetwork: true },
    status: { phase: 'Running', podIPs: [{ ip: '1.2.3.4' }] },
  }
  it.each([
    ['spec.nodeName', 'n'],
    ['spec.hostNetwork', 'true'],
    ['status.podIP', '1.2.3.4'],
    ['status.phase', 'Running'],
    ['spec.schedulerName', ''],
  ])('selection of pods: %s', (field, value) => {
    expect(pod.selectableField?.(object, field)).toBe(value)
  })
})
