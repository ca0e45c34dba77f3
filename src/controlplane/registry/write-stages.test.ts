import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { onEventLoopTurn } from '../../env/real.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { administrator, createControlPlane, type ControlPlane } from '../control-plane.ts'
import type { ObjectResponse } from '../contract/request.ts'
import { encodeProtobuf } from '../../codec/protobuf/protobuf.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const large = 'x'.repeat(300_000)
const configMap = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { large, ...more },
})

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly type?: string
  readonly body: JsonObject | Uint8Array | string
}

const newPlane = (options: Partial<Parameters<typeof createControlPlane>[0]> = {}): ControlPlane =>
  createControlPlane({ env: simulatedEnv(), ...options })

/** Sends a request whose turns are all over at once; `between` runs before each later turn. */
async function send(
  plane: ControlPlane,
  { method = 'POST', path = maps, type = 'application/json', body }: Sent,
  between: ((turn: number) => void) | 'one turn' = () => {},
): Promise<ObjectResponse & { readonly turns: number }> {
  let turns = 1
  const later = (task: () => void): void => {
    onEventLoopTurn(() => {
      if (between !== 'one turn') between(turns++)
      task()
    })
  }
  const [name = '', query = ''] = path.split('?')
  const response = await plane.handle({
    method,
    path: name,
    query: new URLSearchParams(query),
    headers: { 'content-type': type, 'user-agent': 'test' },
    body: body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body),
    user: administrator,
    turn: { isOver: between !== 'one turn', later },
  })
  return { ...(response as ObjectResponse), turns }
}

const textOf = ({ status, headers, body }: ObjectResponse): string =>
  JSON.stringify({ status, headers, body }, null, 2)
    .replaceAll(/x{100,}/g, 'xxx')
    .replaceAll(/(AAAA){100,}/g, 'AAAA')

const requests: Record<string, Sent> = {
  create: { body: configMap('new') },
  'create in protobuf': {
    type: 'application/vnd.kubernetes.protobuf',
    body: encodeProtobuf(configMap('new')) as Uint8Array,
  },
  'create with a generated name': { body: { metadata: { generateName: 'new-' }, data: { large } } },
  'create of an invalid object': { body: configMap('Invalid') },
  'create of a name that exists': { body: configMap('live') },
  'create of an object that is too large': { body: configMap('new', { more: 'x'.repeat(1_400_000) }) },
  'create of an object that is too large and invalid': { body: configMap('Invalid', { more: 'x'.repeat(1_400_000) }) },
  'create with unknown fields': { body: { ...configMap('new'), unknown: 1 } },
  update: { method: 'PUT', path: `${maps}/live`, body: configMap('live', { a: 'c' }) },
  'update without a change': { method: 'PUT', path: `${maps}/live`, body: configMap('live', { a: 'b' }) },
  'update of a missing name': { method: 'PUT', path: `${maps}/missing`, body: configMap('missing') },
  'merge patch': {
    method: 'PATCH',
    path: `${maps}/live`,
    type: 'application/merge-patch+json',
    body: { data: { large, a: 'd' } },
  },
  'merge patch to an object that is too large': {
    method: 'PATCH',
    path: `${maps}/live`,
    type: 'application/merge-patch+json',
    body: { metadata: { labels: {} }, binaryData: { a: 'AAAA'.repeat(150_000) }, data: { b: 'x'.repeat(700_000) } },
  },
  apply: {
    method: 'PATCH',
    path: `${maps}/live?fieldManager=m&force=true`,
    type: 'application/apply-patch+yaml',
    body: configMap('live', { a: 'e' }),
  },
  'apply of a missing name': {
    method: 'PATCH',
    path: `${maps}/missing?fieldManager=m`,
    type: 'application/apply-patch+yaml',
    body: configMap('missing'),
  },
  'apply with a conflict': {
    method: 'PATCH',
    path: `${maps}/live?fieldManager=m`,
    type: 'application/apply-patch+yaml',
    body: configMap('live', { a: 'e' }),
  },
}

const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('')

/** Bodies that take long to parse, and the least number of turns for them. */
const slow: Record<string, { readonly turns: number; readonly sent: Sent }> = {
  'nested lists': {
    turns: 15,
    sent: {
      body: `{"metadata":{"name":"new"},"x":[${Array(1500)
        .fill('['.repeat(100) + ']'.repeat(100))
        .join(',')}]}`,
    },
  },
  'YAML merge keys': {
    turns: 10,
    sent: {
      type: 'application/yaml',
      body: `metadata: {name: new}\n${lines(1000, (i) => `m${i}: &m${i} {<<: {a: ${i}}}`)}`,
    },
  },
  'YAML that is not valid': {
    turns: 10,
    sent: {
      type: 'application/yaml',
      body: `metadata: {name: new}\n${lines(4000, (i) => `k${i}: v`)}x: *missing\n`,
    },
  },
  'a review in YAML': {
    turns: 10,
    sent: {
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      type: 'application/yaml',
      body: `spec: {nonResourceAttributes: {path: /, verb: get}}\n${lines(4000, (i) => `k${i}: v`)}`,
    },
  },
}

describe('a write of a body that is parsed in several turns', () => {
  for (const [name, { turns, sent }] of Object.entries(slow)) {
    it(`${name}: the response is the same in one turn and in several`, async () => {
      const [one, several] = [newPlane(), newPlane()]
      const expected = await send(one, sent, 'one turn')
      const actual = await send(several, sent)
      expect(actual.turns).toBeGreaterThan(turns)
      expect(textOf(actual)).toEqual(textOf(expected))
      await Promise.all([one.close(), several.close()])
    })
  }
})

describe('a write of a large body', () => {
  for (const [name, request] of Object.entries(requests)) {
    it(`${name}: the response is the same in one turn and in several`, async () => {
      const [one, several] = [newPlane(), newPlane()]
      for (const plane of [one, several]) await send(plane, { body: configMap('live', { a: 'b' }) }, 'one turn')
      const expected = await send(one, request, 'one turn')
      const actual = await send(several, request)
      expect(actual.turns).toBeGreaterThan(1)
      expect(textOf(actual)).toEqual(textOf(expected))
      expect(several.store.revision).toBe(one.store.revision)
      await Promise.all([one.close(), several.close()])
    })
  }

  it('starts again when the object has changed meanwhile, and loses no change', async () => {
    const plane = newPlane()
    await send(plane, { body: configMap('live', { a: 'b' }) }, 'one turn')
    const change = async (turn: number): Promise<void> => {
      await plane.transport()({
        method: 'PATCH',
        path: `${maps}/live`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { data: { [`turn-${turn}`]: 'yes' } },
      })
    }
    const response = await send(plane, requests['merge patch'] as Sent, (turn) => void change(turn))
    expect(response.status).toBe(200)
    const { data } = response.body as KubeObject & { data: JsonObject }
    const changes = Object.keys(data).filter((key) => key.startsWith('turn-'))
    expect(changes).toEqual(Array.from({ length: response.turns - 1 }, (_, i) => `turn-${i + 1}`))
    // An object that changes in each turn is written in one.
    expect(changes.length).toBe(3)
    await plane.close()
  })

  it('is done in one turn where nothing says what it is based on: an update of a scale', async () => {
    const plane = newPlane()
    const labels = { app: 'web' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } }
    const path = '/apis/apps/v1/namespaces/default/deployments'
    await plane.transport()({
      method: 'POST',
      path,
      body: { metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template } },
    })
    const body = { metadata: { name: 'web', annotations: { large } }, spec: { replicas: 3 } }
    const response = await send(plane, { method: 'PUT', path: `${path}/web/scale`, body })
    expect(response).toMatchObject({ status: 200, turns: 1, body: { spec: { replicas: 3 } } })
    await plane.close()
  })

  it('is refused when its namespace is deleted meanwhile', async () => {
    const plane = newPlane()
    const path = '/api/v1/namespaces'
    await plane.transport()({ method: 'POST', path, body: { metadata: { name: 'short' } } })
    const response = await send(plane, { path: `${path}/short/configmaps`, body: configMap('new') }, (turn) => {
      if (turn === 2) void plane.transport()({ method: 'DELETE', path: `${path}/short` })
    })
    expect(response).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('being terminated') as string },
    })
    await plane.close()
  })

  it('shows webhooks the object that is stored', async () => {
    const seen: JsonObject[] = []
    const plane = newPlane({
      callWebhook: async (_, review) => {
        const { request } = review as unknown as { request: { uid: string; object: JsonObject } }
        seen.push(request.object)
        await Promise.resolve()
        return {
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: { uid: request.uid, allowed: true, warnings: ['seen'] },
        }
      },
    })
    await plane.transport()({
      method: 'POST',
      path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
      body: {
        metadata: { name: 'all' },
        webhooks: [
          {
            name: 'a.example.dev',
            clientConfig: { url: 'https://example.dev/a' },
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
          },
        ],
      },
    })
    const response = await send(plane, { body: { metadata: { generateName: 'new-' }, data: { large } } })
    expect(response).toMatchObject({ status: 201, headers: { warning: ['299 - "seen"'] } })
    expect(seen.map(({ metadata }) => metadata)).toEqual([
      expect.objectContaining({
        uid: (response.body as KubeObject).metadata.uid,
        name: (response.body as KubeObject).metadata.name,
      }),
    ])
    await plane.close()
  })
})
