/** Declarations that exist without any library: type names, and the internal functions of macros. */
import {
  boolType,
  bytesType,
  CelError,
  CelMap,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  nullType,
  paramType,
  stringType,
  timestampType,
  uintType,
  type CelResult,
  type CelValue,
  type Library,
} from './library.ts'
import { EntryMap } from './values.ts'

const map = mapType(paramType('K'), paramType('V'))

/** Inserts into the result of a loop, in place. */
function insertEntry(into: CelValue, key: CelValue, value: CelValue): CelResult {
  if (!(into instanceof EntryMap)) return new CelError('no such overload')
  if (into.get(key) !== undefined) return new CelError(`insert failed: key ${String(key)} already exists`)
  into.set(key, value)
  return into
}

function insertMap(into: CelValue, entries: CelValue): CelResult {
  if (!(entries instanceof CelMap)) return new CelError('no such overload')
  for (const key of entries.keys()) {
    const result = insertEntry(into, key, entries.get(key) as CelValue)
    if (result instanceof CelError) return result
  }
  return into
}

export const languageLibrary: Library = {
  name: 'language',
  types: [
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    listType(paramType('A')),
    mapType(paramType('A'), paramType('B')),
    nullType,
    stringType,
    timestampType,
    uintType,
    { kind: 'type', of: undefined },
  ],
  functions: [
    {
      name: 'cel.@mapInsert',
      overloads: [
        {
          id: '@mapInsert_map_key_value',
          args: [map, paramType('K'), paramType('V')],
          result: map,
          call: insertEntry,
        },
        {
          id: '@mapInsert_map_map',
          args: [map, map],
          result: map,
          call: insertMap,
        },
      ],
    },
  ],
}
