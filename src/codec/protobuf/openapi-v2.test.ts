import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { goYaml } from './go-yaml.ts'
import { encodeOpenApiV2 } from './openapi-v2.ts'

/**
 * Parts of the document of a real kube-apiserver v1.35.8, recorded in both encodings: some built-in paths and types,
 * and a custom resource that covers every encoding rule for schemas and YAML.
 */
const recorded = JSON.parse(readFileSync(new URL('./testdata/openapi-v2.json', import.meta.url), 'utf8')) as {
  document: JsonObject
  protobuf: string
}

describe('encodeOpenApiV2', () => {
  test('encodeOpenApiV2 gives the bytes of a real server', () => {
    const bytes = Buffer.from(encodeOpenApiV2(recorded.document))
    expect(bytes.length).toBe(Buffer.from(recorded.protobuf, 'base64').length)
    expect(bytes.toString('base64') === recorded.protobuf).toBe(true)
  })

  test('encodeOpenApiV2 passes over what has no field', () => {
    expect(
      Buffer.from(encodeOpenApiV2({ swagger: '2.0', unknown: { a: 1 }, definitions: 5, paths: null })).toString(
        'latin1',
      ),
    ).toBe('\n\x032.0')
  })

  test('encodeOpenApiV2 reads own keys alone', () => {
    const document = JSON.parse(
      '{"swagger":"2.0","definitions":{"__proto__":{"type":"object"},"constructor":{}}}',
    ) as JsonObject
    const text = Buffer.from(encodeOpenApiV2(document)).toString('latin1')
    expect(text).toContain('__proto__')
    expect(text).toContain('constructor')
  })
})

describe('goYaml', () => {
  test.each([
    [[], '[]'],
    [{}, '{}'],
    [{ a: {}, b: [] }, 'a: {}\nb: []'],
    [{ a: { b: { c: 'd' } } }, 'a:\n    b:\n        c: d'],
    [{ a: ['b', ['c']] }, 'a:\n    - b\n    - - c'],
    [[{ a: 1, b: [true] }], '- a: 1\n  b:\n    - true'],
    [null, 'null'],
    ['', '""'],
    ['two\nlines', '|-\n    two\n    lines'],
    ['ends\n', '"ends\\n"'],
    ["'", "''''"],
  ])('goYaml: %j', (value, text) => {
    expect(goYaml(value)).toBe(text)
  })
})
