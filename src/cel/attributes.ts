/**
 * Chains of `.field`, `["key"]` and `[index]`. A chain is resolved in one step: every link costs 1, and the chain 1
 * more if it is a value of its own. After an optional link, the result is optional.
 */
import { CelError, CelList, CelMap, CelOptional, CelUint, type CelResult, type CelValue } from './library.ts'
import { floatText } from './libraries/standard/go-numbers.ts'
import { typeNameOf } from './libraries/standard/type-names.ts'
import type { Evaluate, EvaluationRun } from './evaluation-run.ts'

export interface Link {
  readonly key: CelValue | Evaluate
  readonly optional: boolean
  /** `has()`: only tests for presence. */
  readonly test: boolean
}

/** A chain that later links may extend while an expression is planned. */
export interface Attribute {
  addLink(link: Link): void
  resolve(run: EvaluationRun): CelResult
  /** The cost of the chain as a value; a conditional has none. */
  readonly cost: 0 | 1
}

const none = new CelOptional(undefined)

export class Chain implements Attribute {
  readonly cost = 1
  private readonly base: Evaluate
  private readonly links: Link[] = []

  constructor(base: Evaluate) {
    this.base = base
  }

  addLink(link: Link): void {
    this.links.push(link)
  }

  resolve(run: EvaluationRun): CelResult {
    const base = this.base(run)
    return this.links.length === 0 || base instanceof CelError ? base : follow(run, base, this.links)
  }
}

/** `condition ? a : b`: links apply to both branches. */
export class Choice implements Attribute {
  readonly cost = 0
  private readonly condition: Evaluate
  private readonly ifTrue: Attribute
  private readonly ifFalse: Attribute

  constructor(condition: Evaluate, ifTrue: Attribute, ifFalse: Attribute) {
    this.condition = condition
    this.ifTrue = ifTrue
    this.ifFalse = ifFalse
  }

  addLink(link: Link): void {
    this.ifTrue.addLink(link)
    this.ifFalse.addLink(link)
  }

  resolve(run: EvaluationRun): CelResult {
    const condition = this.condition(run)
    if (condition === true) return this.ifTrue.resolve(run)
    if (condition === false) return this.ifFalse.resolve(run)
    return condition instanceof CelError ? condition : new CelError('no such overload')
  }
}

function follow(run: EvaluationRun, base: CelValue, links: readonly Link[]): CelResult {
  let isOptional = base instanceof CelOptional
  if (base instanceof CelOptional && base.value === undefined) return links.at(-1)?.test === true ? false : base
  let value: CelResult = base instanceof CelOptional ? (base.value as CelValue) : base
  for (const { key: given, optional, test } of links) {
    isOptional ||= optional
    const key = typeof given === 'function' ? given(run) : given
    if (key instanceof CelError) return key
    const found = lookUp(value, key, isOptional || test)
    if (found !== undefined || test) run.spend(1)
    if (found instanceof CelError) return found
    if (test) return found !== undefined
    if (found === undefined) return none
    value = found
  }
  return isOptional ? new CelOptional(value) : value
}

/** Undefined only if `lenient` and the key is absent. */
function lookUp(target: CelValue, key: CelValue, lenient: boolean): CelResult | undefined {
  if (target instanceof CelMap) {
    const found = target.find(key)
    return found === undefined && !lenient ? missing(key) : found
  }
  if (target instanceof CelList) {
    const index = indexOf(key)
    if (index instanceof CelError) return index
    if (index >= 0 && index < target.size) {
      if (typeof key !== 'bigint' && !target.takesAnyIndex) return new CelError(`unsupported index: ${showKey(key)}`)
      return target.at(index)
    }
    return lenient ? undefined : new CelError(`index out of bounds: ${showKey(key)}`)
  }
  return lenient ? undefined : missing(key)
}

function missing(key: CelValue): CelError {
  return new CelError(`no such key: ${showKey(key)}`)
}

function indexOf(key: CelValue): number | CelError {
  if (typeof key === 'bigint') return Number(key)
  if (key instanceof CelUint) return Number(key.value)
  if (typeof key !== 'number') return new CelError(`unsupported index type '${typeNameOf(key)}' in list`)
  return Number.isInteger(key) ? key : new CelError(`unsupported index value ${showKey(key)} in list`)
}

function showKey(key: CelValue): string {
  if (typeof key === 'number') return floatText(key)
  return key instanceof CelUint ? String(key.value) : String(key)
}
