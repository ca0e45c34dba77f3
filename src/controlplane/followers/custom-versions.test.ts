/** Custom resources with several versions, from the CRD to responses. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane, type InProcessTransport } from '../index.ts'

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const text = { type: 'string' }
const merge = { 'content-type': 'application/merge-patch+json' }

function version(name: string, spec: JsonObject, more: JsonObject = {}): JsonObject {
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties: spec } } }
  return { name, served: true, storage: name === 'v1', schema: { openAPIV3Schema }, ...more }
}

function definition(versions: JsonObject[], more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boats.sea.io' },
    spec: { group: 'sea.io', scope: 'Namespaced', names: { plural: 'boats', kind: 'Boat' }, versions, ...more },
  }
}

const at = (name: string, boat = ''): string => `/apis/sea.io/${name}/namespaces/default/boats${boat}`
const boat = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: `sea.io/${name}`,
  kind: 'Boat',
  metadata: { name: 'a' },
  spec,
})
const both = [
  version('v1', { a: { ...text, default: 'one' }, first: text }),
  version('v2', { a: text, second: { ...text, default: 'two' } }),
]

describe('versions of a custom resource', () => {
  let api: InProcessTransport
  const send = async (method: string, path: string, body?: JsonObject, headers = {}) => {
    return (await api({ method, path, headers, ...(body === undefined ? {} : { body }) })) as {
      status: number
      body: JsonObject
    }
  }
  beforeEach(() => {
    api = createControlPlane({ env: simulatedEnv({ seed: 2 }) }).transport()
  })

  it('versions of a custom resource read and write the same objects, each by its own schema', async () => {
    await send('POST', crds, definition(both))
    const made = await send('POST', at('v2'), boat('v2', { second: 'x' }))
    expect(made).toMatchObject({ status: 201, body: { apiVersion: 'sea.io/v2' } })
    expect(made.body['spec']).toEqual({ a: 'one' })
    expect((await send('PATCH', at('v1', '/a'), { spec: { first: 'y' } }, merge)).body['spec']).toEqual({
      a: 'one',
      first: 'y',
    })
    expect((await send('GET', at('v2', '/a'))).body['spec']).toEqual({ a: 'one' })
    const { items } = (await send('GET', at('v2'))).body as { items: JsonObject[] }
    expect(items).toMatchObject([{ apiVersion: 'sea.io/v2', spec: { a: 'one' } }])
    expect((await send('POST', `${at('v2')}?dryRun=All`, boat('v2', {}))).status).toBe(409)
  })

  it("a conflict names the owner's version, and what the other version cannot express is refused", async () => {
    await send('POST', crds, definition(both))
    const apply = (name: string, spec: JsonObject) =>
      send('PATCH', `${at(name, '/a')}?fieldManager=${name}`, boat(name, spec), {
        'content-type': 'application/apply-patch+yaml',
      })
    await send('POST', at('v1'), boat('v1', { a: 'x' }))
    expect(await apply('v2', { a: 'y' })).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "unknown" using sea.io/v1: .spec.a' },
    })
    expect(await apply('v2', { second: 'y' })).toMatchObject({
      status: 500,
      body: { message: 'failed to convert new object: .spec.second: field not declared in schema' },
    })
  })

  it('a no-op update of a custom resource is stored when the storage version has changed', async () => {
    await send('POST', crds, definition(both))
    const revision = ({ body }: { body: JsonObject }) => (body['metadata'] as JsonObject)['resourceVersion']
    const made = await send('POST', at('v1'), boat('v1', { a: 'x' }))
    expect(revision(await send('PATCH', at('v1', '/a'), {}, merge))).toBe(revision(made))
    const versions = both.map((each) => ({ ...each, storage: each['name'] === 'v2' }))
    await send('PATCH', `${crds}/boats.sea.io`, { spec: { versions } }, merge)
    const again = await send('PATCH', at('v1', '/a'), {}, merge)
    expect(Number(revision(again))).toBeGreaterThan(Number(revision(made)))
    expect(revision(await send('PATCH', at('v1', '/a'), {}, merge))).toBe(revision(again))
  })

  it('custom resources are scaled without the defaults of a version that is not the storage version', async () => {
    const subresources = { scale: { specReplicasPath: '.spec.crew', statusReplicasPath: '.status.crew' } }
    const crew = { type: 'integer' }
    await send(
      'POST',
      crds,
      definition([
        version('v1', { crew, second: text }, { subresources }),
        version('v2', { crew, second: { ...text, default: 'two' } }, { subresources }),
      ]),
    )
    await send('POST', at('v1'), boat('v1', { crew: 1 }))
    expect((await send('PATCH', at('v2', '/a/scale'), { spec: { replicas: 2 } }, merge)).status).toBe(200)
    expect((await send('GET', at('v1', '/a'))).body['spec']).toEqual({ crew: 2 })
  })

  it('a version that is not the storage version fails when its webhook cannot be reached', async () => {
    const clientConfig = { service: { namespace: 'default', name: 'absent' } }
    await send(
      'POST',
      crds,
      definition(both, {
        conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } },
      }),
    )
    expect((await send('POST', at('v1'), boat('v1', {}))).status).toBe(201)
    const message =
      'conversion webhook for sea.io/v1, Kind=Boat failed: ' +
      'Post "https://absent.default.svc:443/?timeout=30s": service "absent" not found'
    expect(await send('GET', at('v2', '/a'))).toMatchObject({ status: 500, body: { message } })
  })

  it('versions of a custom resource answer only at paths of their scope', async () => {
    await send('POST', crds, definition(both))
    expect((await send('POST', '/apis/sea.io/v1/boats', boat('v1', {}))).status).toBe(404)
    expect(await send('PUT', at('v1'), boat('v1', {}))).toMatchObject({
      status: 400,
      body: { message: 'name must be provided' },
    })
    expect((await send('POST', at('v1', '/other'), boat('v1', {}))).status).toBe(201)
    expect((await send('GET', at('v1', '/a/status'))).status).toBe(404)
  })
})
