import { describe, expect, test } from 'vitest'
import { acceptsAny, chooseDiscovery, chooseOpenApiV2, parseAccept } from './accept.ts'

const legacy = { form: 'legacy', mediaType: 'application/json' }
const protobuf = 'application/vnd.kubernetes.protobuf'
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

describe('parseAccept', () => {
  test('parseAccept puts heavier clauses first, and exact ones before wildcards', () => {
    const ranges = parseAccept('*/*, text/html;q=0.5, application/*, application/json')
    const types = ranges.map((each) => `${each.type}/${each.subtype}`)
    expect(types).toEqual(['application/json', 'application/*', '*/*', 'text/html'])
  })

  test('parseAccept takes anything when nothing is said', () => {
    expect(parseAccept(undefined)).toEqual(parseAccept('*/*'))
    expect(parseAccept('')).toEqual(parseAccept('*/*'))
  })
})

describe('chooseDiscovery', () => {
  test.each([
    [aggregated, { form: 'aggregated', mediaType: 'application/json' }],
    [aggregated.replace('json', 'yaml'), { form: 'aggregated', mediaType: 'application/yaml' }],
    [`${aggregated};profile=nopeer`, { form: 'aggregated', mediaType: 'application/json' }],
    [`${aggregated.replace('v2', 'v2beta1')},application/json`, legacy],
    [aggregated.replace('v2', 'v2beta1'), undefined],
    [`${protobuf},application/json`, { form: 'legacy', mediaType: protobuf }],
    [aggregated.replace('application/json', protobuf), { form: 'aggregated', mediaType: protobuf }],
    [`${protobuf};q=0.5,application/json`, legacy],
    ['application/cbor,application/json;q=0.9', legacy],
    ['application/cbor', undefined],
    ['text/html', undefined],
    [undefined, legacy],
  ])('chooseDiscovery: %s', (header, choice) => {
    expect(chooseDiscovery(header, true)).toEqual(choice)
  })

  test('documents of one group are not aggregated', () => {
    expect(chooseDiscovery(aggregated, false)).toBeUndefined()
  })
})

test('acceptsAny looks at the type alone', () => {
  expect(acceptsAny(aggregated)).toBe(true)
  expect(acceptsAny('text/html')).toBe(false)
  expect(acceptsAny('application/yaml', ['application/json'])).toBe(false)
})

describe('chooseOpenApiV2', () => {
  const form = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

  test.each([
    [form, form],
    [form.replace('.v1.0', '@v1.0'), form],
    [`${form};q=0.5,application/json`, 'application/json'],
    ['application/*', 'application/json'],
    [undefined, 'application/json'],
    ['application/vnd.kubernetes.protobuf', undefined],
    ['text/html', undefined],
  ])('chooseOpenApiV2: %s', (header, choice) => {
    expect(chooseOpenApiV2(header)).toBe(choice)
  })
})
