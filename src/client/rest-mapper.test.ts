/** Finds kinds by name, on the embedded server and on one with only unaggregated discovery. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FrozenJson, Json } from '../api/json.ts'
import { apiError } from '../api/status.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { simulatedEnv } from '../env/simulated.ts'
import type { RawOptions } from './client.ts'
import { discover } from './discovery.ts'
import { inProcessTransport } from './in-process-transport.ts'
import { RestClient } from './rest-client.ts'
import { KindNotServedError, RestMapper } from './rest-mapper.ts'

const env = simulatedEnv()
let plane: ControlPlane
let client: RestClient
const asked: string[] = []

/** The client, with a record of its requests. */
const noting = {
  raw: (method: string, path: string, options?: RawOptions): Promise<FrozenJson> => {
    asked.push(path)
    return client.raw(method, path, options)
  },
}

/** A server without aggregated discovery, one group of which is down. */
const olderServer = {
  raw: async (method: string, path: string, options: RawOptions = {}): Promise<FrozenJson> => {
    if (path === '/apis/apps/v1') throw apiError.internal('down')
    return client.raw(method, path, { ...options, headers: { accept: 'application/json' } })
  },
}

beforeAll(() => {
  plane = createControlPlane({ env })
  client = new RestClient({ env, transport: inProcessTransport(plane.transport()) })
})
afterAll(() => plane.close())

function definition(plural: string, kind: string): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.ex.io` },
    spec: {
      group: 'ex.io',
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, shortNames: [plural.slice(0, 2)] },
      versions: ['v1', 'v1beta1'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  }
}

const define = (plural: string, kind: string): Promise<FrozenJson> =>
  client.raw('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition(plural, kind) })

describe('names', () => {
  it.each([
    ['deployments', 'apps/v1', 'Deployment'],
    ['deployment', 'apps/v1', 'Deployment'],
    ['Deployment', 'apps/v1', 'Deployment'],
    ['deploy', 'apps/v1', 'Deployment'],
    ['deployments.apps', 'apps/v1', 'Deployment'],
    ['deployments.v1.apps', 'apps/v1', 'Deployment'],
    ['deploy.apps', 'apps/v1', 'Deployment'],
    ['po', 'v1', 'Pod'],
    ['cm', 'v1', 'ConfigMap'],
    ['ns', 'v1', 'Namespace'],
    ['events', 'v1', 'Event'],
    ['events.events.k8s.io', 'events.k8s.io/v1', 'Event'],
    ['netpol', 'networking.k8s.io/v1', 'NetworkPolicy'],
    ['endpoints', 'v1', 'Endpoints'],
    ['crd', 'apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  ])('the REST mapper finds a kind by name: %s', async (name, apiVersion, kind) => {
    expect((await new RestMapper(client).find(name)).kind).toMatchObject({ apiVersion, kind })
  })

  // Known failure: client 36.
  it("the REST mapper finds a kind by name: the plural is the server's, never guessed", async () => {
    const mapper = new RestMapper(client)
    expect(await mapper.kindFor({ group: 'networking.k8s.io', kind: 'Ingress' })).toEqual({
      group: 'networking.k8s.io',
      version: 'v1',
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      plural: 'ingresses',
      namespaced: true,
    })
    expect((await mapper.kindOfObject({ apiVersion: 'v1', kind: 'Endpoints' })).plural).toBe('endpoints')
    expect((await mapper.kindOfObject({ apiVersion: 'v1', kind: 'Node' })).namespaced).toBe(false)
    await expect(mapper.kindOfObject({ kind: 'Node' })).rejects.toThrow('says no apiVersion and kind')
    const { subresources, verbs, categories } = await mapper.find('deploy')
    expect(subresources).toEqual(['scale', 'status'])
    expect(verbs).toContain('watch')
    expect(categories).toEqual(['all'])
  })
})

describe('what is known', () => {
  it('discovery is requested once, and again for a missing name, which a new CRD may have added', async () => {
    const mapper = new RestMapper(noting)
    asked.length = 0
    await Promise.all([mapper.find('pods'), mapper.find('services')])
    await mapper.find('nodes')
    expect(asked).toEqual(['/api', '/apis'])
    await expect(mapper.find('gadgets')).rejects.toThrow(KindNotServedError)
    expect(asked).toHaveLength(4)
    await define('gadgets', 'Gadget')
    const { kind, shortNames } = await mapper.find('ga')
    expect(kind).toEqual({
      group: 'ex.io',
      version: 'v1',
      apiVersion: 'ex.io/v1',
      kind: 'Gadget',
      plural: 'gadgets',
      namespaced: true,
    })
    expect(shortNames).toEqual(['ga'])
    expect(asked).toHaveLength(6)
    expect((await mapper.kindFor({ group: 'ex.io', version: 'v1beta1', kind: 'Gadget' })).version).toBe('v1beta1')
    expect((await mapper.kindFor({ group: 'ex.io', kind: 'Gadget' })).version).toBe('v1')
    await expect(mapper.kindFor({ group: 'ex.io', version: 'v2', kind: 'Gadget' })).rejects.toThrow(
      'the server does not serve Gadget of ex.io in v2',
    )
    mapper.invalidate()
    asked.length = 0
    await mapper.served()
    expect(asked).toEqual(['/api', '/apis'])
  })

  it('a failure is not kept', async () => {
    let isDown = true
    const mapper = new RestMapper({
      raw: (method, path, options) => (isDown ? Promise.reject(new Error('down')) : client.raw(method, path, options)),
    })
    await expect(mapper.find('pods')).rejects.toThrow('down')
    isDown = false
    expect((await mapper.find('pods')).kind.kind).toBe('Pod')
  })
})

it('the older documents say the same, and a group that is down does not hide the others', async () => {
  const [newer, older] = [await discover(client), await discover(olderServer)]
  const names = (served: typeof newer) =>
    served
      .filter(({ kind }) => kind.group !== 'apps')
      .map(({ kind, singular, shortNames, subresources }) =>
        JSON.stringify([kind, singular, shortNames, [...subresources].sort()]),
      )
      .sort()
  expect(names(older)).toEqual(names(newer))
  expect(older.some(({ kind }) => kind.group === 'apps')).toBe(false)
})
