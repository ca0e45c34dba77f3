/** Type inference for one expression: binds the type parameters of declarations and of empty lists and maps. */
import { dynType, type CelType, type Overload } from './library.ts'
import { areAssignable, isAssignable, mostGeneral, placeholders, substitute, type Bindings } from './types.ts'

export class Inference {
  private readonly bindings = new Map<string, CelType>()
  private free = 0

  /** Replaces bound type parameters. `toDyn`: unbound ones become `dyn`. */
  substitute(type: CelType, toDyn: boolean): CelType {
    return substitute(this.bindings, type, toDyn)
  }

  /** A new, unbound type parameter. */
  freeType(): CelType {
    return { kind: 'param', name: `_var${this.free++}` }
  }

  /** True if `a` is assignable to `b`. If so, keeps the resulting bindings. */
  assign(a: CelType, b: CelType): boolean {
    return this.attempt((trial) => isAssignable(trial, a, b))
  }

  /** Undoes the bindings of a failed attempt. A copy for each attempt would take quadratic time. */
  private attempt(fits: (trial: Bindings) => boolean): boolean {
    const { bindings } = this
    const replaced: [name: string, before: CelType | undefined][] = []
    const trial: Bindings = {
      get: (name) => bindings.get(name),
      set: (name, type) => {
        replaced.push([name, bindings.get(name)])
        bindings.set(name, type)
      },
    }
    if (fits(trial)) return true
    for (const [name, before] of replaced.reverse()) {
      if (before === undefined) bindings.delete(name)
      else bindings.set(name, before)
    }
    return false
  }

  /** A common type of both. Mixed types are `dyn` here; a validator reports them once all types are known. */
  join(before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type
    return this.assign(before, type) ? mostGeneral(before, type) : dynType
  }

  /** The result type if the arguments match; otherwise undefined, and no bindings change. */
  tryOverload(overload: Overload, args: readonly CelType[]): CelType | undefined {
    const names = placeholdersOf(overload)
    let { args: wanted, result } = overload
    if (names.size > 0) {
      const fresh = new Map<string, CelType>()
      for (const name of names) fresh.set(name, this.freeType())
      wanted = wanted.map((type) => substitute(fresh, type, false))
      result = substitute(fresh, result, false)
    }
    const parameters = wanted
    if (!this.attempt((trial) => areAssignable(trial, args, parameters))) return undefined
    return this.substitute(result, false)
  }
}

function placeholdersOf(overload: Overload): ReadonlySet<string> {
  if (overload.placeholders === undefined) {
    const found = placeholders(overload.result)
    for (const arg of overload.args) placeholders(arg, found)
    overload.placeholders = found
  }
  return overload.placeholders
}
