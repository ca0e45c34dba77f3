/** Nodes of strings and numbers, with the limits that a server validates. */
import { SchemaError, SchemaNode } from './node.ts'

/** The formats that a server validates. It silently ignores all others, so they are not offered. */
export type StringFormat =
  | 'bsonobjectid'
  | 'byte'
  | 'cidr'
  | 'creditcard'
  | 'date'
  | 'date-time'
  | 'datetime'
  | 'duration'
  | 'email'
  | 'hexcolor'
  | 'hostname'
  | 'ipv4'
  | 'ipv6'
  | 'isbn'
  | 'isbn10'
  | 'isbn13'
  | 'k8s-long-name'
  | 'k8s-short-name'
  | 'mac'
  | 'password'
  | 'rgbcolor'
  | 'ssn'
  | 'uri'
  | 'uuid'
  | 'uuid3'
  | 'uuid4'
  | 'uuid5'

export class StringNode extends SchemaNode<string, string, 'required'> {
  /** In characters. */
  minLength(minLength: number): this {
    return this.with({ minLength })
  }

  /** In characters. Rules about a string need it: without it, their estimated cost exceeds the limit. */
  maxLength(maxLength: number): this {
    return this.with({ maxLength })
  }

  /**
   * An RE2 expression, which matches anywhere in the string unless anchored. Throws for a RegExp with flags: a CRD has
   * none.
   */
  pattern(pattern: string | RegExp): this {
    if (typeof pattern === 'string') return this.with({ pattern })
    if (pattern.flags !== '') throw new SchemaError(`pattern ${String(pattern)} has flags, which a CRD cannot have`)
    return this.with({ pattern: pattern.source })
  }

  format(format: StringFormat): this {
    return this.with({ format })
  }
}

export class NumberNode extends SchemaNode<number, number, 'required'> {
  min(minimum: number): this {
    return this.limit('Minimum', minimum, false)
  }

  max(maximum: number): this {
    return this.limit('Maximum', maximum, false)
  }

  /** Exclusive minimum. */
  above(minimum: number): this {
    return this.limit('Minimum', minimum, true)
  }

  /** Exclusive maximum. */
  below(maximum: number): this {
    return this.limit('Maximum', maximum, true)
  }

  multipleOf(multipleOf: number): this {
    return this.with({ multipleOf })
  }

  /** Does not write `exclusive…: false`, which is the default. */
  private limit(name: 'Minimum' | 'Maximum', value: number, exclusive: boolean): this {
    const { [`exclusive${name}`]: _, ...rest } = this.schema
    const schema = { ...rest, [name.toLowerCase()]: value, ...(exclusive ? { [`exclusive${name}`]: true } : {}) }
    return this.copy({ schema: Object.freeze(schema) })
  }
}
