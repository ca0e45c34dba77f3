/**
 * Defaulting and validation without a server, compared with the embedded server; `test/schema` does the same with a
 * real one.
 */
import { describe, expect, it } from 'vitest'
import type { Json } from '../api/json.ts'
import { createControlPlane } from '../controlplane/index.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { resource } from './resource.ts'
import { t } from './t.ts'
import { sampleKinds } from './testdata/random-schemas.ts'
import { compare, install, type Api } from './testdata/server-comparison.ts'

function server(): Api {
  const transport = createControlPlane({ env: simulatedEnv({ seed: 1 }) }).transport()
  return (method, path, body) => transport(body === undefined ? { method, path } : { method, path, body })
}

describe('random schemas', () => {
  it.each([1, 2])('random schemas mean the same here and on the server: %i', async (seed) => {
    const api = server()
    let accepted = 0
    let refused = 0
    for (const sample of sampleKinds(seed, 40, 20)) {
      await install(api, sample.kind.crd)
      const result = await compare(api, sample)
      expect(result.differences).toEqual([])
      accepted += result.accepted
      refused += result.refused
    }
    // The samples are only useful if both results are frequent.
    expect(Math.min(accepted, refused)).toBeGreaterThan(150)
  })
})

const Boat = resource('sea.io/v1', 'Boat', {
  spec: t
    .object({
      name: t.string().minLength(1),
      sails: t.int().min(0).default(1),
      crew: t
        .array(t.object({ name: t.string(), rank: t.enum('captain', 'sailor').default('sailor') }))
        .mapBy('name')
        .optional(),
      home: t.string().optional(),
    })
    .rule('!has(oldSelf.home) || has(self.home)', { message: 'home cannot be lost', fieldPath: '.home' }),
  status: t.object({ sunk: t.boolean().default(false) }),
})

describe('defaulted', () => {
  it('defaulted fills defaults, drops what the schema does not know, and changes nothing', () => {
    const given = Object.freeze({ metadata: { name: 'a' }, spec: { name: 'x', crew: [{ name: 'b' }], engine: 3 } })
    expect(Boat.defaulted(given)).toEqual({
      apiVersion: 'sea.io/v1',
      kind: 'Boat',
      metadata: { name: 'a' },
      spec: { name: 'x', sails: 1, crew: [{ name: 'b', rank: 'sailor' }] },
    })
    expect(given.spec.engine).toBe(3)
  })

  it('defaulted takes undefined for absent, and fills a status that is there', () => {
    const given = { metadata: { name: 'a' }, spec: { name: 'x', sails: undefined, home: undefined }, status: {} }
    const { spec, status } = Boat.defaulted(given as never)
    expect({ spec, status }).toStrictEqual({ spec: { name: 'x', sails: 1 }, status: { sunk: false } })
  })

  it('defaulted gives a value of its own each time', () => {
    const once = Boat.defaulted({ metadata: { name: 'a' }, spec: { name: 'x', crew: [] } })
    once.spec.crew?.push({ name: 'b', rank: 'captain' })
    expect(Boat.defaulted({ metadata: { name: 'a' }, spec: { name: 'x', crew: [] } }).spec.crew).toEqual([])
  })
})

describe('validate', () => {
  const valid = { metadata: { name: 'a' }, spec: { name: 'x' } }

  it('validate finds nothing wrong with a valid object, whatever of its metadata the server fills in', async () => {
    expect(await Boat.validate(valid)).toEqual([])
    expect(await Boat.validate({ ...valid, metadata: { generateName: 'a-' } })).toEqual([])
    expect(await Boat.validate(Boat.defaulted(valid))).toEqual([])
  })

  it("validate lists all that is wrong in the server's words", async () => {
    const wrong = {
      metadata: { name: 'A_' },
      spec: { name: '', sails: -1, crew: [{ name: 'b' }, { name: 'b', rank: 'cook' }] },
    }
    expect((await Boat.validate(wrong)).map(({ field, message }) => `${field}: ${message}`)).toEqual([
      expect.stringMatching(/^metadata\.name: Invalid value: "A_": a lowercase RFC 1123 subdomain must/),
      'spec.crew[1].rank: Unsupported value: "cook": supported values: "captain", "sailor"',
      'spec.name: Invalid value: "": spec.name in body should be at least 1 chars long',
      'spec.sails: Invalid value: -1: spec.sails in body should be greater than or equal to 0',
      'spec.crew[1]: Duplicate value: {"name":"b"}',
      expect.stringContaining('some validation rules were not checked'),
    ])
  })

  it('validate checks the status too', async () => {
    expect(await Boat.validate({ ...valid, status: { sunk: 'deep' } })).toMatchObject([{ field: 'status.sunk' }, {}])
  })

  it('validate checks an update against the old object', async () => {
    const old = { metadata: { name: 'a' }, spec: { name: 'x', home: 'port' } }
    expect(await Boat.validate(valid, old)).toEqual([
      { field: 'spec.home', reason: 'FieldValueInvalid', message: 'Invalid value: home cannot be lost' },
    ])
    expect(await Boat.validate(old, valid)).toEqual([])
  })

  it.each<[string, Json | undefined]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'a'],
    ['a list', []],
    ['no metadata', { spec: { name: 'x' } }],
    ['metadata of another type', { metadata: 3, spec: { name: 'x' } }],
    ['labels of another type', { metadata: { name: 'a', labels: [] }, spec: { name: 'x' } }],
  ])('validate refuses %s', async (_, object) => {
    expect(await Boat.validate(object)).toHaveLength(1)
  })

  it('validate checks the numbers of the scale subresource', async () => {
    const Fleet = resource('sea.io/v1', 'Fleet', {
      spec: t.object({ replicas: t.int() }),
      status: t.object({ replicas: t.int().optional() }),
      scale: { spec: '.spec.replicas', status: '.status.replicas' },
    })
    expect(await Fleet.validate({ metadata: { name: 'a' }, spec: { replicas: 2147483648 } })).toMatchObject([
      { field: '.spec.replicas' },
    ])
  })
})
