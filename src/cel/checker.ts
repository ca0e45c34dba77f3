/**
 * Determines the type of every subexpression and the overloads of every call. It continues after an error, so that one
 * pass reports all errors; a subexpression with an error matches every type.
 */
import {
  qualifiedName,
  visitExpr,
  type CallExpr,
  type Expr,
  type FoldExpr,
  type IdentExpr,
  type ListExpr,
  type MapExpr,
  type SelectExpr,
  type StructExpr,
  type StructField,
} from './ast.ts'
import type { Environment } from './environment.ts'
import { Inference } from './inference.ts'
import { boolType, dynType, errorType, intType, optionalType, type CelType, type Overload } from './library.ts'
import type { Issue } from './source.ts'
import { typeText, isDyn, isDynOrError, literalType, optionalOf, sameType } from './types.ts'

export interface Checked {
  readonly type: CelType
  /** The names of all variables that the expression uses. */
  readonly names: ReadonlySet<string>
}

export type Variables = ReadonlyMap<string, CelType>

/** Annotates the expression in place. */
export function checkExpression(
  expr: Expr,
  environment: Environment,
  variables: Variables,
): Checked | readonly Issue[] {
  const checker = new Checker(environment, variables)
  checker.check(expr)
  if (checker.issues.length > 0) return checker.issues
  checker.resolveTypes(expr)
  return { type: expr.type as CelType, names: checker.names }
}

/** Keywords that are valid field names: written plainly, declared between underscores. */
const keywords = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
])

/** Types that can be named but not instantiated; a program that uses them cannot be planned. */
const unusableTypes: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['timestamp', { kind: 'timestamp' }],
  ['duration', { kind: 'duration' }],
])

export function isUnusableType(name: string): boolean {
  return unusableTypes.has(name)
}

class Checker {
  readonly issues: Issue[] = []
  readonly names = new Set<string>()
  private readonly environment: Environment
  private readonly variables: Variables
  private readonly locals: { name: string; type: CelType }[] = []
  private readonly inference = new Inference()

  constructor(environment: Environment, variables: Variables) {
    this.environment = environment
    this.variables = variables
  }

  /** Replaces type parameters by their inferred types. */
  resolveTypes(expr: Expr): void {
    visitExpr(expr, (part) => {
      if (part.type !== undefined) part.type = this.inference.substitute(part.type, true)
    })
  }

  check(expr: Expr): void {
    switch (expr.form) {
      case 'literal':
        expr.type = literalType(expr.value)
        break
      case 'ident':
        this.ident(expr)
        break
      case 'select':
        this.select(expr)
        break
      case 'call':
        this.call(expr)
        break
      case 'list':
        this.list(expr)
        break
      case 'map':
        this.map(expr)
        break
      case 'struct':
        this.struct(expr)
        break
      case 'fold':
        this.fold(expr)
        break
      case 'broken':
        expr.type = errorType
    }
  }

  private report(offset: number, message: string): void {
    this.issues.push({ offset, message })
  }

  private undeclared(offset: number, name: string): void {
    this.report(offset, `undeclared reference to '${name}' (in container '')`)
  }

  private lookup(given: string): { name: string; type: CelType } | undefined {
    const name = given.startsWith('.') ? given.slice(1) : given
    for (let i = this.locals.length - 1; i >= 0; i--) if (this.locals[i]?.name === name) return this.locals[i]
    const variable = this.variables.get(name)
    if (variable !== undefined) return { name, type: variable }
    const { types, constructed } = this.environment
    const type = types.get(name) ?? unusableTypes.get(name) ?? constructed(name)?.type
    return type === undefined ? undefined : { name, type: { kind: 'type', of: type } }
  }

  private ident(expr: IdentExpr): void {
    const found = this.lookup(expr.name)
    if (found === undefined) {
      expr.type = errorType
      this.undeclared(expr.offset, expr.name)
      return
    }
    expr.type = found.type
    expr.name = found.name
    this.names.add(found.name)
  }

  private select(expr: SelectExpr): void {
    const name = qualifiedName(expr)
    const found = name === undefined ? undefined : this.lookup(name)
    if (found !== undefined) {
      expr.type = found.type
      expr.resolved = found.name
      this.names.add(found.name)
      return
    }
    const type = this.field(expr.offset, expr.operand, expr.field, false)
    expr.type = expr.testOnly ? boolType : this.inference.substitute(type, false)
  }

  private field(offset: number, operand: Expr, field: string, optional: boolean): CelType {
    this.check(operand)
    const given = this.inference.substitute(operand.type as CelType, false)
    const held = optionalOf(given)
    const type = this.fieldType(offset, held ?? given, field)
    return held !== undefined || optional ? optionalType(type) : type
  }

  private fieldType(offset: number, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.value
      case 'object':
        return this.objectField(offset, target, field) ?? errorType
      case 'param':
        this.inference.assign(dynType, target)
        return dynType
      default:
        if (!isDynOrError(target)) this.report(offset, `type '${typeText(target)}' does not support field selection`)
        return dynType
    }
  }

  private objectField(offset: number, target: CelType & { kind: 'object' }, field: string): CelType | undefined {
    if (target.fields === undefined) {
      this.report(offset, `unexpected failed resolution of '${target.name}'`)
      return undefined
    }
    const found = target.fields.get(field) ?? (keywords.has(field) ? target.fields.get(`__${field}__`) : undefined)
    if (found === undefined) this.report(offset, `undefined field '${field}'`)
    return found?.type
  }

  private call(expr: CallExpr): void {
    if (expr.name === '_?._') {
      const [operand, field] = expr.args as [Expr, Expr]
      const name = field.form === 'literal' ? (field.value as string) : ''
      expr.type = this.inference.substitute(this.field(expr.offset, operand, name, true), false)
      expr.overloads = this.environment.functions.get('_?._') ?? []
      return
    }
    for (const arg of expr.args) this.check(arg)
    const { target } = expr
    if (target !== undefined) {
      const prefix = qualifiedName(target)
      const dotted = prefix === undefined ? undefined : this.functionNamed(`${prefix}.${expr.name}`)
      if (dotted !== undefined) {
        expr.name = dotted.name
        expr.target = undefined
        this.resolve(expr, dotted.overloads)
        return
      }
      this.check(target)
    }
    const found = this.functionNamed(expr.name)
    if (found === undefined) {
      expr.type = errorType
      this.undeclared(expr.offset, expr.name)
      return
    }
    expr.name = found.name
    this.resolve(expr, found.overloads)
  }

  private functionNamed(given: string): { name: string; overloads: readonly Overload[] } | undefined {
    const name = given.startsWith('.') ? given.slice(1) : given
    const overloads = this.environment.functions.get(name)
    return overloads === undefined ? undefined : { name, overloads }
  }

  private resolve(expr: CallExpr, overloads: readonly Overload[]): void {
    const isMember = expr.target !== undefined
    const args = (expr.target === undefined ? expr.args : [expr.target, ...expr.args]).map((arg) => arg.type as CelType)
    if (expr.name === '_&&_' || expr.name === '_||_') {
      expr.type = this.terms(expr) ? boolType : errorType
      expr.overloads = overloads
      return
    }
    const fitting: Overload[] = []
    let result: CelType | undefined
    for (const overload of overloads) {
      if ((overload.member ?? false) !== isMember || overload.args.length !== args.length) continue
      const type = this.inference.tryOverload(overload, args)
      if (type === undefined) continue
      fitting.push(overload)
      if (result === undefined) result = type
      else if (!isDyn(result) && !sameType(type, result)) result = dynType
    }
    if (result === undefined) {
      const shown = args.map((arg) => typeText(this.inference.substitute(arg, true)))
      const signature = isMember ? `${shown[0] as string}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`
      this.report(expr.offset, `found no matching overload for '${expr.name}' applied to '${signature}'`)
      expr.type = errorType
      return
    }
    expr.type = result
    expr.overloads = fitting
  }

  private terms(expr: CallExpr): boolean {
    let fits = true
    for (const arg of expr.args) {
      if (this.inference.assign(arg.type as CelType, boolType)) continue
      this.mismatch(arg, boolType, arg.type as CelType)
      fits = false
    }
    return fits
  }

  private mismatch(at: Expr, wanted: CelType, found: CelType): void {
    this.report(at.offset, `expected type '${typeText(wanted)}' but found '${typeText(found)}'`)
  }

  /** The type of an item marked with `?`: the element type of its optional. */
  private unwrapped(expr: Expr): CelType {
    const type = expr.type as CelType
    const held = optionalOf(type)
    if (held === undefined && !isDyn(type)) this.mismatch(expr, optionalType(type), type)
    return held ?? type
  }

  private list(expr: ListExpr): void {
    let element: CelType | undefined
    for (const [i, item] of expr.items.entries()) {
      this.check(item)
      element = this.inference.join(element, expr.optional.has(i) ? this.unwrapped(item) : (item.type as CelType))
    }
    expr.type = { kind: 'list', element: element ?? this.inference.freeType() }
  }

  private map(expr: MapExpr): void {
    let key: CelType | undefined
    let value: CelType | undefined
    for (const entry of expr.entries) {
      this.check(entry.key)
      key = this.inference.join(key, entry.key.type as CelType)
      this.check(entry.value)
      value = this.inference.join(value, entry.optional ? this.unwrapped(entry.value) : (entry.value.type as CelType))
    }
    expr.type = { kind: 'map', key: key ?? this.inference.freeType(), value: value ?? this.inference.freeType() }
  }

  private struct(expr: StructExpr): void {
    expr.type = errorType
    const found = this.lookup(expr.name)
    if (found === undefined) {
      this.undeclared(expr.offset, expr.name)
      return
    }
    const { type } = found
    expr.name = found.name
    const of = type.kind === 'type' ? (type.of ?? dynType) : undefined
    if (of === undefined) this.report(expr.offset, `'${typeText(type)}' is not a type`)
    else if (of.kind !== 'object') this.report(expr.offset, `'${typeText(of)}' is not a message type`)
    else expr.type = of
    for (const field of expr.fields) {
      this.check(field.value)
      const given = field.optional ? this.unwrapped(field.value) : (field.value.type as CelType)
      if (of?.kind === 'object') this.structField(of, field, given)
      else if (of === undefined) this.report(field.offset, `unexpected failed resolution of '${found.name}'`)
      else this.report(field.offset, `undefined field '${field.name}'`)
    }
  }

  private structField(of: CelType & { kind: 'object' }, { offset, name }: StructField, given: CelType): void {
    const wanted = this.objectField(offset, of, name)
    if (wanted === undefined || this.inference.assign(wanted, given)) return
    const [expected, provided] = [typeText(wanted), typeText(given)]
    this.report(offset, `expected type of field '${name}' is '${expected}' but provided type is '${provided}'`)
  }

  private fold(expr: FoldExpr): void {
    this.check(expr.range)
    this.check(expr.init)
    const range = this.inference.substitute(expr.range.type as CelType, false)
    const held = expr.init.type as CelType
    this.locals.push({ name: expr.accumulator, type: held })
    const [first, second] = this.rangeTypes(expr, range)
    this.locals.push({ name: expr.variable, type: first })
    if (expr.variable2 !== undefined) this.locals.push({ name: expr.variable2, type: second })
    this.check(expr.condition)
    this.expect(expr.condition, boolType)
    this.check(expr.step)
    this.expect(expr.step, held)
    this.locals.length -= expr.variable2 === undefined ? 1 : 2
    this.check(expr.result)
    this.locals.pop()
    expr.type = this.inference.substitute(expr.result.type as CelType, false)
  }

  private expect(expr: Expr, type: CelType): void {
    if (!this.inference.assign(type, expr.type as CelType)) this.mismatch(expr, type, expr.type as CelType)
  }

  /** The types of the one or two iteration variables. */
  private rangeTypes(expr: FoldExpr, range: CelType): [CelType, CelType] {
    switch (range.kind) {
      case 'list':
        return expr.variable2 === undefined ? [range.element, dynType] : [intType, range.element]
      case 'map':
        return [range.key, range.value]
      case 'dyn':
      case 'error':
      case 'param':
        this.inference.assign(dynType, range)
        return [dynType, dynType]
      default: {
        const shown = typeText(range)
        const problem = 'cannot be range of a comprehension (must be list, map, or dynamic)'
        this.report(expr.range.offset, `expression of type '${shown}' ${problem}`)
        return [errorType, errorType]
      }
    }
  }
}
