/**
 * Compares whole documents in protobuf with a real server. They depend on all served resources, so cases, which share a
 * server, cannot compare them.
 */
import { request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/api/json.ts'
import { encodeOpenApiV2 } from '../../src/codec/protobuf/openapi-v2.ts'
import { createControlPlane, type ControlPlane, type PlaneListener } from '../../src/controlplane/index.ts'
import { startCluster, type Cluster } from '../cluster/index.ts'

let cluster: Cluster
let plane: ControlPlane
let listener: PlaneListener
beforeAll(async () => {
  cluster = await startCluster()
  plane = createControlPlane({ tokens: [{ token: 't', user: { name: 'admin', uid: '', groups: ['system:masters'] } }] })
  listener = await plane.listen()
})
afterAll(async () => {
  await plane.close()
  await cluster.stop()
})

interface Answer {
  readonly status: number | undefined
  readonly type: string | undefined
  readonly bytes: Buffer
}

function get(url: string, ca: string, token: string, accept: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { ca, headers: { authorization: `Bearer ${token}`, accept } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode, type: response.headers['content-type'], bytes: Buffer.concat(chunks) }),
      )
    })
      .on('error', reject)
      .end()
  })
}

const real = (path: string, accept: string): Promise<Answer> =>
  get(cluster.url + path, cluster.ca, cluster.token, accept)
const ours = (path: string, accept: string): Promise<Answer> => get(listener.url + path, listener.caCert, 't', accept)

const protobuf = 'application/vnd.kubernetes.protobuf'
const openApi = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

describe('discovery', () => {
  const aggregated = `${protobuf};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`

  it.each([
    ['/apis', protobuf],
    ['/api/v1', protobuf],
    ['/apis/apps/v1', protobuf],
    ['/apis', aggregated],
    ['/api', aggregated],
  ])('discovery: %s as %s has the same bytes', async (path, accept) => {
    const [expected, got] = await Promise.all([real(path, accept), ours(path, accept)])
    expect({ status: got.status, type: got.type }).toEqual({ status: 200, type: expected.type })
    expect(got.bytes.equals(expected.bytes)).toBe(true)
  })
})

describe('OpenAPI v2', () => {
  it('OpenAPI v2 is made of its JSON byte for byte', async () => {
    const json = await real('/openapi/v2', 'application/json')
    const expected = await real('/openapi/v2', openApi)
    expect(expected.type).toBe(openApi.replace('@', '.'))
    expect(Buffer.from(encodeOpenApiV2(JSON.parse(json.bytes.toString()) as JsonObject)).equals(expected.bytes)).toBe(
      true,
    )
  })

  it('OpenAPI v2 is served so', async () => {
    const [json, got] = await Promise.all([ours('/openapi/v2', 'application/json'), ours('/openapi/v2', openApi)])
    expect(got.type).toBe(openApi.replace('@', '.'))
    expect(Buffer.from(encodeOpenApiV2(JSON.parse(json.bytes.toString()) as JsonObject)).equals(got.bytes)).toBe(true)
  })
})
