import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { customColumns } from './columns.ts'

const now = Date.parse('2026-11-16T03:27:03Z')

/** The expected cells are those of a real server. */
const object: KubeObject = {
  metadata: { name: 'a', labels: { 'a.b': 'lbl' }, creationTimestamp: '2026-11-16T03:26:03Z' },
  spec: {
    nul: null,
    obj: { b: '<x>', a: [1, 2.5] },
    f: 1234567.5,
    s: 'x',
    d: '2024-01-01T00:00:00Z',
    bool: true,
    list: [
      { a: 'x', b: '1', n: 1 },
      { a: 'y', b: '2', n: 2 },
    ],
  },
}

function cell(type: string, jsonPath: string): Json | undefined {
  return customColumns([{ name: 'C', type, jsonPath }]).cells(object, now)[1]
}

describe('columns', () => {
  it.each<[string, string, Json]>([
    ['string', '.spec.nul', '<no value>'],
    ['string', '.spec.obj', '{"a":[1,2.5],"b":"\\u003cx\\u003e"}'],
    ['string', '.spec.f', '1.2345675e+06'],
    ['integer', '.spec.f', 1234567],
    ['number', '.spec.f', 1234567.5],
    ['string', '.spec.list[*].a', 'x'],
    ['string', '.spec.list[1].a', 'y'],
    ['string', '.spec.list[-1].a', 'y'],
    ['string', '.spec.list[0:2].a', 'x'],
    ['string', '.spec.list[?(@.a=="y")].b', '2'],
    ['string', ".spec.list[?(@.a=='y')].b", '2'],
    ['string', '.spec.list[?(@.n>1)].a', 'y'],
    ['string', '.spec.list[?(@.zz)].a', null],
    ['string', '.spec.list[?(@.n=="1")].a', null],
    ['string', '.spec.list[7].a', null],
    ['string', ".metadata.labels['a\\.b']", 'lbl'],
    ['string', '.metadata.labels.a\\.b', 'lbl'],
    ['string', '.', null],
    ['string', '..b', '1'],
    ['string', '.spec.missing.deep', null],
    ['string', '.spec.constructor', null],
    ['date', '.spec.d', '2y320d'],
    ['date', '.spec.s', '<invalid>'],
    ['boolean', '.spec.bool', true],
    ['string', '.spec.bool', 'true'],
    ['integer', '.spec.s', null],
  ])('%s %s', (type, path, expected) => {
    expect(cell(type, path)).toEqual(expected)
  })

  it('columns show the age when a CRD names none', () => {
    const printer = customColumns([])
    expect(printer.columns).toEqual([
      { name: 'Name', type: 'string', format: 'name', priority: 0 },
      { name: 'Age', type: 'date', format: '', priority: 0 },
    ])
    expect(printer.cells(object, now)).toEqual(['a', '60s'])
  })

  it('columns end at a path that cannot be parsed', () => {
    const good = { name: 'A', type: 'string', jsonPath: '.spec.s', priority: 1 }
    const { columns } = customColumns([
      good,
      { name: 'B', type: 'string', jsonPath: '.spec[' },
      good,
    ] satisfies JsonObject[])
    expect(columns.map((column) => [column.name, column.priority, column.description])).toEqual([
      ['Name', 0, undefined],
      ['A', 1, 'Custom resource definition column (in JSONPath format): .spec.s'],
    ])
  })

  it('columns bound what a path may cost', () => {
    expect(cell('string', '.a[?('.repeat(200))).toBeUndefined()
    let deep: Json = 'x'
    for (let i = 0; i < 400; i++) deep = { a: deep }
    const wide = customColumns([{ name: 'C', type: 'string', jsonPath: '..a..a..a..a' }])
    expect(wide.cells({ metadata: { name: 'w' }, spec: deep }, now)).toEqual(['w', null])
  }, 5_000)
})
