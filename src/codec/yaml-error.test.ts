import { describe, expect, it } from 'vitest'
import { JsonSyntaxError } from './json-text.ts'
import { parseYaml } from './yaml-text.ts'

/** Recorded from a real server. */
const cases: readonly (readonly [text: string, message: string])[] = [
  ['a: b: c', 'yaml: mapping values are not allowed in this context'],
  ['a: b\n  c: d', 'yaml: line 2: mapping values are not allowed in this context'],
  ['{', 'yaml: line 1: did not find expected node content'],
  ['a: [1', "yaml: line 1: did not find expected ',' or ']'"],
  ['a: b\nc: {d: e\n', "yaml: line 2: did not find expected ',' or '}'"],
  ['\tx: 1', 'yaml: found character that cannot start any token'],
  ['@x', 'yaml: found character that cannot start any token'],
  ['x: "', 'yaml: found unexpected end of stream'],
  ['a: "\\q"', 'yaml: found unknown escape character'],
  ['- a\nb: c', "yaml: line 1: did not find expected '-' indicator"],
  ['metadata:\n  name: x\n name: y', 'yaml: line 2: did not find expected key'],
  ['a: *b', "yaml: unknown anchor 'b' referenced"],
  ['a: &b [*b]', "yaml: anchor 'b' value contains itself"],
  ['!!binary x', 'yaml: !!binary value contains invalid base64 data'],
  ['!!int x', 'yaml: cannot decode !!str `x` as a !!int'],
  ['? [a]: b', 'yaml: invalid map key: []interface {}{"a"}'],
  ['%YAML 9', "yaml: did not find expected digit or '.' character"],
]

describe('errors of YAML text', () => {
  it.each(cases)('errors of YAML text: %j', (text, message) => {
    expect(() => parseYaml(text)).toThrow(new JsonSyntaxError(message))
  })

  it('errors of YAML text are not made of what follows a value in braces', () => {
    expect(parseYaml('{"a":1}x').value).toEqual({ a: 1 })
  })
})
