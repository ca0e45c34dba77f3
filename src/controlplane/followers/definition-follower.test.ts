/** Custom resources are added and removed within the request that changes their definition. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane, type InProcessTransport } from '../index.ts'

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const boats = '/apis/sea.io/v1/namespaces/default/boats'

const definition = (name: string, kind: string): JsonObject => ({
  metadata: { name: `${name}.sea.io` },
  spec: {
    group: 'sea.io',
    scope: 'Namespaced',
    names: { plural: name, kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { sails: { type: 'integer', default: 1 } } } },
          },
        },
      },
    ],
  },
})
const boat = (name: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'sea.io/v1',
  kind: 'Boat',
  metadata: { name, ...metadata },
  spec: {},
})
const merge = { 'content-type': 'application/merge-patch+json' }

describe('custom resources', () => {
  let api: InProcessTransport
  beforeEach(() => {
    api = createControlPlane({ env: simulatedEnv({ seed: 2 }) }).transport()
  })

  it('custom resources are served when the creation of their definition returns', async () => {
    expect((await api({ method: 'GET', path: boats })).status).toBe(404)
    expect((await api({ method: 'POST', path: crds, body: definition('boats', 'Boat') })).status).toBe(201)
    expect(await api({ method: 'POST', path: boats, body: boat('a') })).toMatchObject({
      status: 201,
      body: { spec: { sails: 1 } },
    })
    expect(await api({ method: 'GET', path: '/apis/sea.io/v1' })).toMatchObject({
      body: { resources: [{ name: 'boats' }] },
    })
  })

  it('the status of a definition is written without a copy of its spec', async () => {
    const plane = createControlPlane({ env: simulatedEnv({ seed: 2 }) })
    const specs: unknown[] = []
    const prefix = '/registry/apiextensions.k8s.io/customresourcedefinitions/'
    const watch = plane.store.watch(prefix, plane.store.revision, (event) => {
      if (event.type === 'put') specs.push(event.current.object['spec'])
    })
    await plane.transport()({ method: 'POST', path: crds, body: definition('boats', 'Boat') })
    watch.stop()
    expect(specs).toHaveLength(3)
    expect(new Set(specs).size).toBe(1)
  })

  it('custom resources are served under the plural bindings, which only the core group treats specially', async () => {
    expect((await api({ method: 'POST', path: crds, body: definition('bindings', 'Binding') })).status).toBe(201)
    const path = '/apis/sea.io/v1/namespaces/default/bindings'
    const body = { ...boat('a'), kind: 'Binding' }
    expect((await api({ method: 'POST', path, body })).status).toBe(201)
    expect(await api({ method: 'GET', path: `${path}/a` })).toMatchObject({ status: 200, body: { spec: { sails: 1 } } })
  })

  it('custom resources follow a change of the schema at once', async () => {
    await api({ method: 'POST', path: crds, body: definition('boats', 'Boat') })
    await api({
      method: 'PATCH',
      path: `${crds}/boats.sea.io`,
      headers: { 'content-type': 'application/json-patch+json' },
      body: [
        {
          op: 'replace',
          path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/sails/default',
          value: 3,
        },
      ],
    })
    expect(await api({ method: 'POST', path: boats, body: boat('a') })).toMatchObject({ body: { spec: { sails: 3 } } })
  })

  it('custom resources go with their definition, and come back empty', async () => {
    await api({ method: 'POST', path: crds, body: definition('boats', 'Boat') })
    await api({ method: 'POST', path: boats, body: boat('a') })
    expect(await api({ method: 'DELETE', path: `${crds}/boats.sea.io` })).toMatchObject({
      status: 200,
      body: { metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] } },
    })
    expect((await api({ method: 'GET', path: `${crds}/boats.sea.io` })).status).toBe(404)
    expect((await api({ method: 'GET', path: boats })).status).toBe(404)
    await api({ method: 'POST', path: crds, body: definition('boats', 'Boat') })
    expect(await api({ method: 'GET', path: boats })).toMatchObject({ status: 200, body: { items: [] } })
  })

  it('custom resources hold their definition while a finalizer holds them', async () => {
    await api({ method: 'POST', path: crds, body: definition('boats', 'Boat') })
    await api({ method: 'POST', path: boats, body: boat('held', { finalizers: ['sea.io/anchor'] }) })
    await api({ method: 'DELETE', path: `${crds}/boats.sea.io` })
    expect(await api({ method: 'GET', path: `${crds}/boats.sea.io` })).toMatchObject({
      status: 200,
      body: {
        status: {
          conditions: expect.arrayContaining([expect.objectContaining({ type: 'Terminating', status: 'True' })]),
        },
      },
    })
    expect(await api({ method: 'POST', path: boats, body: boat('new') })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('create not allowed while custom resource definition is terminating') },
    })
    await api({ method: 'PATCH', path: `${boats}/held`, headers: merge, body: { metadata: { finalizers: null } } })
    expect((await api({ method: 'GET', path: `${crds}/boats.sea.io` })).status).toBe(404)
    expect((await api({ method: 'GET', path: boats })).status).toBe(404)
  })

  it('custom resources wait for names that another definition has, until it goes', async () => {
    await api({ method: 'POST', path: crds, body: definition('boats', 'Boat') })
    await api({ method: 'POST', path: crds, body: definition('ships', 'Boat') })
    const ships = '/apis/sea.io/v1/namespaces/default/ships'
    expect((await api({ method: 'GET', path: ships })).status).toBe(404)
    await api({ method: 'DELETE', path: `${crds}/boats.sea.io` })
    expect((await api({ method: 'GET', path: ships })).status).toBe(200)
  })
})

describe('a namespace', () => {
  it('a namespace stays, terminating, until it is finalized', async () => {
    const api = createControlPlane({ env: simulatedEnv({ seed: 2 }) }).transport()
    const path = '/api/v1/namespaces/team'
    await api({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'team' } } })
    expect(await api({ method: 'DELETE', path })).toMatchObject({
      status: 200,
      body: { status: { phase: 'Terminating' } },
    })
    expect(await api({ method: 'DELETE', path })).toMatchObject({
      status: 200,
      body: { status: { phase: 'Terminating' } },
    })
    expect((await api({ method: 'POST', path: `${path}/configmaps`, body: { metadata: { name: 'x' } } })).status).toBe(
      403,
    )
    expect(
      (await api({ method: 'PUT', path: `${path}/finalize`, body: { metadata: { name: 'team' }, spec: {} } })).status,
    ).toBe(200)
    expect((await api({ method: 'GET', path })).status).toBe(404)
  })
})
