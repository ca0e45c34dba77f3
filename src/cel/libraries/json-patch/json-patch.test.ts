import { describe, expect, it } from 'vitest'
import { compileExpression, kubernetesEnvironment, patchEnvironment } from '../../expression.ts'
import { dynType, type CelError, type CelResult } from '../../library.ts'
import { typeText } from '../../types.ts'
import { ConstructedValue } from './values.ts'

const variables = new Map([['object', dynType]])

function typeOf(text: string, environment = patchEnvironment()): string {
  const compiled = compileExpression(text, variables, environment)
  return typeof compiled === 'string' ? (compiled.split('\n')[0] as string) : typeText(compiled.type)
}

function valueOf(text: string): { readonly result: CelResult; readonly cost: number } {
  const compiled = compileExpression(text, variables, patchEnvironment())
  if (typeof compiled === 'string') throw new Error(compiled)
  return compiled.program()([null], 1_000_000)
}

describe('an expression of a mutation', () => {
  it.each([
    ['Object{}', 'Object'],
    ['Object.spec{a: 1, b: "c"}', 'Object.spec'],
    ['[JSONPatch{op: "add", path: "/a", value: [1]}]', 'list(JSONPatch)'],
    ['Object{a: 1}.a', 'dyn'],
    ['Other{}', "ERROR: <input>:1:6: undeclared reference to 'Other' (in container '')"],
    ['JSONPatch{op: 1}', "ERROR: <input>:1:13: expected type of field 'op' is 'string' but provided type is 'int'"],
    ['Object{?a: 1}', "ERROR: <input>:1:12: expected type 'optional_type(int)' but found 'int'"],
  ])('an expression of a mutation has a type: %s', (text, type) => {
    expect(typeOf(text)).toBe(type)
  })

  it('an expression of a mutation constructs objects; those of rules cannot', () => {
    const { result, cost } = valueOf('Object{a: 1, ?b: optional.none(), ?c: optional.of("d")}')
    expect(result).toBeInstanceOf(ConstructedValue)
    expect([...(result as ConstructedValue).fields]).toEqual([
      ['a', 1n],
      ['c', 'd'],
    ])
    expect(cost).toBe(42)
    expect(typeOf('Object{}', kubernetesEnvironment())).toContain("undeclared reference to 'Object'")
  })

  it('an expression of a mutation compares objects by type name and fields', () => {
    expect(valueOf('Object{a: 1} == Object{a: 1}').result).toBe(true)
    expect(valueOf('Object{a: 1} == Object{a: 2}').result).toBe(false)
    expect(valueOf('dyn(Object.a{}) == dyn(Object.b{})').result).toBe(false)
    expect(valueOf('has(Object{a: 1}.a) && !has(Object{}.a)').result).toBe(true)
  })

  it('an expression of a mutation escapes keys and checks the fields of patches', () => {
    expect(valueOf('jsonpatch.escapeKey("a/b~c")').result).toBe('a~1b~0c')
    const wrong = valueOf('JSONPatch{op: dyn(1)}').result
    expect((wrong as CelError).message).toBe("unexpected type int64 for JSONPatchType 'op' field")
  })
})
