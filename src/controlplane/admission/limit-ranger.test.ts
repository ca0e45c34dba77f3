import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { testPlane } from './testdata/plane.ts'

const path = '/api/v1/namespaces/default/limitranges'

async function planeWith(...limits: JsonObject[]) {
  const plane = testPlane()
  expect((await plane.post(path, { metadata: { name: 'l' }, spec: { limits } })).status).toBe(201)
  return plane
}

const container = (name: string, resources: JsonObject) => ({ name, image: 'i:1', resources })

describe('limit ranges', () => {
  it('limit ranges fill in what containers do not say, and report so', async () => {
    const plane = await planeWith({
      type: 'Container',
      default: { cpu: '500m', memory: '1Gi' },
      defaultRequest: { cpu: '100m' },
    })
    const { body } = await plane.pod('p', {
      containers: [container('a', {}), container('b', { requests: { cpu: '50m' } })],
      initContainers: [container('i', {})],
    })
    const spec = body['spec'] as { containers: JsonObject[] }
    expect(spec.containers.map(({ resources }) => resources)).toEqual([
      { limits: { cpu: '500m', memory: '1Gi' }, requests: { cpu: '100m', memory: '1Gi' } },
      { limits: { cpu: '500m', memory: '1Gi' }, requests: { cpu: '50m', memory: '1Gi' } },
    ])
    expect((body['metadata'] as JsonObject)['annotations']).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu, memory request for container a; cpu, memory limit for container a; ' +
        'memory request for container b; cpu, memory limit for container b; ' +
        'cpu, memory request for init container i; cpu, memory limit for init container i',
    })
  })

  it.each([
    [
      'max',
      { type: 'Pod', max: { cpu: '1' } },
      { limits: { cpu: '1100m' } },
      'maximum cpu usage per Pod is 1, but limit is 1100m',
    ],
    ['max, unsaid', { type: 'Pod', max: { cpu: '1' } }, {}, 'maximum cpu usage per Pod is 1.  No limit is specified'],
    [
      'min',
      { type: 'Pod', min: { cpu: '1' } },
      { requests: { cpu: '0.5' } },
      'minimum cpu usage per Pod is 1, but request is 500m',
    ],
    ['min, unsaid', { type: 'Pod', min: { cpu: '1' } }, {}, 'minimum cpu usage per Pod is 1.  No request is specified'],
    [
      'ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      { requests: { cpu: '300m' }, limits: { cpu: '1' } },
      'cpu max limit to request ratio per Container is 2, but provided ratio is 3.333333',
    ],
    [
      'ratio, unsaid',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      {},
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
  ])('limit ranges refuse %s', async (_, limit, resources, message) => {
    const plane = await planeWith(limit)
    const answer = await plane.pod('p', { containers: [container('a', resources)] })
    expect([answer.status, answer.message]).toEqual([403, `pods "p" is forbidden: ${message}`])
  })

  it('limit ranges count sidecars and the greediest init container', async () => {
    const plane = await planeWith({ type: 'Pod', max: { cpu: '1' } })
    const spec = (cpu: string) => ({
      containers: [container('a', { limits: { cpu: '300m' } })],
      initContainers: [
        { ...container('s', { limits: { cpu: '400m' } }), restartPolicy: 'Always' },
        container('i', { limits: { cpu } }),
      ],
    })
    expect((await plane.pod('p', spec('600m'))).status).toBe(201)
    expect((await plane.pod('q', spec('601m'))).message).toContain('but limit is 1001m')
  })

  it('limit ranges bound claims', async () => {
    const plane = await planeWith({ type: 'PersistentVolumeClaim', min: { storage: '2Gi' }, max: { storage: '4Gi' } })
    const claim = (storage: string) =>
      plane.post('/api/v1/namespaces/default/persistentvolumeclaims', {
        metadata: { name: 'c' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
      })
    expect((await claim('1Gi')).message).toContain(
      'minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi',
    )
    expect((await claim('5Gi')).message).toContain(
      'maximum storage usage per PersistentVolumeClaim is 4Gi, but request is 5Gi',
    )
    expect((await claim('3Gi')).status).toBe(201)
  })
})
