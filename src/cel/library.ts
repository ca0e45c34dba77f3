/**
 * The contract between the language and its libraries: types, values, functions and what they cost.
 * The language (parser, checker, evaluator, cost) knows nothing of a library but these declarations.
 *
 * Values: an `int` is a bigint, a `double` is a number, a `uint` is a {@link CelUint}; a string counts in code points,
 * not in UTF-16 units. An error is a value too: functions return a {@link CelError} instead of throwing, because `||`,
 * `&&` and the macros may absorb it. Functions never get errors as arguments.
 *
 * Costs are plain numbers; `costs.ts` adds, multiplies and bounds them.
 */
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
  /** A struct with a name of its own: a library's value such as kubernetes.Quantity, or an object of a schema. */
  | { readonly kind: 'object'; readonly name: string; readonly fields?: ReadonlyMap<string, FieldType> }
  /** An opaque type with parameters: `optional_type`, `net.IP`. */
  | { readonly kind: 'opaque'; readonly name: string; readonly parameters: readonly CelType[] }
  /** A placeholder of a declaration: the same name stands for the same type within one call. */
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

/** What an expression may give. */
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

/** What a function may give. */
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
  /** The offset from UTC that it was written with, in seconds east: `string()` shows it, nothing else minds. */
  readonly offset: number

  constructor(nanos: bigint, offset = 0) {
    this.nanos = nanos
    this.offset = offset
  }
}

/** A span in nanoseconds; fits into 64 bits. */
export class CelDuration {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A list: read by position, so that a view of JSON need not be copied. Extend it, or use {@link listOf}. */
export abstract class CelList {
  abstract readonly size: number
  /** Part of the object that is looked at, not made by an expression: never a zero value, however empty. */
  readonly isData: boolean = false
  /** `index` is within bounds. */
  abstract at(index: number): CelValue
  /** Whether positions may also be written as a uint or a whole double. */
  readonly takesAnyIndex: boolean = true
  /** How `+` joins it with another list; undefined: one after the other. Lists of type set and map have their own. */
  concat(_other: CelList): CelResult | undefined {
    return undefined
  }

  /** Equality of its own, such as that of sets; undefined: item by item. */
  equals(_other: CelList): boolean | undefined {
    return undefined
  }
}

/** A map, or an object of a schema. */
export abstract class CelMap {
  abstract readonly size: number
  /** As of a list. */
  readonly isData: boolean = false
  /** Undefined when there is no such key. */
  abstract get(key: CelValue): CelValue | undefined
  abstract keys(): CelValue[]
  /** Equality of its own, such as that of objects with unknown fields; undefined: entry by entry. */
  equals(_other: CelMap): boolean | undefined {
    return undefined
  }

  /** The name when this is an object of a schema rather than a map; such ones know their fields only. */
  readonly objectName: string | undefined = undefined
}

export class CelOptional {
  /** Undefined: there is none. */
  readonly value: CelValue | undefined

  constructor(value: CelValue | undefined) {
    this.value = value
  }
}

/** A type as a value: what `type(x)` gives, or the name of a type in an expression. Equal when the names are. */
export class CelTypeValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A library's own value, such as a quantity. */
export abstract class CelObject {
  /** The same constant for all values of the class; its name is what `type()` and messages tell. */
  abstract readonly type: CelType & { kind: 'object' | 'opaque' }
  /** Compares with a value of the same type; others never get here. */
  abstract equals(other: CelObject): CelResult
  /** What costs count as its size; undefined when it has none. */
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

/** A list of values that exist already. The array must not change afterwards. */
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
    return index < this.first.size ? this.first.at(index) : this.second.at(index - this.first.size)
  }
}

/** One list after the other, without a copy: what joins a list with itself again and again must not fill the memory. */
export function joinLists(first: CelList, second: CelList): CelList {
  if (first.size === 0) return second
  return second.size === 0 ? first : new JoinedList(first, second)
}

/** How many code points a string has. Most strings have no surrogates; these are counted without a copy. */
export function codePoints(text: string): number {
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

/** The size that costs count: code points, bytes, items, entries; 1 for what has no size. */
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
   * Runs it; arguments are of the declared types (the target first) and no errors. Values inside lists and maps, and
   * arguments declared `dyn` or as a parameter, may be of any type.
   */
  readonly call: (...args: CelValue[]) => CelResult
  /**
   * Looks at the arguments that are written in the expression (others are undefined) when a program is made of it, and
   * says why it cannot be: `find` with a pattern that does not compile, `int('a')`.
   */
  readonly prepare?: (literals: readonly (CelValue | undefined)[]) => CelError | undefined
  /**
   * What one call costs, at run time; without it 1. Called after `call`, also when that failed, and with errors among
   * the arguments.
   */
  readonly cost?: (args: readonly CelValue[], result: CelResult) => number
  /** What it costs when types left open which of several overloads runs; without it {@link cost}. */
  readonly unsureCost?: (args: readonly CelValue[], result: CelResult) => number
  /** What one call may cost at most and at least, known before any value is; without it 1. Undefined: as without. */
  readonly estimate?: (call: CallNode) => CallEstimate | undefined
}

export interface FunctionDeclaration {
  /** May have dots: `format.named`, `ip.isCanonical`. */
  readonly name: string
  readonly overloads: readonly Overload[]
}

/** Functions of one name may come from several libraries; their overloads are joined in the order of the libraries. */
export interface Library {
  readonly name: string
  readonly functions: readonly FunctionDeclaration[]
  /** Types whose names may be written in an expression, such as `kubernetes.Quantity`. */
  readonly types?: readonly CelType[]
}

/* ---- static costs ---- */

export interface CallEstimate {
  readonly cost: Estimate
  /** The size of the result, where it is known. */
  readonly resultSize?: Estimate
}

/** One argument of a call, as the cost estimation sees it. */
export interface CostNode {
  readonly type: CelType
  /** Where in the schema it comes from (`self`, `spec`, `@items`, ...); undefined when it is computed. */
  readonly path: readonly string[] | undefined
  /** The value when it is written in the expression. */
  readonly literal: CelValue | undefined
  /** The size as far as the expression alone tells it; use {@link CallNode.sizeOf} to also consult the schema. */
  readonly computedSize: Estimate | undefined
}

export interface CallNode {
  /** The target of a member call; it is not in `args`. */
  readonly target: CostNode | undefined
  readonly args: readonly CostNode[]
  /** The bounds of the size: computed, else of the schema, else 0 to unbounded. */
  sizeOf(node: CostNode): Estimate
  /** The items of a list; undefined when the node is none. */
  elementOf(node: CostNode): CostNode | undefined
}

/* ---- what libraries may ask the language ---- */

/**
 * What the language offers to functions; given to a library when it is made, so that libraries import only this file.
 */
export interface Runtime {
  /** `==` of the language: numbers of different types compare by value, lists and maps in depth. */
  equal(a: CelValue, b: CelValue): boolean
  /** As {@link equal}, but some values of libraries cannot be compared with just anything. */
  equals(a: CelValue, b: CelValue): boolean | CelError
  /** -1, 0 or 1 as `<` has it; undefined when the two cannot be ordered. */
  compare(a: CelValue, b: CelValue): -1 | 0 | 1 | undefined
  /** `+` of the language. */
  add(a: CelValue, b: CelValue): CelResult
  /** The name that `type()` and messages tell: `int`, `list`, `kubernetes.Quantity`. */
  typeName(value: CelValue): string
  /** Conversions of the language, such as `string(x)`; the error is the language's. */
  toText(value: CelValue): CelResult
}

/** A library may need the language; the language makes it once. */
export type LibraryMaker = (runtime: Runtime) => Library
