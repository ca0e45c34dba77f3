/** Nodes of texts and numbers, with the limits that a server checks. */
import { SchemaError, SchemaNode } from './node.ts'

/** The formats that a server checks. It ignores all others without a word, so they are not offered. */
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

  /** In characters. Rules about a text need one: without it they are taken to cost too much. */
  maxLength(maxLength: number): this {
    return this.with({ maxLength })
  }

  /** RE2, found anywhere in the text unless anchored. Throws for a JavaScript expression with flags: a CRD has none. */
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

  /** Greater than, not equal. */
  above(minimum: number): this {
    return this.limit('Minimum', minimum, true)
  }

  /** Less than, not equal. */
  below(maximum: number): this {
    return this.limit('Maximum', maximum, true)
  }

  multipleOf(multipleOf: number): this {
    return this.with({ multipleOf })
  }

  /** Writes no `exclusive…: false`, which is what its absence means. */
  private limit(name: 'Minimum' | 'Maximum', value: number, exclusive: boolean): this {
    const { [`exclusive${name}`]: _, ...rest } = this.schema
    const schema = { ...rest, [name.toLowerCase()]: value, ...(exclusive ? { [`exclusive${name}`]: true } : {}) }
    return this.copy({ schema: Object.freeze(schema) })
  }
}
