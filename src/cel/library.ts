/**
 * The contract between CEL and its libraries: types, values, functions and their costs.
 * The language (parser, checker, evaluator, estimator) knows libraries only by these declarations.
 *
 * Values: an `int` is a bigint, a `double` is a number, a `uint` is a {@link CelUint}; strings count in code points,
 * not in UTF-16 units. An error is a value too: functions return a {@link CelError} and do not throw, because `||`,
 * `&&` and the macros may absorb it. Functions never receive errors as arguments.
 *
 * Costs are plain numbers; `costs.ts` adds, multiplies and bounds them.
 */
import { takeSteps } from '../api/step-limit.ts'
import type { Estimate } from './costs.ts'

/* ---- types ---- */

export type SimpleKind =
  | 'dyn'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null_type'
  | 'timestamp'
  | 'duration'
  | 'error'

export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list'; readonly element: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  /** A named struct: a library's value such as kubernetes.Quantity, or an object of a schema. */
  | { readonly kind: 'object'; readonly name: string; readonly fields?: ReadonlyMap<string, FieldType> }
  /** An opaque type with parameters: `optional_type`, `net.IP`. */
  | { readonly kind: 'opaque'; readonly name: string; readonly parameters: readonly CelType[] }
  /** A type parameter of a declaration: within one call, the same name is the same type. */
  | { readonly kind: 'param'; readonly name: string }
  | { readonly kind: 'type'; readonly of: CelType | undefined }

export interface FieldType {
  readonly type: CelType
}

export const dynType: CelType = { kind: 'dyn' }
export const boolType: CelType = { kind: 'bool' }
export const intType: CelType = { kind: 'int' }
export const uintType: CelType = { kind: 'uint' }
export const doubleType: CelType = { kind: 'double' }
export const stringType: CelType = { kind: 'string' }
export const bytesType: CelType = { kind: 'bytes' }
export const nullType: CelType = { kind: 'null_type' }
export const timestampType: CelType = { kind: 'timestamp' }
export const durationType: CelType = { kind: 'duration' }
export const errorType: CelType = { kind: 'error' }

export function listType(element: CelType): CelType {
  return { kind: 'list', element }
}

export function mapType(key: CelType, value: CelType): CelType {
  return { kind: 'map', key, value }
}

export function objectType(name: string): CelType {
  return { kind: 'object', name }
}

export function opaqueType(name: string, ...parameters: CelType[]): CelType {
  return { kind: 'opaque', name, parameters }
}

export function optionalType(of: CelType): CelType {
  return { kind: 'opaque', name: 'optional_type', parameters: [of] }
}

export function paramType(name: string): CelType {
  return { kind: 'param', name }
}

/* ---- values ---- */

/** The value of an expression. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelOptional
  | CelTypeValue
  | CelObject

/** The result of a function. */
export type CelResult = CelValue | CelError

/** A failed evaluation. The message is cel-go's, such as `no such key: a`. */
export class CelError {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

export class CelUint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

/** A point in time in nanoseconds since 1970, from year 1 to 9999. */
export class CelTimestamp {
  readonly nanos: bigint
  /** The offset from UTC that it was written with, in seconds east; only `string()` shows it. */
  readonly offset: number

  constructor(nanos: bigint, offset = 0) {
    this.nanos = nanos
    this.offset = offset
  }
}

/** A duration in nanoseconds; fits into 64 bits. */
export class CelDuration {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A list with access by position, so that a view of JSON needs no copy. Extend it, or use {@link listOf}. */
export abstract class CelList {
  abstract readonly size: number
  /** Part of the validated object, not created by an expression: never a zero value, even if empty. */
  readonly isData: boolean = false
  /** `index` is within bounds. */
  abstract at(index: number): CelValue
  /** True if a uint or an integral double is also valid as an index. */
  readonly takesAnyIndex: boolean = true
  /** Custom `+`, for lists of type set and map; undefined: plain concatenation. */
  concat(_other: CelList): CelResult | undefined {
    return undefined
  }

  /** Custom equality, such as that of sets; undefined: item by item. */
  equals(_other: CelList): boolean | undefined {
    return undefined
  }
}

/** A map, or an object of a schema. */
export abstract class CelMap {
  abstract readonly size: number
  /** As in {@link CelList}. */
  readonly isData: boolean = false
  /** Undefined if there is no such key. */
  abstract get(key: CelValue): CelValue | undefined
  abstract keys(): CelValue[]
  /** Like {@link get}, for maps whose values are computed on access, which can fail. */
  find(key: CelValue): CelResult | undefined {
    return this.get(key)
  }

  /** Custom equality, such as that of objects with unknown fields; undefined: entry by entry. */
  equals(_other: CelMap): boolean | undefined {
    return undefined
  }

  /** The type name if this is an object of a schema and not a map; an object has only its declared fields. */
  readonly objectName: string | undefined = undefined
}

export class CelOptional {
  /** Undefined: `optional.none()`. */
  readonly value: CelValue | undefined

  constructor(value: CelValue | undefined) {
    this.value = value
  }
}

/** A type as a value: the result of `type(x)`, or a type name in an expression. Equal if the names are. */
export class CelTypeValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A library's own value, such as a quantity. */
export abstract class CelObject {
  /** The same constant for all values of the class; `type()` and messages show its name. */
  abstract readonly type: CelType & { kind: 'object' | 'opaque' }
  /** Compares with a value of the same type; the caller checks this. */
  abstract equals(other: CelObject): CelResult
  /** Its size for costs; undefined if it has none. */
  readonly size: number | undefined = undefined
}

class ArrayList extends CelList {
  readonly items: readonly CelValue[]

  constructor(items: readonly CelValue[]) {
    super()
    this.items = items
  }

  get size(): number {
    return this.items.length
  }

  at(index: number): CelValue {
    return this.items[index] as CelValue
  }
}

/** A list of existing values. The array must not change afterwards. */
export function listOf(items: readonly CelValue[]): CelList {
  return new ArrayList(items)
}

class JoinedList extends CelList {
  readonly size: number
  private readonly first: CelList
  private readonly second: CelList

  constructor(first: CelList, second: CelList) {
    super()
    this.first = first
    this.second = second
    this.size = first.size + second.size
  }

  at(index: number): CelValue {
    takeSteps(1)
    return index < this.first.size ? this.first.at(index) : this.second.at(index - this.first.size)
  }
}

/** Concatenates two lists without a copy, so that repeated doubling of a list cannot exhaust memory. */
export function joinLists(first: CelList, second: CelList): CelList {
  if (first.size === 0) return second
  return second.size === 0 ? first : new JoinedList(first, second)
}

/** The number of code points of a string. Strings without surrogates, the common case, are counted without a copy. */
export function codePoints(text: string): number {
  takeSteps(text.length >> 2)
  let count = text.length
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = text.charCodeAt(i + 1)
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--
      i++
    }
  }
  return count
}

/** The size for costs: code points, bytes, items, entries; 1 for values without a size. */
export function actualSize(value: CelResult): number {
  if (typeof value === 'string') return codePoints(value)
  if (value instanceof Uint8Array) return value.length
  if (value instanceof CelList || value instanceof CelMap) return value.size
  if (value instanceof CelObject) return value.size ?? 1
  if (value instanceof CelOptional && value.value !== undefined) return actualSize(value.value)
  return 1
}

/* ---- functions ---- */

export interface Overload {
  /** cel-go's id, such as `string_to_quantity`. Unique over all libraries. */
  readonly id: string
  /** True: called as `target.name(...)`; the first argument is the target. */
  readonly member?: boolean
  readonly args: readonly CelType[]
  readonly result: CelType
  /** The type parameters in `args` and `result`; the checker computes them at first use. */
  placeholders?: ReadonlySet<string>
  /**
   * The implementation. Arguments have the declared types (the target first) and are not errors. Values inside lists
   * and maps, and arguments declared as `dyn` or as a type parameter, may have any type.
   */
  readonly call: (...args: CelValue[]) => CelResult
  /**
   * Checks literal arguments (others are undefined) when a program is created, and returns an error if the call can
   * never succeed: `find` with an invalid pattern, `int('a')`.
   */
  readonly prepare?: (literals: readonly (CelValue | undefined)[]) => CelError | undefined
  /**
   * The actual cost of one call; default 1. Called after `call`, even if that failed, and possibly with errors among
   * the arguments.
   */
  readonly cost?: (args: readonly CelValue[], result: CelResult) => number
  /** The actual cost if static types did not determine the overload; default {@link cost}. */
  readonly unsureCost?: (args: readonly CelValue[], result: CelResult) => number
  /** The static bounds of the cost of one call; default 1, also if it returns undefined. */
  readonly estimate?: (call: CallNode) => CallEstimate | undefined
}

export interface FunctionDeclaration {
  /** May contain dots: `format.named`, `ip.isCanonical`. */
  readonly name: string
  readonly overloads: readonly Overload[]
}

/** Several libraries may declare functions of one name; their overloads are joined in the order of the libraries. */
export interface Library {
  readonly name: string
  readonly functions: readonly FunctionDeclaration[]
  /** Types that can be named in an expression, such as `kubernetes.Quantity`. */
  readonly types?: readonly CelType[]
}

/* ---- static costs ---- */

export interface CallEstimate {
  readonly cost: Estimate
  /** The size of the result, if known. */
  readonly resultSize?: Estimate
}

/** One argument of a call, for cost estimation. */
export interface CostNode {
  readonly type: CelType
  /** Its path in the schema (`self`, `spec`, `@items`, ...); undefined if it is computed. */
  readonly path: readonly string[] | undefined
  /** The value, if it is a literal. */
  readonly literal: CelValue | undefined
  /** The size derived from the expression alone; use {@link CallNode.sizeOf} to also consult the schema. */
  readonly computedSize: Estimate | undefined
}

export interface CallNode {
  /** The target of a member call; it is not in `args`. */
  readonly target: CostNode | undefined
  readonly args: readonly CostNode[]
  /** The size bounds: computed, else from the schema, else 0 to unbounded. */
  sizeOf(node: CostNode): Estimate
  /** The items of a list; undefined if the node is not a list. */
  elementOf(node: CostNode): CostNode | undefined
}

/* ---- what the language provides to libraries ---- */

/**
 * The functions of the language that libraries use. Passed to a library when it is created, so that libraries import
 * only this file.
 */
export interface Runtime {
  /** `==`: numbers of different types compare by value, lists and maps deeply. */
  equal(a: CelValue, b: CelValue): boolean
  /** Like {@link equal}, but returns an error for library values that cannot be compared. */
  equals(a: CelValue, b: CelValue): boolean | CelError
  /** -1, 0 or 1 as in `<`; undefined if the values cannot be ordered. */
  compare(a: CelValue, b: CelValue): -1 | 0 | 1 | undefined
  /** `+`. */
  add(a: CelValue, b: CelValue): CelResult
  /** The name in `type()` and messages: `int`, `list`, `kubernetes.Quantity`. */
  typeName(value: CelValue): string
  /** The conversion `string(x)`, including its errors. */
  toText(value: CelValue): CelResult
}

/** Creates a library. The language calls it once. */
export type LibraryMaker = (runtime: Runtime) => Library
