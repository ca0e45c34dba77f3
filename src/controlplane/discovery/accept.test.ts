import { describe, expect, test } from 'vitest'
import { acceptsAny, chooseDiscovery, parseAccept } from './accept.ts'

const legacy = { form: 'legacy', mediaType: 'application/json' }
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

describe('parseAccept', () => {
  test('puts heavier clauses first, and exact ones before wildcards', () => {
    const ranges = parseAccept('*/*, text/html;q=0.5, application/*, application/json')
    const types = ranges.map((each) => `${each.type}/${each.subtype}`)
    expect(types).toEqual(['application/json', 'application/*', '*/*', 'text/html'])
  })

  test('takes anything when nothing is said', () => {
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
    ['application/vnd.kubernetes.protobuf,application/json', legacy],
    ['application/vnd.kubernetes.protobuf', undefined],
    ['text/html', undefined],
    [undefined, legacy],
  ])('%s', (header, choice) => {
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
