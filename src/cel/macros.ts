/** Macros: calls that the parser expands into loops, bindings or presence tests. */
import { accumulator, noOptional, type CallExpr, type Expr, type IdentExpr } from './ast.ts'
import type { CelValue } from './library.ts'

/** Why the arguments are invalid. Without an offset, the error is reported at the call. */
export interface MacroProblem {
  readonly message: string
  readonly offset: number | undefined
}

type Expansion = Expr | MacroProblem
/** Has a target if the macro is a member; the number of arguments is the registered one. */
type Macro = (make: Maker, target: Expr, args: readonly Expr[]) => Expansion

/** Creates the nodes of an expansion; all have the position of the call. */
class Maker {
  private readonly offset: number
  private readonly height: number

  constructor({ offset, height }: CallExpr) {
    this.offset = offset
    this.height = height
  }

  literal(value: CelValue): Expr {
    return { form: 'literal', offset: this.offset, height: this.height, value }
  }

  ident(name: string): IdentExpr {
    return { form: 'ident', offset: this.offset, height: this.height, name }
  }

  result(): Expr {
    return this.ident(accumulator)
  }

  call(name: string, ...args: Expr[]): Expr {
    return { form: 'call', offset: this.offset, height: this.height, name, target: undefined, args }
  }

  member(name: string, target: Expr, ...args: Expr[]): Expr {
    return { form: 'call', offset: this.offset, height: this.height, name, target, args }
  }

  list(...items: Expr[]): Expr {
    return { form: 'list', offset: this.offset, height: this.height, items, optional: noOptional }
  }

  map(): Expr {
    return { form: 'map', offset: this.offset, height: this.height, entries: [] }
  }

  presence(operand: Expr, field: string): Expr {
    return { form: 'select', offset: this.offset, height: this.height, operand, field, testOnly: true }
  }

  fold(
    range: Expr,
    variables: readonly [string, string?],
    init: Expr,
    condition: Expr,
    step: Expr,
    result: Expr,
  ): Expr {
    const [variable, variable2] = variables
    const { offset, height } = this
    return { form: 'fold', offset, height, range, variable, variable2, accumulator, init, condition, step, result }
  }

  /** Binds `value` to a name within `result`. */
  bind(name: string, value: Expr, result: Expr): Expr {
    const { offset, height } = this
    const condition = this.literal(false)
    return {
      form: 'fold',
      offset,
      height,
      range: this.list(),
      variable: '#unused',
      variable2: undefined,
      accumulator: name,
      init: value,
      condition,
      step: this.ident(name),
      result,
    }
  }
}

function problem(message: string, at: Expr): MacroProblem {
  return { message, offset: at.offset }
}

function isProblem(value: unknown): value is MacroProblem {
  return typeof value === 'object' && value !== null && 'message' in value
}

const overwrites = 'iteration variable overwrites accumulator variable'

function isReserved(name: string): boolean {
  return name === accumulator || name === '__result__'
}

function variableOf(arg: Expr, otherwise: string): [string] | MacroProblem {
  if (arg.form !== 'ident') return problem(otherwise, arg)
  return isReserved(arg.name) ? problem(overwrites, arg) : [arg.name]
}

function twoVariables(args: readonly Expr[]): [string, string] | MacroProblem {
  const [first, second] = args as [Expr, Expr]
  if (first.form !== 'ident') return problem('argument must be a simple name', first)
  if (second.form !== 'ident') return problem('argument must be a simple name', second)
  if (first.name === second.name) return problem(`duplicate variable name: ${first.name}`, second)
  if (isReserved(first.name)) return problem(overwrites, first)
  return isReserved(second.name) ? problem(overwrites, second) : [first.name, second.name]
}

type Quantifier = 'all' | 'exists' | 'existsOne'

function quantify(make: Maker, which: Quantifier, range: Expr, variables: [string, string?], test: Expr): Expr {
  const result = make.result()
  switch (which) {
    case 'all':
      return make.fold(
        range,
        variables,
        make.literal(true),
        make.call('@not_strictly_false', make.result()),
        make.call('_&&_', make.result(), test),
        result,
      )
    case 'exists':
      return make.fold(
        range,
        variables,
        make.literal(false),
        make.call('@not_strictly_false', make.call('!_', make.result())),
        make.call('_||_', make.result(), test),
        result,
      )
    case 'existsOne':
      return make.fold(
        range,
        variables,
        make.literal(0n),
        make.literal(true),
        make.call('_?_:_', test, make.call('_+_', make.result(), make.literal(1n)), make.result()),
        make.call('_==_', result, make.literal(1n)),
      )
  }
}

function quantifier(which: Quantifier): Macro {
  return (make, target, args) => {
    const two = args.length === 3
    const variables = two ? twoVariables(args) : variableOf(args[0] as Expr, 'argument must be a simple name')
    return isProblem(variables) ? variables : quantify(make, which, target, variables, args.at(-1) as Expr)
  }
}

/** Appends to the result in each iteration, or only if `filter` is true. */
function collect(
  make: Maker,
  range: Expr,
  variables: [string, string?],
  init: Expr,
  step: Expr,
  filter: Expr | undefined,
): Expr {
  const chosen = filter === undefined ? step : make.call('_?_:_', filter, step, make.result())
  return make.fold(range, variables, init, make.literal(true), chosen, make.result())
}

const map: Macro = (make, target, args) => {
  const variables = variableOf(args[0] as Expr, 'argument is not an identifier')
  if (isProblem(variables)) return variables
  const step = make.call('_+_', make.result(), make.list(args.at(-1) as Expr))
  return collect(make, target, variables, make.list(), step, args.length === 3 ? args[1] : undefined)
}

const filter: Macro = (make, target, [variable, test]) => {
  const variables = variableOf(variable as Expr, 'argument is not an identifier')
  if (isProblem(variables)) return variables
  const step = make.call('_+_', make.result(), make.list({ ...(variable as Expr) }))
  return collect(make, target, variables, make.list(), step, test)
}

function transform(step: (make: Maker, variable: string, value: Expr) => Expr, init: (make: Maker) => Expr): Macro {
  return (make, target, args) => {
    const variables = twoVariables(args)
    if (isProblem(variables)) return variables
    const added = step(make, variables[0], args.at(-1) as Expr)
    return collect(make, target, variables, init(make), added, args.length === 4 ? args[2] : undefined)
  }
}

const transformList = transform(
  (make, _, value) => make.call('_+_', make.result(), make.list(value)),
  (make) => make.list(),
)
const transformMap = transform(
  (make, variable, value) => make.call('cel.@mapInsert', make.result(), make.ident(variable), value),
  (make) => make.map(),
)
const transformMapEntry = transform(
  (make, _, value) => make.call('cel.@mapInsert', make.result(), value),
  (make) => make.map(),
)

function optional(name: string, wraps: boolean): Macro {
  return (make, target, [variable, value]) => {
    if (variable?.form !== 'ident')
      return problem(`${name}() variable name must be a simple identifier`, variable as Expr)
    const bound = make.bind(variable.name, make.member('value', { ...target }), value as Expr)
    return make.call(
      '_?_:_',
      make.member('hasValue', target),
      wraps ? make.call('optional.of', bound) : bound,
      make.call('optional.none'),
    )
  }
}

const sortable = new Set<Expr['form']>(['list', 'select', 'ident', 'fold', 'call'])

const sortBy: Macro = (make, target, args) => {
  if (!sortable.has(target.form)) {
    return problem('sortBy can only be applied to a list, identifier, comprehension, call or select expression', target)
  }
  const input = '@__sortBy_input__'
  const keys = map(make, make.ident(input), args)
  if (isProblem(keys)) return keys
  return make.bind(input, target, make.member('@sortByAssociatedKeys', make.ident(input), keys))
}

const has: Macro = (make, _, [arg]) => {
  if (arg?.form !== 'select') return problem('invalid argument to has() macro', arg as Expr)
  return make.presence(arg.operand, arg.field)
}

/** By name, number of arguments and whether there is a target. */
const macros: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ['has:1:false', has],
  ['all:2:true', quantifier('all')],
  ['all:3:true', quantifier('all')],
  ['exists:2:true', quantifier('exists')],
  ['exists:3:true', quantifier('exists')],
  ['exists_one:2:true', quantifier('existsOne')],
  ['exists_one:3:true', quantifier('existsOne')],
  ['existsOne:3:true', quantifier('existsOne')],
  ['map:2:true', map],
  ['map:3:true', map],
  ['filter:2:true', filter],
  ['transformList:3:true', transformList],
  ['transformList:4:true', transformList],
  ['transformMap:3:true', transformMap],
  ['transformMap:4:true', transformMap],
  ['transformMapEntry:3:true', transformMapEntry],
  ['transformMapEntry:4:true', transformMapEntry],
  ['optMap:2:true', optional('optMap', true)],
  ['optFlatMap:2:true', optional('optFlatMap', false)],
  ['sortBy:2:true', sortBy],
])

/** The expansion of the call; undefined if it is not a macro. */
export function expandMacro(call: CallExpr): Expansion | undefined {
  const macro = macros.get(`${call.name}:${call.args.length}:${call.target !== undefined}`)
  return macro?.(new Maker(call), call.target as Expr, call.args)
}
