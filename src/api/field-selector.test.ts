import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkFieldSelector, fieldLabelsOf, fieldSelectorOf, parseFieldSelector } from './field-selector.ts'

const lookup = (fields: Record<string, string>) => (field: string) => fields[field] ?? ''

describe('parsing', () => {
  it('parsing a field selector understands the three operators, and drops empty terms', () => {
    const selector = parseFieldSelector('status.phase!=Running,,metadata.name=x,spec.a==b')
    expect(selector.requirements).toEqual([
      { field: 'metadata.name', equal: true, value: 'x' },
      { field: 'spec.a', equal: true, value: 'b' },
      { field: 'status.phase', equal: false, value: 'Running' },
    ])
    expect(selector.toString()).toBe('metadata.name=x,spec.a=b,status.phase!=Running')
    expect(parseFieldSelector('').isEmpty).toBe(true)
    expect(parseFieldSelector('=').isEmpty).toBe(true)
  })

  it('parsing a field selector unescapes values', () => {
    expect(parseFieldSelector('a=x\\,y\\=z\\\\').requirements[0]?.value).toBe('x,y=z\\')
  })

  it.each([
    ['zz', "invalid selector: 'zz'; can't understand 'zz'"],
    ['x=\\q', 'invalid field selector: invalid escape sequence: \\q'],
    ['x=a\\', 'invalid field selector: invalid escape sequence: \\'],
    ['x=a=b', 'invalid field selector: unescaped character in value: 61'],
  ])('parsing a field selector refuses %s', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message)
  })
})

describe('matching', () => {
  it('a field selector compares with what the lookup gives, unset being empty', () => {
    const selector = parseFieldSelector('status.phase!=Running,spec.nodeName=')
    expect(selector.matches(lookup({ 'status.phase': 'Pending' }))).toBe(true)
    expect(selector.matches(lookup({ 'status.phase': 'Running' }))).toBe(false)
    expect(selector.matches(lookup({ 'spec.nodeName': 'n1' }))).toBe(false)
  })

  it('a field selector reports the value that a field is fixed to', () => {
    const selector = parseFieldSelector('metadata.name=x,a!=b')
    expect(selector.exactValue('metadata.name')).toBe('x')
    expect(selector.exactValue('a')).toBeUndefined()
  })

  it('a field selector parses what it prints', () => {
    const term = fc.record({ field: fc.constantFrom('a', 'b.c'), equal: fc.boolean(), value: fc.string() })
    fc.assert(
      fc.property(fc.array(term), (terms) => {
        const printed = fieldSelectorOf(terms).toString()
        const byText = (list: readonly object[]) => list.map((each) => JSON.stringify(each)).sort()
        expect(byText(parseFieldSelector(printed).requirements)).toEqual(byText(terms))
      }),
      { numRuns: 500 },
    )
  })
})

describe('which fields a kind offers', () => {
  const check = (of: Partial<Parameters<typeof fieldLabelsOf>[0]>, fields: string[], text: string) =>
    checkFieldSelector(
      parseFieldSelector(text),
      fieldLabelsOf({ group: '', kind: 'X', namespaced: true, builtin: true, ...of }, fields),
    ).toString()

  it('selectable fields of most built-in kinds are metadata only', () => {
    expect(check({ kind: 'ConfigMap' }, [], 'metadata.namespace=x,metadata.name=y')).toBe(
      'metadata.name=y,metadata.namespace=x',
    )
    expect(check({ kind: 'ClusterRole', namespaced: false }, [], 'metadata.namespace=x')).toBe('metadata.namespace=x')
    expect(() => check({ kind: 'ConfigMap' }, [], 'data.k=x')).toThrow(
      '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
    )
  })

  it('selectable fields of some built-in kinds are their own', () => {
    expect(check({ kind: 'Pod' }, ['spec.nodeName'], 'spec.host=n')).toBe('spec.nodeName=n')
    expect(() => check({ kind: 'Pod' }, ['spec.nodeName'], 'spec.x=n')).toThrow('field label not supported: spec.x')
    expect(() => check({ kind: 'Node', namespaced: false }, ['spec.unschedulable'], 'metadata.namespace=x')).toThrow(
      'field label not supported: metadata.namespace',
    )
    expect(() => check({ group: 'batch', kind: 'Job' }, ['status.successful'], 'a=b')).toThrow(
      'field label "a" not supported for Job',
    )
    expect(() =>
      check({ group: 'resource.k8s.io', kind: 'ResourceSlice', namespaced: false }, ['spec.driver'], 'a=b'),
    ).toThrow('field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: a')
  })

  it('selectable fields of custom resources are those of the CRD', () => {
    expect(check({ group: 'ex.io', builtin: false }, ['spec.color'], 'spec.color=blue')).toBe('spec.color=blue')
    expect(() => check({ group: 'ex.io', builtin: false }, [], 'spec.size=blue')).toThrow(
      'field label not supported: spec.size',
    )
    expect(() => check({ group: 'ex.io', builtin: false, namespaced: false }, [], 'metadata.namespace=a')).toThrow(
      'field label not supported: metadata.namespace',
    )
  })
})
