/** Type conversions as functions: `int(x)`, `string(x)`, `type(x)`, `dyn(x)` and others. */
import { maxCost, scaleEstimate, stringTraversalFactor } from '../../costs.ts'
import {
  boolType,
  bytesType,
  CelError,
  type CelResult,
  type CelType,
  CelTypeValue,
  type CelValue,
  doubleType,
  durationType,
  dynType,
  type FunctionDeclaration,
  intType,
  paramType,
  stringType,
  timestampType,
  uintType,
} from '../../library.ts'
import { type Costs, declare, overload, traversal } from '../declare.ts'
import { toBool, toBytes, toDouble, toDuration, toInt, toText, toTimestamp, toUint } from './conversions.ts'
import { typeNameOf } from './type-names.ts'

type Convert = (value: CelValue) => CelResult

/** A conversion of a constant is evaluated once; its error is an error of the whole expression. */
function constant(name: string, convert: Convert, takes: ReadonlySet<string>): Costs {
  return {
    prepare: ([value]) => {
      if (value === undefined) return undefined
      const type = typeNameOf(value)
      const result = takes.has(type) ? convert(value) : new CelError(`no such overload: ${name}(${type})`)
      return result instanceof CelError ? result : undefined
    },
  }
}

function nameOf(type: CelType): string {
  if (type.kind === 'timestamp') return 'google.protobuf.Timestamp'
  return type.kind === 'duration' ? 'google.protobuf.Duration' : type.kind
}

/** `from`: overload ids and argument types; all have the same result type. */
function conversions(
  name: string,
  result: CelType,
  convert: Convert,
  from: readonly (readonly [string, CelType, Costs?])[],
): FunctionDeclaration {
  const prepared = constant(name, convert, new Set(from.map(([, type]) => nameOf(type))))
  return declare(
    name,
    ...from.map(([id, type, costs]) => overload(id, [type], result, convert, { ...prepared, ...costs })),
  )
}

/** A character takes up to four bytes. */
const textToBytes: Costs = {
  ...traversal(),
  unsureCost: () => 1,
  estimate: (call) => {
    const [text] = call.args
    if (text === undefined) return undefined
    const { min, max } = call.sizeOf(text)
    const resultSize = { min, max: Math.min(max * 4, maxCost) }
    return { cost: scaleEstimate({ min, max }, stringTraversalFactor), resultSize }
  },
}

const bytesToText: Costs = {
  ...traversal(),
  unsureCost: () => 1,
  estimate: (call) => {
    const [bytes] = call.args
    if (bytes === undefined) return undefined
    const { min, max } = call.sizeOf(bytes)
    const resultSize = { min: Math.floor(min / 4), max }
    return { cost: scaleEstimate({ min, max }, stringTraversalFactor), resultSize }
  },
}

const any = paramType('A')

export const conversionFunctions: readonly FunctionDeclaration[] = [
  declare(
    'type',
    overload('type', [any], { kind: 'type', of: any }, (value: CelValue) => new CelTypeValue(typeNameOf(value))),
  ),
  conversions('bool', boolType, toBool, [
    ['bool_to_bool', boolType],
    ['string_to_bool', stringType],
  ]),
  conversions('bytes', bytesType, toBytes, [
    ['bytes_to_bytes', bytesType],
    ['string_to_bytes', stringType, textToBytes],
  ]),
  conversions('double', doubleType, toDouble, [
    ['double_to_double', doubleType],
    ['int64_to_double', intType],
    ['string_to_double', stringType],
    ['uint64_to_double', uintType],
  ]),
  conversions('duration', durationType, toDuration, [
    ['duration_to_duration', durationType],
    ['int64_to_duration', intType],
    ['string_to_duration', stringType],
  ]),
  declare(
    'dyn',
    overload('to_dyn', [any], dynType, (value: CelValue) => value),
  ),
  conversions('int', intType, toInt, [
    ['int64_to_int64', intType],
    ['double_to_int64', doubleType],
    ['duration_to_int64', durationType],
    ['string_to_int64', stringType],
    ['timestamp_to_int64', timestampType],
    ['uint64_to_int64', uintType],
  ]),
  conversions('string', stringType, toText, [
    ['string_to_string', stringType],
    ['bool_to_string', boolType],
    ['bytes_to_string', bytesType, bytesToText],
    ['double_to_string', doubleType],
    ['duration_to_string', durationType],
    ['int64_to_string', intType],
    ['timestamp_to_string', timestampType],
    ['uint64_to_string', uintType],
  ]),
  conversions('timestamp', timestampType, toTimestamp, [
    ['timestamp_to_timestamp', timestampType],
    ['int64_to_timestamp', intType],
    ['string_to_timestamp', stringType],
  ]),
  conversions('uint', uintType, toUint, [
    ['uint64_to_uint64', uintType],
    ['double_to_uint64', doubleType],
    ['int64_to_uint64', intType],
    ['string_to_uint64', stringType],
  ]),
]
