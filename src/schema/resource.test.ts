/** Kinds made from schemas: their definitions, as produced and as the embedded server accepts them. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '../api/json.ts'
import type { Status } from '../api/status.ts'
import { createControlPlane, type InProcessTransport } from '../controlplane/index.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { age, column } from './columns.ts'
import { kindName } from './kind.ts'
import { resource } from './resource.ts'
import { SchemaError } from './node.ts'
import { t } from './t.ts'
import { Everything, EverythingBeta } from './testdata/ready-made-kind.ts'
import { definitions } from './testdata/server-comparison.ts'

describe('a definition', () => {
  const WebApp = resource('coxswain.dev/v1', 'WebApp', {
    shortNames: ['wa'],
    spec: t.object({ replicas: t.int().default(1), image: t.string().minLength(1) }),
    status: t.object({ phase: t.string().optional() }),
    columns: [column('Phase', '.status.phase'), age()],
  })

  it('a generated definition says all that the value said, with its keys in order', () => {
    expect(JSON.stringify(WebApp.crd, undefined, 1)).toBe(
      JSON.stringify(
        {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'webapps.coxswain.dev' },
          spec: {
            group: 'coxswain.dev',
            names: {
              kind: 'WebApp',
              listKind: 'WebAppList',
              plural: 'webapps',
              shortNames: ['wa'],
              singular: 'webapp',
            },
            scope: 'Namespaced',
            versions: [
              {
                additionalPrinterColumns: [
                  { jsonPath: '.status.phase', name: 'Phase', type: 'string' },
                  { jsonPath: '.metadata.creationTimestamp', name: 'Age', type: 'date' },
                ],
                name: 'v1',
                schema: {
                  openAPIV3Schema: {
                    properties: {
                      apiVersion: { type: 'string' },
                      kind: { type: 'string' },
                      metadata: { type: 'object' },
                      spec: {
                        properties: {
                          image: { minLength: 1, type: 'string' },
                          replicas: { default: 1, format: 'int32', type: 'integer' },
                        },
                        required: ['image'],
                        type: 'object',
                      },
                      status: { properties: { phase: { type: 'string' } }, type: 'object' },
                    },
                    required: ['spec'],
                    type: 'object',
                  },
                },
                served: true,
                storage: true,
                subresources: { status: {} },
              },
            ],
          },
        },
        undefined,
        1,
      ),
    )
  })

  it('a generated definition is the same to the byte however the schema was written', () => {
    const Same = resource('coxswain.dev/v1', 'WebApp', {
      columns: [column('Phase', '.status.phase'), age()],
      status: t.object({ phase: t.string().optional() }),
      spec: t.object({ image: t.string().maxLength(9).minLength(1), replicas: t.int().default(1) }),
      shortNames: ['wa'],
    })
    const Other = resource('coxswain.dev/v1', 'WebApp', {
      shortNames: ['wa'],
      spec: t.object({ replicas: t.int().default(1), image: t.string().minLength(1).maxLength(9) }),
      status: t.object({ phase: t.string().optional() }),
      columns: [column('Phase', '.status.phase'), age()],
    })
    expect(JSON.stringify(Same.crd)).toBe(JSON.stringify(Other.crd))
    expect(JSON.stringify(Same.crd)).not.toBe(JSON.stringify(WebApp.crd))
  })

  it('a generated definition is a value of its own each time; the kind cannot be changed', () => {
    WebApp.crd.metadata.name = 'changed'
    expect(WebApp.crd.metadata.name).toBe('webapps.coxswain.dev')
    expect(Object.isFrozen(WebApp)).toBe(true)
    expect(() => Object.assign(WebApp.schema, { type: 'string' })).toThrow(TypeError)
  })

  it('a generated definition names the kind', () => {
    expect(WebApp).toMatchObject({ group: 'coxswain.dev', version: 'v1', apiVersion: 'coxswain.dev/v1' })
    expect(WebApp).toMatchObject({ plural: 'webapps', singular: 'webapp', namespaced: true })
    expect(kindName(WebApp)).toBe('webapps.coxswain.dev')
  })
})

describe('what cannot be is told where it is written', () => {
  const spec = t.object({ replicas: t.int(), host: t.string(), list: t.array(t.string()) })
  const status = t.object({ replicas: t.int() })
  const car = (options: Partial<Parameters<typeof resource>[2]>) => () =>
    resource('a.io/v1', 'Car', { spec, ...options })
  it.each<[string, () => unknown, string]>([
    ['an apiVersion without a group', () => resource('/v1', 'A', { spec }), 'apiVersion "/v1" is not group/version'],
    ['a plural that cannot be derived', () => resource('a.io/v1', 'Bus', { spec }), 'cannot derive the plural of Bus'],
    ['a column of no field', car({ columns: [column('X', '.spec.x')] }), 'column X: the schema has no field .spec.x'],
    [
      'a scale of no field',
      car({ status, scale: { spec: '.spec.count', status: '.status.replicas' } }),
      'scale.spec: .spec.count',
    ],
    [
      'a scale of a text',
      car({ status, scale: { spec: '.spec.host', status: '.status.replicas' } }),
      'scale.spec: .spec.host',
    ],
    ['a selectable list', car({ selectableFields: ['.spec.list'] }), 'selectableFields: .spec.list'],
    [
      'versions of two kinds',
      car({ versions: [resource('a.io/v2', 'Cart', { spec })] }),
      'versions: a.io/v2 has kind Cart, not Car',
    ],
    [
      'one version twice',
      car({ versions: [resource('a.io/v1', 'Car', { spec })] }),
      'versions: a.io/v1 is declared twice',
    ],
  ])('an impossible schema is rejected where it is written: %s', (_, make, message) => {
    expect(make).toThrow(SchemaError)
    expect(make).toThrow(message)
  })
})

describe('on the embedded server', () => {
  const path = '/apis/samples.test.io/v1/namespaces/default/everythings'
  let api: InProcessTransport
  const everything = (name: string, spec: object) => ({
    apiVersion: Everything.apiVersion,
    kind: 'Everything',
    metadata: { name },
    spec,
  })
  const post = (body: unknown, to = path) => api({ method: 'POST', path: to, body: body as Json })
  beforeEach(async () => {
    api = createControlPlane({ env: simulatedEnv({ seed: 3 }) }).transport()
    expect(await post(Everything.crd, definitions)).toMatchObject({ status: 201 })
  })

  it('a custom resource on the embedded server is established, with nothing that is not structural', async () => {
    const { body } = await api({ method: 'GET', path: `${definitions}/everythings.samples.test.io` })
    expect(body).toMatchObject({
      spec: { ...Everything.crd.spec },
      status: {
        conditions: [
          { type: 'NamesAccepted', status: 'True' },
          { type: 'Established', status: 'True' },
        ],
        storedVersions: ['v1'],
      },
    })
  })

  it('a custom resource on the embedded server stores what defaulted gives', async () => {
    const { status, body } = await post(everything('a', { image: 'i' }))
    expect(status).toBe(201)
    const { spec } = Everything.defaulted({ metadata: { name: 'a' }, spec: { image: 'i' } })
    expect((body as { spec: unknown }).spec).toEqual(spec)
    expect(spec).toEqual({ image: 'i', replicas: 1, suspended: false, resources: {}, timeout: '30s' })
  })

  it('a custom resource on the embedded server refuses what validate refuses, with the same causes', async () => {
    const object = everything('a'.repeat(64), {
      image: 'i',
      replicas: 0,
      readiness: { exec: {}, grpc: { port: 1 } },
      env: [{ name: 'a' }, { name: 'a' }],
    })
    const { status, body } = await post(object)
    const problems = await Everything.validate(object)
    expect(status).toBe(422)
    expect(body).toMatchObject({ details: { causes: problems } })
    expect(problems.map(({ field }) => field)).toEqual(['spec.env[1]', '<nil>', 'spec.replicas', 'spec.readiness'])
  })

  it('a custom resource on the embedded server takes conditions as Kubernetes does', async () => {
    await post(everything('a', { image: 'i' }))
    const condition = {
      type: 'Ready',
      status: 'True',
      reason: 'Up',
      message: '',
      lastTransitionTime: '2024-02-03T04:05:06Z',
    }
    const headers = { 'content-type': 'application/merge-patch+json' }
    const write = (conditions: Json) =>
      api({ method: 'PATCH', path: `${path}/a/status`, headers, body: { status: { conditions } } })
    const blamed = async (conditions: Json) =>
      ((await write(conditions)).body as unknown as Status).details?.causes?.[0]?.field
    expect(await blamed([condition, condition])).toBe('status.conditions[1]')
    expect(await blamed([{ ...condition, type: 'a/b/c' }])).toBe('status.conditions[0].type')
    expect(await blamed([{ ...condition, reason: 'not one word' }])).toBe('status.conditions[0].reason')
    expect(await blamed([{ ...condition, status: 'Yes' }])).toBe('status.conditions[0].status')
    expect(await blamed([{ ...condition, lastTransitionTime: 'now' }])).toBe('status.conditions[0].lastTransitionTime')
    expect(await blamed([{ ...condition, observedGeneration: -1 }])).toBe('status.conditions[0].observedGeneration')
    expect(await write([condition])).toMatchObject({ status: 200, body: { status: { conditions: [condition] } } })
  })

  it('a custom resource on the embedded server shows its columns, scales, and is selected by its fields', async () => {
    await post(everything('a', { image: 'i', host: 'h' }))
    const table = await api({
      method: 'GET',
      path,
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    })
    expect(table.body).toMatchObject({
      columnDefinitions: [
        { name: 'Name' },
        { name: 'Phase', type: 'string' },
        { name: 'Replicas', type: 'integer' },
        { name: 'Ready', type: 'string' },
        { name: 'Since', type: 'date', priority: 1 },
        { name: 'Age', type: 'date' },
      ],
    })
    expect(await api({ method: 'GET', path: `${path}/a/scale` })).toMatchObject({
      status: 200,
      body: { spec: { replicas: 1 } },
    })
    const selected = async (selector: string) => {
      const { body } = await api({ method: 'GET', path: `${path}?fieldSelector=${selector}` })
      return (body as { items: unknown[] }).items.length
    }
    expect([
      await selected('spec.host=h'),
      await selected('spec.host=i'),
      await selected('spec.suspended=false'),
    ]).toEqual([1, 0, 1])
  })

  it('a custom resource on the embedded server serves its other versions, and warns of deprecated ones', async () => {
    const beta = '/apis/samples.test.io/v1beta1/namespaces/default/everythings'
    const answer = await post({ ...everything('b', { image: 'i' }), apiVersion: EverythingBeta.apiVersion }, beta)
    expect(answer.status).toBe(201)
    expect(JSON.stringify(answer.headers)).toContain('v1beta1 is deprecated; use v1')
    const read = await api({ method: 'GET', path: `${path}/b` })
    expect(read.body).toMatchObject({ apiVersion: 'samples.test.io/v1', spec: { replicas: 1 } })
  })
})
