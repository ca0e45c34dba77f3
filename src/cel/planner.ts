/** Compiles a checked tree to closures. Constant subexpressions are evaluated here, once. */
import {
  accumulator as hidden,
  type CallExpr,
  type Expr,
  type FoldExpr,
  type ListExpr,
  type MapExpr,
  type SelectExpr,
  type StructExpr,
} from './ast.ts'
import { Chain, Choice, type Attribute } from './attributes.ts'
import { listCost, mapCost, structCost } from './call-costs.ts'
import { planCall } from './calls.ts'
import { isUnusableType } from './checker.ts'
import { typeIdentifier, type Environment } from './environment.ts'
import { CelError, CelList, CelOptional, CelTypeValue, listOf, type CelResult, type CelValue } from './library.ts'
import { planFold, type FoldParts } from './folds.ts'
import { EvaluationRun, type Evaluate } from './evaluation-run.ts'
import { EntryMap, mapKeyOf } from './values.ts'

/** Why a valid expression cannot become a program. */
export class PlanError extends Error {
  override name = 'PlanError'
}

export function planProgram(expr: Expr, environment: Environment, variables: readonly string[]): Evaluate {
  return new Planner(environment, variables).plan(expr).run
}

interface Plan {
  readonly run: Evaluate
  /** The value, if it is constant. */
  readonly constant?: CelResult
  /** A chain that later links can extend. */
  readonly attribute?: Attribute
}

const conversions = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
])

class Planner {
  private readonly environment: Environment
  private readonly scope: { name: string; evaluate: Evaluate }[]
  private slots: number

  constructor(environment: Environment, variables: readonly string[]) {
    this.environment = environment
    this.scope = variables.map((name, i) => ({ name, evaluate: (run) => run.slots[i] as CelResult }))
    this.slots = variables.length
  }

  plan(expr: Expr): Plan {
    switch (expr.form) {
      case 'literal':
        return constant(expr.value)
      case 'ident':
        return this.ident(expr.name)
      case 'select':
        return this.select(expr)
      case 'call':
        return this.call(expr)
      case 'list':
        return this.list(expr)
      case 'map':
        return this.map(expr)
      case 'fold':
        return { run: this.fold(expr) }
      case 'struct':
        return this.struct(expr)
      case 'broken':
        throw new PlanError('broken expression')
    }
  }

  private ident(name: string): Plan {
    for (let i = this.scope.length - 1; i >= 0; i--) {
      const known = this.scope[i]
      if (known?.name === name) return chain(new Chain(known.evaluate))
    }
    const type = this.environment.types.get(name)
    if (type !== undefined) return constant(new CelTypeValue(typeIdentifier(type)))
    const isType = isUnusableType(name) || this.environment.constructed(name) !== undefined
    throw new PlanError(isType ? `reference to undefined type: ${name}` : `unknown name: ${name}`)
  }

  private select(expr: SelectExpr): Plan {
    if (expr.resolved !== undefined) return this.ident(expr.resolved)
    const { attribute } = this.asChain(this.plan(expr.operand))
    attribute.addLink({ key: expr.field, optional: false, test: expr.testOnly })
    return expr.testOnly ? { run: (run) => attribute.resolve(run), attribute } : chain(attribute)
  }

  private asChain(plan: Plan): { attribute: Attribute } {
    return { attribute: plan.attribute ?? new Chain(plan.run) }
  }

  private call(expr: CallExpr): Plan {
    const parts = expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    const args = parts.map((arg) => this.plan(arg))
    const [first, second, third] = args as [Plan, Plan, Plan]
    switch (expr.name) {
      case '_&&_':
        return { run: junction(first.run, second.run, false) }
      case '_||_':
        return { run: junction(first.run, second.run, true) }
      case '_?_:_': {
        const choice = new Choice(first.run, this.asChain(second).attribute, this.asChain(third).attribute)
        return chain(choice)
      }
      case '_[_]':
        return this.index(first, second, false)
      case '_[?_]':
      case '_?._':
        return this.index(first, second, true)
      case '@not_strictly_false':
        return { run: notStrictlyFalse(first.run) }
      case 'or':
      case 'orValue':
        if (expr.target !== undefined) return { run: optionalOr(first.run, second.run, expr.name === 'orValue') }
        break
      case '@in':
        if (second.constant instanceof CelList) {
          const membership = setMembership(first.run, second.constant)
          if (membership !== undefined) return membership
        }
    }
    return this.plain(expr, args)
  }

  private plain(expr: CallExpr, args: readonly Plan[]): Plan {
    const literals = args.map((arg) => (arg.constant instanceof CelError ? undefined : arg.constant))
    const isConversion = conversions.has(expr.name)
    for (const overload of isConversion ? [] : (expr.overloads ?? [])) {
      const problem = overload.prepare?.(literals)
      if (problem !== undefined) throw new PlanError(problem.message)
    }
    const run = planCall(
      expr,
      args.map((arg) => arg.run),
      this.environment,
    )
    if (args.length !== 1 || args[0]?.constant === undefined || !isConversion) return { run }
    const value = run(new EvaluationRun([], Infinity))
    if (value instanceof CelError) throw new PlanError(value.message)
    return constant(value)
  }

  private index(target: Plan, index: Plan, optional: boolean): Plan {
    const { attribute } = this.asChain(target)
    const { constant: known, attribute: inner } = index
    const key =
      known !== undefined && !(known instanceof CelError)
        ? known
        : inner === undefined
          ? index.run
          : (run: EvaluationRun) => inner.resolve(run)
    attribute.addLink({ key, optional, test: false })
    return chain(attribute)
  }

  private list(expr: ListExpr): Plan {
    const items = expr.items.map((item) => this.plan(item))
    if (expr.optional.size === 0 && items.every((item) => item.constant !== undefined)) {
      return constant(listOf(items.map((item) => item.constant as CelValue)))
    }
    const { optional } = expr
    return {
      run: (run) => {
        const values: CelValue[] = []
        for (const [i, item] of items.entries()) {
          const value = item.run(run)
          if (value instanceof CelError) {
            run.spend(listCost)
            return value
          }
          if (!optional.has(i)) values.push(value)
          else if (!(value instanceof CelOptional)) return notOptional('list element', value)
          else if (value.value !== undefined) values.push(value.value)
        }
        run.spend(listCost)
        return listOf(values)
      },
    }
  }

  private map(expr: MapExpr): Plan {
    const entries = expr.entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }))
    const make = (run: EvaluationRun): CelResult => {
      const map = new EntryMap()
      for (const entry of entries) {
        const key = entry.key.run(run)
        if (key instanceof CelError) return key
        const value = entry.value.run(run)
        if (value instanceof CelError) return value
        if (!entry.optional) map.set(key, value)
        else if (!(value instanceof CelOptional)) return notOptional(`entry '${String(key)}'`, value)
        else if (value.value === undefined) map.delete(key)
        else map.set(key, value.value)
      }
      return map
    }
    const isWritten = entries.every(
      ({ key, value, optional }) => !optional && key.constant !== undefined && value.constant !== undefined,
    )
    if (isWritten) {
      return constant(make(new EvaluationRun([], Infinity)))
    }
    return {
      run: (run) => {
        const map = make(run)
        run.spend(mapCost)
        return map
      },
    }
  }

  private struct({ name, fields }: StructExpr): Plan {
    const made = this.environment.constructed(name)
    if (made === undefined) throw new PlanError(`unknown type: ${name}`)
    const plans = fields.map((field) => ({
      name: field.name,
      evaluate: this.plan(field.value).run,
      optional: field.optional,
    }))
    const make = (run: EvaluationRun): CelResult => {
      const values = new Map<string, CelValue>()
      for (const field of plans) {
        const value = field.evaluate(run)
        if (value instanceof CelError) return value
        if (!field.optional) values.set(field.name, value)
        else if (!(value instanceof CelOptional)) return notOptional(`entry '${field.name}'`, value)
        else if (value.value === undefined) values.delete(field.name)
        else values.set(field.name, value.value)
      }
      return made.make(values)
    }
    return {
      run: (run) => {
        const value = make(run)
        run.spend(structCost)
        return value
      },
    }
  }

  private fold(expr: FoldExpr): Evaluate {
    const [held, first, second] = [this.slots++, this.slots++, this.slots++]
    const range = this.plan(expr.range).run
    const init = this.plan(expr.init).run
    const slot =
      (at: number): Evaluate =>
      (run) =>
        run.slots[at] as CelResult
    const parts: Pick<FoldParts, 'range' | 'init' | 'held' | 'first' | 'second'> = {
      range,
      init,
      held,
      first,
      second: expr.variable2 === undefined ? undefined : second,
    }
    this.scope.push({ name: expr.accumulator, evaluate: slot(held) })
    this.scope.push({ name: expr.variable, evaluate: slot(first) })
    if (expr.variable2 !== undefined) this.scope.push({ name: expr.variable2, evaluate: slot(second) })
    const condition = this.plan(expr.condition).run
    const step = this.plan(expr.step).run
    this.scope.length -= expr.variable2 === undefined ? 1 : 2
    const result = this.plan(expr.result).run
    this.scope.pop()
    return planFold({ ...parts, condition, step, result, isBinding: expr.accumulator !== hidden })
  }
}

function notOptional(what: string, value: CelValue): CelError {
  return new CelError(`cannot initialize optional ${what} from non-optional value ${String(value)}`)
}

function constant(value: CelResult): Plan {
  return { run: () => value, constant: value }
}

function chain(attribute: Attribute): Plan {
  const { cost } = attribute
  const run: Evaluate =
    cost === 0
      ? (run) => attribute.resolve(run)
      : (run) => {
          const value = attribute.resolve(run)
          run.spend(cost)
          return value
        }
  return { run, attribute }
}

/** `&&` or `||`: one operand can determine the result even if the other is an error. `decisive` is that value. */
function junction(left: Evaluate, right: Evaluate, decisive: boolean): Evaluate {
  return (run) => {
    const a = left(run)
    if (a === decisive) return decisive
    const b = right(run)
    if (b === decisive) return decisive
    if (typeof a !== 'boolean') return a instanceof CelError ? a : new CelError('no such overload')
    if (typeof b !== 'boolean') return b instanceof CelError ? b : new CelError('no such overload')
    return !decisive
  }
}

function notStrictlyFalse(of: Evaluate): Evaluate {
  return (run) => {
    const value = of(run)
    run.spend(1)
    return typeof value === 'boolean' ? value : true
  }
}

function optionalOr(left: Evaluate, right: Evaluate, unwraps: boolean): Evaluate {
  return (run) => {
    const value = left(run)
    if (!(value instanceof CelOptional)) return value
    if (value.value === undefined) return right(run)
    return unwraps ? value.value : value
  }
}

/** `in` with a literal list of scalars: a hash lookup without cost. */
function setMembership(item: Evaluate, list: CelList): Plan | undefined {
  if (list.size === 0) return constant(false)
  const keys = new Set<ReturnType<typeof mapKeyOf>>()
  for (let i = 0; i < list.size; i++) {
    const key = mapKeyOf(list.at(i))
    if (key === undefined) return undefined
    keys.add(key)
  }
  return {
    run: (run) => {
      const value = item(run)
      if (value instanceof CelError) return value
      const key = mapKeyOf(value)
      return key !== undefined && keys.has(key)
    },
  }
}
