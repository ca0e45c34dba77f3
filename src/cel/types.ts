/** Types in the checker: names in messages, assignability, and substitution of type parameters. */
import {
  boolType,
  bytesType,
  CelUint,
  doubleType,
  dynType,
  intType,
  nullType,
  stringType,
  uintType,
  type CelType,
  type CelValue,
} from './library.ts'

/** The name of a type in messages. */
export function typeText(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${typeText(type.element)})`
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`
    case 'object':
      return type.name
    case 'opaque':
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(typeText).join(', ')})`
    case 'param':
      return type.name
    case 'type':
      return type.of === undefined ? 'type' : `type(${typeText(type.of)})`
    case 'null_type':
      return 'null'
    case 'error':
      return '!error!'
    default:
      return type.kind
  }
}

export function isDyn(type: CelType): boolean {
  return type.kind === 'dyn'
}

export function isDynOrError(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error'
}

/** The element type of an optional; undefined if the type is not an optional. */
export function optionalOf(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined
}

export function sameType(a: CelType, b: CelType): boolean {
  return a === b || (a.kind === b.kind && typeText(a) === typeText(b))
}

export function parametersOf(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case 'list':
      return [type.element]
    case 'map':
      return [type.key, type.value]
    case 'opaque':
      return type.parameters
    case 'type':
      return type.of === undefined ? [] : [type.of]
    default:
      return []
  }
}

/** Bindings of type parameters. */
export interface Bindings {
  get(name: string): CelType | undefined
  set(name: string, type: CelType): unknown
}

/** True if `a` is assignable to `b`; binds type parameters of both. */
export function isAssignable(bindings: Bindings, a: CelType, b: CelType): boolean {
  if (b.kind === 'param') {
    const { valid, bound } = substitutes(bindings, a, b.name, b)
    if (valid) return true
    if (bound) return false
  }
  if (a.kind === 'param') return substitutes(bindings, b, a.name, a).valid
  if (isDynOrError(a) || isDynOrError(b)) return true
  if (a.kind === 'null_type') return acceptsNull(b)
  if (b.kind === 'null_type') return acceptsNull(a)
  if (a.kind !== b.kind) return false
  switch (a.kind) {
    case 'type':
      return true
    case 'object':
      return a.name === (b as typeof a).name
    case 'list':
      return isAssignable(bindings, a.element, (b as typeof a).element)
    case 'map':
      return (
        isAssignable(bindings, a.key, (b as typeof a).key) && isAssignable(bindings, a.value, (b as typeof a).value)
      )
    case 'opaque':
      return a.name === (b as typeof a).name && areAssignable(bindings, a.parameters, (b as typeof a).parameters)
    default:
      return true
  }
}

export function areAssignable(bindings: Bindings, a: readonly CelType[], b: readonly CelType[]): boolean {
  return a.length === b.length && a.every((type, i) => isAssignable(bindings, type, b[i] as CelType))
}

function acceptsNull(type: CelType): boolean {
  return ['null_type', 'opaque', 'object', 'duration', 'timestamp'].includes(type.kind)
}

function substitutes(
  bindings: Bindings,
  type: CelType,
  name: string,
  param: CelType,
): { valid: boolean; bound: boolean } {
  if (type.kind === 'param' && type.name === name) return { valid: true, bound: true }
  const known = bindings.get(name)
  if (known !== undefined) {
    if (sameType(type, known)) return { valid: true, bound: true }
    if (!isAssignable(bindings, type, known)) return { valid: false, bound: true }
    const general = mostGeneral(type, known)
    if (!mentions(bindings, param, general)) bindings.set(name, general)
    return { valid: true, bound: true }
  }
  if (mentions(bindings, param, type)) return { valid: false, bound: false }
  bindings.set(name, type)
  return { valid: true, bound: false }
}

/** True if a type contains the type parameter, so that binding it would be infinite. */
function mentions(bindings: Bindings, param: CelType, within: CelType): boolean {
  if (sameType(param, within)) return true
  if (within.kind === 'param') {
    const known = bindings.get(within.name)
    return known !== undefined && mentions(bindings, param, known)
  }
  return parametersOf(within).some((type) => mentions(bindings, param, type))
}

export function mostGeneral(a: CelType, b: CelType): CelType {
  return isLessSpecific(a, b) ? a : b
}

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'param') return true
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  if (a.kind === 'list' || a.kind === 'map' || a.kind === 'opaque') {
    const [own, other] = [parametersOf(a), parametersOf(b)]
    if ((a.kind === 'opaque' && a.name !== (b as typeof a).name) || own.length !== other.length) return false
    return own.every((type, i) => isLessSpecific(type, other[i] as CelType))
  }
  return sameType(a, b)
}

/** The type with bound type parameters replaced. `toDyn`: unbound ones become dyn. */
export function substitute(bindings: Bindings, type: CelType, toDyn: boolean): CelType {
  switch (type.kind) {
    case 'param': {
      const known = bindings.get(type.name)
      if (known !== undefined) return substitute(bindings, known, toDyn)
      return toDyn ? dynType : type
    }
    case 'list':
      return { kind: 'list', element: substitute(bindings, type.element, toDyn) }
    case 'map':
      return { kind: 'map', key: substitute(bindings, type.key, toDyn), value: substitute(bindings, type.value, toDyn) }
    case 'opaque':
      if (type.parameters.length === 0) return type
      return { ...type, parameters: type.parameters.map((parameter) => substitute(bindings, parameter, toDyn)) }
    case 'type':
      return type.of === undefined ? type : { kind: 'type', of: substitute(bindings, type.of, toDyn) }
    default:
      return type
  }
}

/** The names of a type's type parameters. */
export function placeholders(type: CelType, into = new Set<string>()): Set<string> {
  if (type.kind === 'param') into.add(type.name)
  else for (const parameter of parametersOf(type)) placeholders(parameter, into)
  return into
}

/** The type of a literal. */
export function literalType(value: CelValue): CelType {
  if (value === null) return nullType
  switch (typeof value) {
    case 'boolean':
      return boolType
    case 'bigint':
      return intType
    case 'number':
      return doubleType
    case 'string':
      return stringType
    default:
      return value instanceof CelUint ? uintType : bytesType
  }
}
