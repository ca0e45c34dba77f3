/** Plans calls: selects the overload by static types as far as possible, otherwise at run time. */
import { takeSteps } from '../api/step-limit.ts'
import type { CallExpr } from './ast.ts'
import type { Environment } from './environment.ts'
import {
  CelError,
  CelList,
  CelMap,
  CelTypeValue,
  type CelResult,
  type CelType,
  type CelValue,
  type Overload,
} from './library.ts'
import { typeNameOf } from './libraries/standard/type-names.ts'
import { EvaluationFailed, type Evaluate } from './evaluation-run.ts'
import { isUnguarded, refusedBy } from './traits.ts'

type Implementation = (args: CelValue[]) => { readonly result: CelResult; readonly overload: Overload | undefined }

export function planCall(expr: CallExpr, args: readonly Evaluate[], environment: Environment): Evaluate {
  const { name } = expr
  const overloads = expr.overloads ?? []
  if (isUnguarded(name)) return operatorCall(name, overloads, args)
  const only = overloads.length === 1 ? (overloads[0] as Overload) : undefined
  if (only !== undefined && isCertain(expr)) return certainCall(only, args)
  const candidates = only === undefined ? (environment.functions.get(name) ?? []) : [only]
  return guardedCall(name, candidates, args)
}

/** True if the types of all arguments are known statically, so that no check is needed at run time. */
function isCertain(expr: CallExpr): boolean {
  const args = expr.target === undefined ? expr.args : [expr.target, ...expr.args]
  return args.every((arg) => arg.type !== undefined && isKnown(arg.type))
}

function isKnown(type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
    case 'error':
      return false
    case 'list':
      return isKnown(type.element)
    case 'map':
      return isKnown(type.key) && isKnown(type.value)
    default:
      return true
  }
}

/** Functions of the language that accept any value: they check types themselves. */
function operatorCall(name: string, overloads: readonly Overload[], args: readonly Evaluate[]): Evaluate {
  const overload = overloads[0] as Overload
  const { call } = overload
  const cost = overloads.length === 1 ? overload.cost : undefined
  const isBrittle = overloads.length === 1 && brittle.test(overload.id)
  const [first, second] = args as [Evaluate, Evaluate | undefined]
  if (second === undefined) {
    return (run) => {
      const value = first(run)
      if (isBrittle && value instanceof CelError) throw new EvaluationFailed(noList)
      const result = value instanceof CelError ? value : (refusedBy(name, value) ?? call(value))
      run.spend(cost === undefined ? 1 : cost([value as CelValue], result))
      return result
    }
  }
  return (run) => {
    const a = first(run)
    const b = second(run)
    if (a instanceof CelError || b instanceof CelError) {
      const failure = a instanceof CelError ? a : (b as CelError)
      if (isBrittle) throw new EvaluationFailed(noList)
      run.spend(cost === undefined ? 1 : cost([a as CelValue, b as CelValue], failure))
      return failure
    }
    const result = refusedBy(name, a, b) ?? call(a, b)
    run.spend(cost === undefined ? 1 : cost([a, b], result))
    return result
  }
}

function certainCall(overload: Overload, args: readonly Evaluate[]): Evaluate {
  return callWith(args, (values) => ({ result: overload.call(...values), overload }), overload)
}

function guardedCall(name: string, overloads: readonly Overload[], args: readonly Evaluate[]): Evaluate {
  const fitting = overloads.filter((overload) => overload.args.length === args.length)
  return callWith(
    args,
    (values) => {
      const overload = fitting.find((one) => one.args.every((type, i) => matches(type, values[i] as CelValue)))
      if (overload !== undefined) return { result: overload.call(...values), overload }
      const result = new CelError(`no such overload: ${name}(${values.map(typeNameOf).join(', ')})`)
      return { result, overload }
    },
    overloads.length === 1 ? overloads[0] : undefined,
  )
}

/** Functions whose cost upstream cannot compute unless the argument is a list: an error there ends the evaluation. */
const brittle = /^list_(?:distinct|\w+_sort|\w+_sortByAssociatedKeys)$/
const noList = new CelError('internal error: interface conversion: *types.Err is not traits.Lister: missing method Add')

/** What a function takes that looks at its arguments once. Those that take more count it themselves. */
function stepsOf(values: readonly CelValue[]): number {
  let steps = 20
  for (const value of values) {
    if (typeof value === 'string') steps += value.length >> 4
    else if (value instanceof CelList) steps += 4 * value.size
    else if (value instanceof Uint8Array) steps += value.length >> 2
  }
  return steps
}

/** If an argument is an error, it is the result; the call then costs as much as for a value of size 1. */
function callWith(args: readonly Evaluate[], implementation: Implementation, only?: Overload): Evaluate {
  const isBrittle = only !== undefined && brittle.test(only.id)
  return (run) => {
    const values: CelValue[] = []
    let failure: CelError | undefined
    for (const arg of args) {
      const value = arg(run)
      if (value instanceof CelError) {
        if (args.length > 2) return value
        failure ??= value
      }
      values.push(value as CelValue)
    }
    if (failure !== undefined) {
      if (isBrittle) throw new EvaluationFailed(noList)
      run.spend(only?.cost?.(values, failure) ?? 1)
      return failure
    }
    takeSteps(stepsOf(values))
    const { result, overload } = implementation(values)
    if (typeof result === 'string') takeSteps(result.length >> 3)
    const cost = only === undefined ? (overload?.unsureCost ?? overload?.cost) : only.cost
    run.spend(cost?.(values, result) ?? 1)
    return result
  }
}

/** True if a value matches the declared type of an argument; for lists and maps, only the first item is checked. */
function matches(type: CelType, value: CelValue): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
      return true
    case 'list':
      return value instanceof CelList && (value.size === 0 || matches(type.element, value.at(0)))
    case 'map': {
      if (!(value instanceof CelMap)) return false
      const keys = value.keys()
      takeSteps(2 * keys.length)
      const [key] = keys
      if (key === undefined) return true
      return matches(type.key, key) && matches(type.value, value.get(key) as CelValue)
    }
    case 'object':
    case 'opaque':
      return typeNameOf(value) === type.name
    case 'type':
      return value instanceof CelTypeValue
    case 'timestamp':
      return typeNameOf(value) === 'google.protobuf.Timestamp'
    case 'duration':
      return typeNameOf(value) === 'google.protobuf.Duration'
    default:
      return typeNameOf(value) === type.kind
  }
}
