/** Encodes every built-in kind with every field as protobuf and decodes it again: the result must be equal. */
import { describe, expect, it } from 'vitest'
import { isObject, type Json } from '../../src/api/json.ts'
import { decodeProtobuf, encodeProtobuf } from '../../src/codec/protobuf/protobuf.ts'
import { builtInKinds, filledObject, type Form } from './filled.ts'

const kinds = builtInKinds()

function leaves(value: Json): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + leaves(item), 0)
  return isObject(value) ? Object.values(value).reduce<number>((sum, item) => sum + leaves(item), 0) : 1
}

describe.each<Form>(['first', 'second'])('filled with the %s form of each value', (form) => {
  it.each(kinds)('round trip of $apiVersion $kind', (kind) => {
    const object = filledObject(kind, form)
    expect(decodeProtobuf(encodeProtobuf(object) as Uint8Array)).toEqual(object)
  })
})

it('the generator of objects fills many kinds, deeply', () => {
  expect(kinds.length).toBeGreaterThan(120)
  const pod = kinds.find(({ kind }) => kind === 'Pod')
  expect(pod && leaves(filledObject(pod, 'first'))).toBeGreaterThan(1_500)
})
