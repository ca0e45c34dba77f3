import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import { encoding, schemas } from '../../facts/facts.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { decodeTyped } from '../../shape/decode.ts'
import type { Shape, StructShape } from '../../shape/shape.ts'
import { messageOfType, type Message } from './message.ts'
import { decodeProtobuf, encodeProtobuf } from './protobuf.ts'
import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

const core = 'io.k8s.api.core.v1'

/** Names of all JSON fields that a message reads or writes. */
function jsonNames(message: Message): string[] {
  return message.fields.flatMap(({ label, name, message: inner }) =>
    label === 'embedded' ? jsonNames(inner as Message) : [name],
  )
}

describe('the facts', () => {
  const types = [...encoding().names()]

  test('every type compiles, and every JSON field has its number', () => {
    for (const type of types) {
      const names = jsonNames(messageOfType(type))
      const expected = (encoding().get(type)?.fields ?? []).map(([name]) => name)
      const typeMeta = (name: string): boolean => (name === 'kind' || name === 'apiVersion') && !names.includes(name)
      expect(names.toSorted(), type).toEqual(expected.filter((name) => !typeMeta(name)).toSorted())
    }
    expect(types.length).toBeGreaterThan(500)
  })

  test('no field is named like something that every object inherits', () => {
    for (const type of types) for (const name of jsonNames(messageOfType(type))) expect(name in {}, name).toBe(false)
  })

  test('every kind has a type with a message', () => {
    for (const [type, schema] of schemas().entries()) {
      if (schema['x-kubernetes-group-version-kind'] === undefined) continue
      expect(messageOfType(type).fields.length).toBeGreaterThan(0)
    }
  })
})

function read(type: string, hex: string): JsonObject {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  return messageOfType(`${core}.${type}`).read(new WireReader(bytes), bytes.length) as JsonObject
}

/** A MicroTime of these seconds and nanoseconds, as JSON. */
function time(seconds?: number, nanos?: number): Json {
  const writer = new WireWriter()
  for (const [tag, value] of [
    [0x10, nanos],
    [0x08, seconds],
  ] as const) {
    if (value === undefined) continue
    writer.integer(value)
    writer.varint(tag)
  }
  const bytes = writer.take()
  return messageOfType('io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime').read(new WireReader(bytes), bytes.length)
}

describe('reading', () => {
  test('the later of two scalars counts, also when it is zero', () => {
    expect(read('EnvVar', '0a0161 0a0162')).toEqual({ name: 'b' })
    expect(read('EnvVar', '120161 1200')).toEqual({})
  })

  test('messages that come in parts are joined', () => {
    expect(read('Volume', '12040a020a00 12041a020a00')).toEqual({
      hostPath: { path: '' },
      gcePersistentDisk: { pdName: '' },
    })
    expect(read('ConfigMap', '0a030a0161 0a031a0162')).toEqual({ metadata: { name: 'a', namespace: 'b' } })
  })

  test('raw JSON that comes twice is not joined', () => {
    const bytes = Buffer.from('\x12\x07\x0a\x05[1,2]\x12\x04\x0a\x02{}', 'latin1')
    const message = messageOfType('io.k8s.api.apps.v1.ControllerRevision')
    expect(message.read(new WireReader(bytes), bytes.length)).toEqual({ data: {} })
  })

  test('numbers of a list, apart and packed', () => {
    expect(read('PodSecurityContext', '2001 20ac02 220301ac02')).toEqual({ supplementalGroups: [1, 300, 1, 300] })
  })

  test('unknown numbers are passed over', () => {
    const unknown = 'f83f01 f93f0000000000000000 fa3f0161 fd3f00000000 fb3f0801fc3f'
    expect(read('EnvVar', `0a0161 ${unknown} 120162`)).toEqual({ name: 'a', value: 'b' })
  })

  test('entries of a map may lack their key or value, or come twice', () => {
    expect(read('ConfigMap', '1200')).toEqual({ data: { '': '' } })
    expect(read('ConfigMap', '12030a0161 12060a0161120162')).toEqual({ data: { a: 'b' } })
    expect(read('ResourceRequirements', '0a050a03637075')).toEqual({ limits: { cpu: '0' } })
    expect(read('Secret', '12050a01611200')).toEqual({ data: { a: '' } })
  })

  test('keys that mean something to JavaScript are keys', () => {
    const keys = ['__proto__', 'constructor', 'toString']
    const object: JsonObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata: {}, data: {} }
    for (const key of keys) Object.defineProperty(object['data'], key, { value: 'x', enumerable: true })
    const data = decodeProtobuf(encodeProtobuf(object) as Uint8Array)['data'] as JsonObject
    expect(Object.keys(data).toSorted()).toEqual(keys.toSorted())
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
  })

  test('times: unset, zero, negative, with nanoseconds beyond a second', () => {
    expect(time()).toBeNull()
    expect(time(0)).toBe('1970-01-01T00:00:00.000000Z')
    expect(time(-62_135_596_800)).toBeNull()
    expect(time(-1)).toBe('1969-12-31T23:59:59.000000Z')
    expect(time(1, 1_000_001_999)).toBe('1970-01-01T00:00:02.000001Z')
    expect(time(1, -1000)).toBe('1970-01-01T00:00:00.999999Z')
    expect(() => time(2 ** 60)).toThrow('out of range')
  })

  test('a field of the wrong wire type is refused', () => {
    expect(() => read('EnvVar', '0801')).toThrow('proto: wrong wireType = 0 for field Name')
    expect(() => read('Volume', '1001')).toThrow('proto: wrong wireType = 0 for field VolumeSource')
    expect(() => read('ConfigMap', '120208 01')).toThrow('proto: wrong wireType = 0 for field Data')
  })
})

function timeOf(gen: fc.GeneratorValue): string {
  return new Date(gen(fc.integer, { min: -6e10, max: 2e11 }) * 1000).toISOString()
}

/** An arbitrary value of a shape: never an empty list, which protobuf does not distinguish from an absent one. */
function valueOf(shape: Shape, gen: fc.GeneratorValue, depth: number): Json {
  switch (shape.type) {
    case 'struct': {
      const object: JsonObject = {}
      const chance = Math.max(1, 4 - depth)
      for (const { name, shape: inner } of shape.fields.values()) {
        if (name === 'kind' || name === 'apiVersion' || gen(fc.nat, { max: 6 }) >= chance) continue
        object[name] = valueOf(inner, gen, depth + 1)
      }
      return object
    }
    case 'list':
      return Array.from({ length: gen(fc.integer, { min: 1, max: 2 }) }, () => valueOf(shape.items, gen, depth + 1))
    case 'map':
      return Object.fromEntries(
        gen(fc.uniqueArray, fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 3 }).map((key) => [
          key,
          valueOf(shape.values, gen, depth + 1),
        ]),
      )
    case 'any':
      return gen(fc.string)
    case 'scalar':
      switch (shape.scalar) {
        case 'boolean':
          return gen(fc.boolean)
        case 'integer':
          return shape.format === 'int64' ? gen(fc.maxSafeInteger) : gen(fc.integer)
        case 'number':
          return gen(fc.double, { noNaN: true, noDefaultInfinity: true })
        case 'intOrString':
          return gen(fc.boolean) ? gen(fc.integer, { min: -(2 ** 31) + 1 }) : gen(fc.string)
        case 'bytes':
          return Buffer.from(gen(fc.uint8Array, { maxLength: 9 })).toString('base64')
        case 'time':
          return timeOf(gen)
        case 'microTime':
          return timeOf(gen).replace('.000Z', '.000000Z')
        case 'quantity':
          return gen(fc.constantFrom, '0', '1', '100m', '1Gi', '-5', '1500m')
        default:
          return gen(fc.string)
      }
  }
}

test('what the decoder makes canonical comes back as it was, for every type', () => {
  const types = [...encoding().names()].filter((type) => !type.includes('apiextensions'))
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.gen(), (type, gen) => {
      const shape = builtinShape(type) as StructShape
      const { object } = decodeTyped(valueOf(shape, gen, 0) as JsonObject, shape)
      const writer = new WireWriter()
      messageOfType(type).write(writer, object)
      const bytes = writer.take()
      const back = decodeTyped(messageOfType(type).read(new WireReader(bytes), bytes.length) as JsonObject, shape)
      expect(back.sawUnknown).toBe(false)
      expect(back.object).toEqual(object)
    }),
    { numRuns: 300, endOnFailure: true },
  )
})
