/** The environment of expressions: the functions and types of all libraries, combined once. */
import { appendAll } from '../api/append.ts'
import type { CelResult, CelType, CelValue, Library, Overload } from './library.ts'

/** A type whose values expressions can construct: `NAME{field: value}`. */
export interface ConstructedType {
  readonly type: CelType & { kind: 'object' }
  make(fields: ReadonlyMap<string, CelValue>): CelResult
}

export interface Environment {
  /** By name; overloads are in the order of the libraries. */
  readonly functions: ReadonlyMap<string, readonly Overload[]>
  /** Types by the names that expressions can use. */
  readonly types: ReadonlyMap<string, CelType>
  /** The type of this name, if expressions can construct it. */
  readonly constructed: (name: string) => ConstructedType | undefined
}

export function createEnvironment(
  libraries: readonly Library[],
  constructed: Environment['constructed'] = () => undefined,
): Environment {
  const functions = new Map<string, Overload[]>()
  const types = new Map<string, CelType>()
  for (const library of libraries) {
    for (const { name, overloads } of library.functions) {
      const known = functions.get(name)
      if (known === undefined) functions.set(name, [...overloads])
      else appendAll(known, overloads)
    }
    for (const type of library.types ?? []) types.set(typeIdentifier(type), type)
  }
  return { functions, types, constructed }
}

/** The name of a type in expressions; timestamps and durations have the names of their protobuf messages. */
export function typeIdentifier(type: CelType): string {
  switch (type.kind) {
    case 'object':
    case 'opaque':
      return type.name
    case 'timestamp':
      return 'google.protobuf.Timestamp'
    case 'duration':
      return 'google.protobuf.Duration'
    default:
      return type.kind
  }
}
