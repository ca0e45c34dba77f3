/**
 * Finds the decoding error that upstream reports if there are several: the first in the order of the text, unless a
 * type with its own UnmarshalJSON (a time, a quantity) rejects its value. That ends decoding at once.
 */
import { isObject, type Json, type JsonObject } from '../api/json.ts'
import { decodeScalar, UnmarshalError, wrongType } from './decode-scalar.ts'
import { embeddedHome } from './embedded.ts'
import type { Shape, StructShape } from './shape.ts'

interface Walk {
  path: string[]
  struct: string
  first: UnmarshalError | undefined
}

/**
 * The error of a value that cannot be decoded; undefined if it can be. `ofTypeToo`: kind and apiVersion are checked.
 */
export function firstError(value: JsonObject, shape: StructShape, ofTypeToo: boolean): UnmarshalError | undefined {
  const walk: Walk = { path: [], struct: shape.goType ?? '', first: undefined }
  try {
    walkStruct(value, shape, walk, ofTypeToo ? [] : ['kind', 'apiVersion'])
  } catch (error) {
    if (error instanceof UnmarshalError) return error
    throw error
  }
  return walk.first
}

function walkStruct(value: JsonObject, shape: StructShape, walk: Walk, skipped: readonly string[]): void {
  const outer = walk.struct
  const depth = walk.path.length
  for (const key of Object.keys(value)) {
    const field = shape.fields.get(key)
    const child = value[key]
    if (field === undefined || child === null || child === undefined || skipped.includes(key)) continue
    const home = embeddedHome(shape.goType ?? '', key)
    if (home !== undefined) walk.path.push(home)
    walk.path.push(key)
    walk.struct = shape.goType ?? ''
    walkValue(child, field.shape, walk, false)
    walk.path.length = depth
  }
  walk.struct = outer
}

function walkValue(value: Json, shape: Shape, walk: Walk, inList: boolean): void {
  const wrong = (goType: string, kind: string): void => {
    walk.first ??= wrongType(value, goType, kind, walk)
  }
  switch (shape.type) {
    case 'scalar':
      try {
        decodeScalar(value, shape, walk, inList)
      } catch (error) {
        if (!(error instanceof UnmarshalError) || error.final) throw error
        walk.first ??= error
      }
      return
    case 'struct':
      if (isObject(value)) walkStruct(value, shape, walk, [])
      else wrong(`${packageOf(shape)}${shape.goType ?? ''}`, 'struct')
      return
    case 'list':
      if (!Array.isArray(value)) wrong(shape.goType ?? '[]interface {}', 'slice')
      else for (const item of value) if (item !== null) walkValue(item, shape.items, walk, false)
      return
    case 'map':
      if (shape.goType === 'runtime.RawExtension') return
      if (!isObject(value)) wrong(shape.goType ?? 'map[string]interface {}', 'map')
      else
        for (const key of Object.keys(value))
          if (value[key] !== null) walkValue(value[key] as Json, shape.values, walk, true)
      return
    case 'any':
  }
}

/** The package in Go's name of a type: `v1.` of `v1.ObjectMeta`. */
export function packageOf(shape: StructShape): string {
  const parts = shape.name.split('.')
  const last = parts[parts.length - 2]
  return last === undefined ? '' : `${last}.`
}
