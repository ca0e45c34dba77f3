import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { any, type Shape } from '../../shape/shape.ts'
import { validateTyped } from './validate.ts'

const configMap = builtinShape('io.k8s.api.core.v1.ConfigMap')
const deployment = builtinShape('io.k8s.api.apps.v1.Deployment')

const problem = (value: JsonObject): string | undefined => validateTyped(configMap, value)
const podSpec = (spec: Json): string | undefined =>
  validateTyped(deployment, { spec: { template: { spec } } })?.replace('.spec.template.spec', 'POD')

describe('what does not fit, in the words of a recorded server', () => {
  it.each<[JsonObject, string | undefined]>([
    [{ data: { a: '1' }, immutable: null, metadata: { labels: null } }, undefined],
    [{ foo: 1 }, '.foo: field not declared in schema'],
    [{ data: [1] }, '.data: expected map, got &{[1]}'],
    [{ data: 'x' }, '.data: expected map, got &{x}'],
    [{ metadata: 'x' }, '.metadata: expected map, got &{x}'],
    [{ metadata: { finalizers: { a: 1 } } }, '.metadata.finalizers: expected list, got &{map[a:1]}'],
    [{ immutable: 'q' }, '.immutable: expected boolean, got &{q}'],
    [{ immutable: { a: 'b', c: [1, null] } }, '.immutable: expected boolean, got &{map[a:b c:[1 <nil>]]}'],
    [{ metadata: { generation: true } }, '.metadata.generation: expected numeric (int or float), got bool'],
    [
      { metadata: { generation: {} } },
      '.metadata.generation: expected numeric (int or float), got map[string]interface {}',
    ],
    [{ metadata: { creationTimestamp: {} } }, '.metadata.creationTimestamp: expected any scalar, got &{map[]}'],
    [{ data: { a: 1000000 } }, '.data.a: expected string, got &value.valueUnstructured{Value:1000000}'],
    [{ data: { a: 1e21 } }, '.data.a: expected string, got &value.valueUnstructured{Value:1e+21}'],
    [{ data: { a: -0.00001 } }, '.data.a: expected string, got &value.valueUnstructured{Value:-1e-05}'],
    [
      { data: { z: { q: null, a: [true, { b: 1.5 }] } } },
      '.data.z: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}' +
        '{true, map[string]interface {}{"b":1.5}}, "q":interface {}(nil)}}',
    ],
    [{ metadata: { finalizers: ['é"x', 'é"x'] } }, '.metadata.finalizers: duplicate entries for key [="é\\"x"]'],
    [
      { metadata: { finalizers: [['a']] } },
      '.metadata.finalizers: element 0: not supported: associative list with lists as elements',
    ],
    [
      { metadata: { finalizers: [{ a: 1 }] } },
      ".metadata.finalizers: element 0: associative list without keys has an element that's a map type",
    ],
    [
      { metadata: { finalizers: [1] } },
      '.metadata.finalizers[=1]: expected string, got &value.valueUnstructured{Value:1}',
    ],
  ])('%j', (value, message) => {
    expect(problem(value)).toBe(message)
  })

  it.each<[Json, string | undefined]>([
    [
      {
        containers: [
          { name: 'c', image: 'i' },
          { name: 'c', image: 'j' },
        ],
      },
      'POD.containers: duplicate entries for key [name="c"]',
    ],
    [{ containers: [{ image: 'x' }, { name: '', image: 'y' }] }, 'POD.containers: duplicate entries for key [name=""]'],
    [{ containers: [null] }, 'POD.containers: element 0: associative list with keys may not have a null element'],
    [{ containers: ['x'] }, 'POD.containers: element 0: associative list with keys may not have non-map elements'],
    [
      { containers: [{ name: 'c', ports: [{ containerPort: 1000000 }, { containerPort: 1000000, protocol: 'TCP' }] }] },
      'POD.containers[name="c"].ports: duplicate entries for key [containerPort=1000000,protocol="TCP"]',
    ],
    [
      { containers: [{ name: 'c', command: ['a', 1] }] },
      'POD.containers[name="c"].command[1]: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [
      { containers: [{ name: 'c', resources: { limits: { cpu: { a: 1 } } } }] },
      'POD.containers[name="c"].resources.limits.cpu: expected any scalar, got &{map[a:1]}',
    ],
    [{ containers: [{ name: 'c', resources: { limits: { cpu: 1 } } }] }, undefined],
  ])('%j', (spec, message) => {
    expect(podSpec(spec)).toBe(message)
  })

  it('validation of typed values joins several, and stops looking at an object with an undeclared field', () => {
    expect(problem({ data: 'x', immutable: 'q' })).toBe(
      'errors:\n  .data: expected map, got &{x}\n  .immutable: expected boolean, got &{q}',
    )
    expect(problem({ immutable: 'q', foo: 1, bar: 2, data: 'x' })).toBe(
      'errors:\n  .immutable: expected boolean, got &{q}\n  .foo: field not declared in schema',
    )
    expect(problem({ metadata: { finalizers: ['a', 'a', null] } })).toBe(
      'errors:\n  .metadata.finalizers: duplicate entries for key [="a"]\n' +
        "  .metadata.finalizers: element 2: associative list without keys has an element that's an explicit null",
    )
  })

  it('validation of typed values takes inherited names for what they are: undeclared fields', () => {
    expect(problem(JSON.parse('{"constructor":1}') as JsonObject)).toBe('.constructor: field not declared in schema')
    expect(problem(JSON.parse('{"__proto__":1}') as JsonObject)).toBe('.__proto__: field not declared in schema')
    expect(problem(JSON.parse('{"data":{"__proto__":"x"}}') as JsonObject)).toBeUndefined()
  })

  it('validation of typed values allows anything without a schema, and requires keys without a default', () => {
    const field = (shape: Shape) => ({ name: 'x', shape, required: false, emit: 'set', patchStrategy: [] }) as const
    const items: Shape = { type: 'struct', name: '', atomic: false, preserveUnknown: true, fields: new Map() }
    const root: Shape = {
      type: 'struct',
      name: '',
      atomic: false,
      preserveUnknown: false,
      fields: new Map([
        ['free', field(any)],
        ['list', field({ type: 'list', items, ownership: 'map', keys: ['b', 'a'] })],
      ]),
    }
    expect(validateTyped(root, { free: [1, { a: null }], list: [{ a: 1, c: [] }] })).toBeUndefined()
    expect(validateTyped(root, { list: [{ c: 1 }] })).toBe(
      '.list: element 0: associative list with keys has an element that omits all key fields ["b" "a"]' +
        " (and doesn't have default values for any key fields)",
    )
  })
})
