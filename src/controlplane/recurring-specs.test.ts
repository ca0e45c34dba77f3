/** Objects of one template share equal parts of their spec. Apart from speed, clients must see no difference. */
import { afterEach, describe, expect, it } from 'vitest'
import type { FrozenJson, Json, JsonObject } from '../api/json.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { createControlPlane, type ControlPlane, type ControlPlaneOptions } from './control-plane.ts'

const planes: ControlPlane[] = []

afterEach(async () => {
  await Promise.all(planes.splice(0).map((plane) => plane.close()))
})

const core = '/api/v1/namespaces/default'
const apps = '/apis/apps/v1/namespaces/default'

function server(options: ControlPlaneOptions = {}) {
  const plane = createControlPlane({ env: simulatedEnv(), ...options })
  planes.push(plane)
  const api = plane.transport()
  const send = async (method: string, path: string, body?: Json) => {
    const { status, body: answer, headers } = await api({ method, path, ...(body === undefined ? {} : { body }) })
    return { status, body: answer as JsonObject, warning: headers['warning'] }
  }
  return { plane, send }
}

type Send = ReturnType<typeof server>['send']

/** The response without the fields that differ between two objects of one template. */
function common({ status, body, warning }: Awaited<ReturnType<Send>>, name: string): Json {
  const text = JSON.stringify({ status, warning: warning ?? null, body })
    .replaceAll(`"${name}"`, '"NAME"')
    .replaceAll(`\\"${name}\\"`, 'NAME')
  return JSON.parse(
    text.replace(/"uid":"[^"]+"/, '"uid":""').replace(/"resourceVersion":"\d+"/, '"resourceVersion":""'),
  ) as Json
}

const container = { name: 'c', image: 'i:1' }

const specs: Record<string, JsonObject> = {
  plain: { containers: [container] },
  'all kinds of parts': {
    containers: [
      {
        ...container,
        ports: [{ containerPort: 80, name: 'http' }],
        env: [
          { name: 'A', value: 'b' },
          { name: 'F', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
        resources: { requests: { cpu: '1000m', memory: '1024Mi' }, limits: { memory: '1Gi' } },
        readinessProbe: { httpGet: { port: 'http' } },
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
      },
    ],
    initContainers: [{ name: 'init', image: 'i' }],
    volumes: [{ name: 'v', configMap: { name: 'cm' } }, { name: 'w' }],
    tolerations: [{ key: 'k', operator: 'Exists' }],
    nodeSelector: { b: '1', a: '2' },
    serviceAccountName: 'sa',
    securityContext: { runAsUser: 1 },
    imagePullSecrets: [{ name: 's' }],
  },
  'what pods of a name become': {
    containers: [container],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: {},
        matchLabelKeys: ['app'],
      },
    ],
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'zone', labelSelector: {}, matchLabelKeys: ['app'] },
        ],
      },
    },
  },
  'host network': { hostNetwork: true, containers: [{ ...container, ports: [{ containerPort: 80 }] }] },
  'something empty': { containers: [{ ...container, env: [], ports: [] }], volumes: [], nodeSelector: {} },
  'something unknown': { containers: [{ ...container, no: 'such' }], what: 1 },
  'a quantity in an odd form': { containers: [container], volumes: [{ name: 'v', emptyDir: { sizeLimit: '1000m' } }] },
  'something to warn of': {
    containers: [{ ...container, resources: { requests: { memory: '1m' } } }],
    nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
  },
  'something wrong': { containers: [{ ...container, name: 'NO' }, container, container] },
  'a port that is none on the host network': {
    hostNetwork: true,
    containers: [{ ...container, ports: [{ containerPort: 0 }] }],
  },
  'nothing to run': { containers: [] },
  'a wrong type': { containers: [{ ...container, image: 1 }] },
  'keys that are no fields': JSON.parse(
    '{"containers":[{"name":"c","image":"i"}],"nodeSelector":{"__proto__":"x","constructor":"y"}}',
  ) as JsonObject,
}

describe.each(Object.entries(specs))('the same answer each time for %s', (_, spec) => {
  it('as a pod', async () => {
    const { send } = server()
    const answers: Json[] = []
    for (let i = 0; i < 5; i++) {
      const body = { metadata: { name: `p${i}`, labels: { app: 'web' } }, spec: structuredClone(spec) }
      answers.push(common(await send('POST', `${core}/pods`, body), `p${i}`))
    }
    expect(answers.slice(1)).toEqual(Array(4).fill(answers[0]))
    expect([201, 400, 422]).toContain((answers[0] as JsonObject)['status'])
  })

  it('as a template', async () => {
    const { send } = server()
    const answers: Json[] = []
    for (let i = 0; i < 5; i++) {
      const template = { metadata: { labels: { app: 'web' } }, spec: structuredClone(spec) }
      const body = { metadata: { name: `d${i}` }, spec: { selector: { matchLabels: { app: 'web' } }, template } }
      answers.push(common(await send('POST', `${apps}/deployments`, body), `d${i}`))
    }
    expect(answers.slice(1)).toEqual(Array(4).fill(answers[0]))
    expect([201, 400, 422]).toContain((answers[0] as JsonObject)['status'])
  })
})

describe('objects of one template', () => {
  const make = async (send: Send, name: string, spec: JsonObject = specs['plain'] as JsonObject) => {
    const { status, body } = await send('POST', `${core}/pods`, { metadata: { name, labels: { app: 'web' } }, spec })
    expect(status).toBe(201)
    return body as { metadata: JsonObject; spec: JsonObject; status: JsonObject }
  }

  it('objects of one template have one spec, from the third on', async () => {
    const { send } = server()
    const pods = [await make(send, 'a'), await make(send, 'b'), await make(send, 'c'), await make(send, 'd')]
    expect(pods[3]?.spec).toBe(pods[2]?.spec)
    expect(pods[3]?.spec).toEqual(pods[0]?.spec)
    const isFrozen = (value: FrozenJson): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen))
    for (const pod of pods) expect(isFrozen(pod as unknown as FrozenJson)).toBe(true)
  })

  it('objects of one template are not changed by who changes what was sent', async () => {
    const { send } = server()
    const spec = structuredClone(specs['all kinds of parts'] as JsonObject)
    for (const name of ['a', 'b', 'c']) await make(send, name, spec)
    const first = spec['containers'] as { image: string; env: Json[] }[]
    if (first[0] !== undefined) first[0].image = 'other'
    const d = await make(send, 'd', spec)
    expect((d.spec['containers'] as JsonObject[])[0]?.['image']).toBe('other')
    first[0]?.env.pop()
    const e = await make(send, 'e', spec)
    expect((e.spec['containers'] as JsonObject[])[0]?.['env']).toHaveLength(1)
    const { body } = await send('GET', `${core}/pods/c`)
    expect(((body['spec'] as JsonObject)['containers'] as JsonObject[])[0]).toMatchObject({
      image: 'i:1',
      env: [{ name: 'A' }, { name: 'F' }],
    })
  })

  it('objects of one template get what admission adds now, not what it added then', async () => {
    const { send } = server()
    for (const name of ['a', 'b', 'c']) await make(send, name)
    await send('POST', `${core}/limitranges`, {
      metadata: { name: 'l' },
      spec: { limits: [{ type: 'Container', default: { cpu: '2' }, defaultRequest: { cpu: '1' } }] },
    })
    const limited = await make(send, 'd')
    expect((limited.spec['containers'] as JsonObject[])[0]?.['resources']).toEqual({
      limits: { cpu: '2' },
      requests: { cpu: '1' },
    })
    expect(limited.status['qosClass']).toBe('Burstable')
    await send('DELETE', `${core}/limitranges/l`)
    await send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
      metadata: { name: 'high' },
      value: 7,
      globalDefault: true,
    })
    const late = await make(send, 'e')
    expect(late.spec).toMatchObject({ priority: 7, priorityClassName: 'high', containers: [{ resources: {} }] })
    expect(late.status['qosClass']).toBe('BestEffort')
    expect((await make(send, 'f')).spec).toBe(late.spec)
  })

  it('objects of one template can be changed below their top by plugins', async () => {
    const { send } = server({ admission: { enable: ['AlwaysPullImages', 'ServiceAccount'] } })
    await send('POST', `${core}/serviceaccounts`, { metadata: { name: 'default' } })
    for (const name of ['a', 'b', 'c', 'd']) {
      const { spec } = await make(send, name)
      expect(spec).toMatchObject({
        serviceAccountName: 'default',
        containers: [{ imagePullPolicy: 'Always', volumeMounts: [{ readOnly: true }] }],
      })
    }
  })

  it('objects of one template have one weight, also with the token of their account', async () => {
    for (const enable of [[], ['ServiceAccount']]) {
      const { plane, send } = server({ admission: { enable } })
      await send('POST', `${core}/serviceaccounts`, { metadata: { name: 'default' } })
      for (const spec of ['plain', 'all kinds of parts'] as const) {
        const accountName = { ...specs[spec], serviceAccountName: 'default' }
        const weights: number[] = []
        for (let i = 0; i < 5; i++) {
          const { metadata } = await make(send, `p${i}`, accountName)
          const stored = plane.store.get(`/registry/pods/default/${String(metadata['name'])}`)
          weights.push((stored as unknown as { weight: number }).weight)
          await send('DELETE', `${core}/pods/p${i}?gracePeriodSeconds=0`)
        }
        // The field sets of the first pod are shared by the others. The spec recurs from the third on.
        expect(weights.slice(1)).toEqual(Array(4).fill(weights[1]))
        expect(weights[1]).toBeGreaterThan(1000)
      }
    }
  })

  it('objects of one template can be changed one by one', async () => {
    const { plane, send } = server()
    const api = plane.transport()
    const template = { metadata: { labels: { app: 'web' } }, spec: specs['plain'] as JsonObject }
    for (const name of ['a', 'b', 'c', 'd']) {
      await send('POST', `${apps}/deployments`, {
        metadata: { name },
        spec: { selector: { matchLabels: { app: 'web' } }, template },
      })
    }
    const patch = { spec: { template: { spec: { containers: [{ name: 'c', image: 'new' }] } } } }
    const headers = { 'content-type': 'application/strategic-merge-patch+json' }
    expect((await api({ method: 'PATCH', path: `${apps}/deployments/c`, headers, body: patch })).status).toBe(200)
    const images = async (name: string) => {
      const { body } = await send('GET', `${apps}/deployments/${name}`)
      const spec = (body['spec'] as { template: { spec: { containers: JsonObject[] } } }).template.spec
      return spec.containers.map(({ image }) => image)
    }
    expect([await images('c'), await images('d')]).toEqual([['new'], ['i:1']])
    const { body: d } = await send('GET', `${apps}/deployments/d`)
    const wrong = structuredClone(d) as { spec: { template: { spec: JsonObject } } }
    wrong.spec.template.spec['restartPolicy'] = 'Never'
    expect((await send('PUT', `${apps}/deployments/d`, wrong)).status).toBe(422)
    expect((await send('PUT', `${apps}/deployments/d`, d as Json)).body['metadata']).toMatchObject({ generation: 1 })
  })
})
