/** For any input, the result is an object or a ProtobufError: never another error, never a hang. */
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decodeProtobuf, encodeProtobuf, ProtobufError } from './protobuf.ts'
import { maxMessages } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

function survives(bytes: Uint8Array): void {
  try {
    expect(typeof decodeProtobuf(bytes)).toBe('object')
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error
  }
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return [...bytes, rest]
}

const text = (value: string): number[] => [...Buffer.from(value)]

function block(number: number, bytes: readonly number[]): number[] {
  return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes]
}

function envelope(apiVersion: string, kind: string, raw: readonly number[]): Uint8Array {
  const type = [...block(1, text(apiVersion)), ...block(2, text(kind))]
  return Uint8Array.from([...text('k8s\0'), ...block(1, type), ...block(2, raw)])
}

interface Recorded {
  readonly bytes: Uint8Array
  readonly json: { readonly apiVersion: string; readonly kind: string }
}

function recorded(file: string): readonly Recorded[] {
  const lines = readFileSync(new URL(`./testdata/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => {
    const { protobuf, json } = JSON.parse(line) as { protobuf: string; json: Recorded['json'] }
    return { bytes: Buffer.from(protobuf, 'base64'), json }
  })
}

const objects = recorded('objects.jsonl')
const kubectlBodies = recorded('kubectl.jsonl')
const either = fc.constantFrom(...objects, ...kubectlBodies)
const kinds = fc.constantFrom(...objects.map(({ json }) => [json.apiVersion, json.kind] as const))

test('the protobuf reader survives: random bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), survives))
})

test('the protobuf reader survives: random bytes after the magic, and as the object of a known kind', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), kinds, (bytes, [apiVersion, kind]) => {
      survives(Uint8Array.from([...text('k8s\0'), ...bytes]))
      survives(envelope(apiVersion, kind, [...bytes]))
    }),
  )
})

test('the protobuf reader survives: real messages with a few bytes changed, cut or doubled', () => {
  const how = fc.constantFrom('set', 'cut', 'insert')
  const change = fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }), how })
  fc.assert(
    fc.property(either, fc.array(change, { minLength: 1, maxLength: 6 }), ({ bytes }, changes) => {
      const mutated = [...bytes]
      for (const each of changes) {
        const at = 4 + (each.at % (mutated.length - 4))
        mutated.splice(at, each.how === 'insert' ? 0 : 1, ...(each.how === 'cut' ? [] : [each.byte]))
      }
      survives(Uint8Array.from(mutated))
    }),
    { numRuns: 1000 },
  )
})

test('the protobuf reader survives: every beginning of a real message', () => {
  for (const { bytes } of kubectlBodies) {
    for (let length = 0; length < bytes.length; length++) survives(bytes.subarray(0, length))
  }
})

test('the protobuf reader survives: what was read from a changed message can be written again', () => {
  fc.assert(
    fc.property(fc.constantFrom(...kubectlBodies), fc.nat(), fc.nat({ max: 255 }), ({ bytes }, at, byte) => {
      const mutated = Uint8Array.from(bytes)
      mutated[4 + (at % (bytes.length - 4))] = byte
      let object
      try {
        object = decodeProtobuf(mutated)
      } catch {
        return
      }
      expect(encodeProtobuf(object)).toBeInstanceOf(Uint8Array)
    }),
    { numRuns: 500 },
  )
})

describe('lengths that the input does not have', () => {
  const lengths = [100, 2 ** 20, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 53]
  test.each(lengths)('lengths that the input does not have: %d', (length) => {
    for (const head of [[0x0a], [0x12], [0x0a, 0x02, 0x0a]]) {
      expect(() => decodeProtobuf(envelope('v1', 'ConfigMap', [...head, ...varint(length)]))).toThrow(ProtobufError)
    }
    expect(() => decodeProtobuf(Uint8Array.from([...text('k8s\0'), 0x12, ...varint(length)]))).toThrow('unexpected EOF')
  })

  test('lengths that the input does not have: a block may not reach beyond the message it is in', () => {
    const raw = [...block(1, [0x0a, 5, 0x61]), ...block(2, text('xxxx'))]
    expect(() => decodeProtobuf(envelope('v1', 'ConfigMap', raw))).toThrow('unexpected EOF')
  })
})

describe('depth', () => {
  /** Nested schemas: `not` is field 28 of JSONSchemaProps; the outer messages lead to it from the definition. */
  function nested(levels: number): Uint8Array {
    const writer = new WireWriter()
    for (const number of [...Array.from({ length: levels }, () => 28), 1, 4, 7, 2]) {
      writer.varint(writer.length)
      writer.varint(number * 8 + 2)
    }
    return envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', [...writer.take()])
  }
  /** Definition, spec, version, validation, schema. */
  const outer = 5

  test('depth of protobuf messages: a schema as deep as allowed', () => {
    let value: unknown = decodeProtobuf(nested(maxMessages - outer))
    for (const name of ['spec', 'versions', '0', 'schema', 'openAPIV3Schema']) {
      value = (value as Record<string, unknown>)[name]
    }
    let levels = 0
    for (; (value as { not?: unknown }).not !== undefined; levels++) value = (value as { not: unknown }).not
    expect(levels).toBe(maxMessages - outer)
  })

  test.each([1, 10_000])('depth of protobuf messages: %d levels more', (more) => {
    expect(() => decodeProtobuf(nested(maxMessages - outer + more))).toThrow(`more than ${maxMessages} nested messages`)
  })

  test('depth of protobuf messages: raw JSON that is deeper than a JSON body may be', () => {
    const revision = (raw: string): Uint8Array =>
      envelope('apps/v1', 'ControllerRevision', block(2, block(1, text(raw))))
    const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
    expect(() => decodeProtobuf(revision(lists(1000)))).not.toThrow()
    expect(() => decodeProtobuf(revision(lists(1001)))).toThrow('exceeded max depth')
    expect(() => decodeProtobuf(revision(lists(200_000)))).toThrow('exceeded max depth')
    expect(() => decodeProtobuf(revision('{"a":'))).toThrow(ProtobufError)
  })
})

test('the protobuf reader survives: raw JSON cannot reach prototypes', () => {
  const raw = block(2, block(1, text('{"__proto__":{"polluted":true}}')))
  const data = decodeProtobuf(envelope('apps/v1', 'ControllerRevision', raw))['data'] as object
  expect(Object.keys(data)).toEqual(['__proto__'])
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})
