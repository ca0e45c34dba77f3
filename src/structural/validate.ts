/**
 * Validation of a value by its schema: the OpenAPI checks, with upstream's order and messages.
 *
 * Expected flow: the first walk ignores the old object, since most writes are valid. Only if it finds errors on an
 * update, a second walk tolerates errors in unchanged parts.
 * Errors of sibling fields are sorted by field name; upstream's order there is random.
 */
import type { FieldError } from '../api/field-error.ts'
import { limitSteps, maxSteps, StepLimitExceeded, takeSteps } from '../api/step-limit.ts'
import { getOwn, isObject, type Json, type JsonObject } from '../api/json.ts'
import { isInt64 } from '../api/go-format.ts'
import { checkNumber, checkString, isWholeEnough, matchesEnum } from './value-checks.ts'
import type { Correlation } from './correlation.ts'
import { asFieldError, Findings, found } from './findings.ts'
import type { Schema, SchemaField } from './schema.ts'

export interface ValidateOptions {
  /** The path of the value: '' for the object itself, `status` for its status. */
  readonly path?: string
  /** The correlation with the old value on an update; undefined: tolerate nothing. */
  readonly correlation?: Correlation | undefined
  /** The value is a default in a CRD: upstream then accepts any value for int-or-string without anyOf. */
  readonly asDefault?: boolean
}

/** All errors of `value`; empty if it is valid. Never changes the value. */
export function validateValue(schema: Schema, value: Json, options: ValidateOptions = {}): FieldError[] {
  return limitSteps(() => valueErrors(schema, value, options))
}

function valueErrors(schema: Schema, value: Json, options: ValidateOptions): FieldError[] {
  const asDefault = options.asDefault ?? false
  let findings = walkValue(schema, value, asDefault, undefined)
  if (findings.valid) return []
  if (options.correlation !== undefined) findings = walkValue(schema, value, asDefault, options.correlation)
  return findings.list.map((finding) => asFieldError(finding, options.path ?? ''))
}

function walkValue(schema: Schema, value: Json, asDefault: boolean, correlation: Correlation | undefined): Findings {
  const findings = new Findings()
  try {
    new Walk(asDefault).correlated(schema, value, findings, correlation)
  } catch (error) {
    if (!(error instanceof StepLimitExceeded)) throw error
    findings.list.push(found.tooCostly(tooManySteps))
  }
  return findings
}

const tooManySteps =
  `validation by the schema exceeds the limit of ${maxSteps} steps ` +
  '(try fewer or shorter values, simpler patterns, or fewer alternatives and enum values in the schema)'

/**
 * True if `value` has no errors. Values that are identical at the same path of `known`, a valid object, are skipped.
 */
export function isValid(schema: Schema, value: Json, known: Json | undefined): boolean {
  const findings = new Findings()
  try {
    limitSteps(() => new Walk(false).check(schema, value, findings, undefined, known))
  } catch (error) {
    if (error instanceof StepLimitExceeded) return false
    throw error
  }
  return findings.valid
}

class Walk {
  /** Names and indexes below the validated value; formatted only for errors. */
  private readonly path: (string | number)[] = []
  private readonly asDefault: boolean

  constructor(asDefault: boolean) {
    this.asDefault = asDefault
  }

  private typesOf(schema: Schema): readonly string[] {
    return this.asDefault && schema.intOrString ? [] : schema.types
  }

  where(): string {
    let text = ''
    for (const part of this.path) {
      if (typeof part === 'number') text += `[${part}]`
      else text += text === '' ? part : `.${part}`
    }
    return text
  }

  /** Drops errors of an unchanged value; its matches still count. */
  correlated(schema: Schema, value: Json, out: Findings, correlation: Correlation | undefined, known?: Json): void {
    if (correlation === undefined) {
      this.check(schema, value, out, undefined, known)
      return
    }
    const own = new Findings()
    this.check(schema, value, own, correlation)
    if (own.valid || !correlation.equal()) out.merge(own)
    else out.matches += own.matches
  }

  /** Values that are identical in `known` are skipped and do not count as a match. */
  check(schema: Schema, value: Json, out: Findings, correlation: Correlation | undefined, known?: Json): void {
    takeSteps(10)
    if (value === null) {
      this.checkNull(schema, out)
      return
    }
    if (this.typesOf(schema).length > 0 || schema.format !== '') {
      if (this.checkType(schema, value, out)) out.matches++
      out.matches++
    }
    this.checkAlternatives(schema, value, out)
    if (typeof value === 'string') {
      checkString(schema, value, this, out)
      out.matches += schema.checkFormat === undefined ? 1 : 2
    } else if (typeof value === 'number') {
      checkNumber(schema, value, this, out)
      out.matches += 2
    } else if (Array.isArray(value)) {
      this.checkItems(schema, value, out, correlation, Array.isArray(known) ? known : undefined)
      out.matches += 2
    }
    this.checkEnum(schema, value, out)
    out.matches++
    if (isObject(value)) {
      this.checkFields(schema, value, out, correlation, isObject(known) ? known : undefined)
      out.matches++
    }
    out.matches++
  }

  private checkNull(schema: Schema, out: Findings): void {
    const types = this.typesOf(schema)
    if (types.length > 0 && !schema.nullable) {
      out.add(found.wrongType(this.where(), types.join(','), 'null'))
    } else {
      out.matches++
    }
    this.checkEnum(schema, null, out)
  }

  private checkEnum(schema: Schema, value: Json, out: Findings): void {
    takeSteps(2 * schema.enum.length)
    if (schema.enum.length > 0 && !matchesEnum(schema.enum, value)) {
      out.add(found.notOneOf(this.where(), value, schema.enum))
    }
  }

  /**
   * A known format relaxes the type check for strings and, surprisingly, for lists: upstream accepts them and checks
   * only the format.
   */
  private checkType(schema: Schema, value: Exclude<Json, null>, out: Findings): boolean {
    const actual = typeOf(value)
    const types = this.typesOf(schema)
    const fits =
      types.includes(actual) ||
      (actual === 'integer' && types.includes('number')) ||
      (actual === 'number' && types.includes('integer') && isWholeEnough(value as number))
    const textual = actual === 'string' || actual === 'array'
    if (schema.format !== '' && !textual && !fits) {
      const held = actual === 'integer' ? 'int64' : actual === 'number' ? 'float64' : ''
      out.add(found.wrongType(this.where(), schema.format, held))
      return false
    }
    const numeric = types.includes('number') || types.includes('integer')
    if (fits || (schema.format !== '' && textual && !numeric)) return true
    out.add(found.wrongType(this.where(), types.join(','), actual))
    return false
  }

  private checkAlternatives(schema: Schema, value: Json, out: Findings): void {
    if (schema.anyOf.length > 0) this.checkAnyOf(schema, value, out)
    if (schema.oneOf.length > 0) this.checkOneOf(schema, value, out)
    if (schema.allOf.length > 0) this.checkAllOf(schema, value, out)
    if (schema.not !== undefined && this.try(schema.not, value).valid) {
      out.add(found.composite(`${quoted(this.where())} must not validate the schema (not)`))
    }
    out.matches += 2
  }

  private try(schema: Schema, value: Json): Findings {
    const findings = new Findings()
    this.check(schema, value, findings, undefined)
    return findings
  }

  private checkAnyOf(schema: Schema, value: Json, out: Findings): void {
    let best: Findings | undefined
    for (const alternative of schema.anyOf) {
      const result = this.try(alternative, value)
      if (result.valid) {
        out.merge(result)
        return
      }
      if (best === undefined || result.matches > best.matches) best = result
    }
    out.add(found.composite(`${quoted(this.where())} must validate at least one schema (anyOf)`))
    if (best !== undefined) out.merge(best)
  }

  private checkOneOf(schema: Schema, value: Json, out: Findings): void {
    let best: Findings | undefined
    let first: Findings | undefined
    let valid = 0
    for (const alternative of schema.oneOf) {
      const result = this.try(alternative, value)
      if (result.valid) {
        valid++
        best = undefined
        first ??= result
      } else if (valid === 0 && (best === undefined || result.matches > best.matches)) {
        best = result
      }
    }
    if (valid === 1) {
      out.merge(first as Findings)
      return
    }
    const count = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
    out.add(found.composite(`${quoted(this.where())} must validate one and only one schema (oneOf). ${count}`))
    if (best !== undefined) out.merge(best)
  }

  private checkAllOf(schema: Schema, value: Json, out: Findings): void {
    let valid = 0
    for (const member of schema.allOf) {
      const result = this.try(member, value)
      if (result.valid) valid++
      out.merge(result)
    }
    if (valid === schema.allOf.length) return
    const none = valid === 0 ? '. None validated' : ''
    out.add(found.composite(`${quoted(this.where())} must validate all the schemas (allOf)${none}`))
  }

  private checkItems(
    schema: Schema,
    items: readonly Json[],
    out: Findings,
    correlation: Correlation | undefined,
    known: readonly Json[] | undefined,
  ): void {
    if (schema.items !== undefined) {
      for (let i = 0; i < items.length; i++) {
        if (known !== undefined && known[i] === items[i]) continue
        this.path.push(i)
        this.correlated(schema.items, items[i] as Json, out, correlation?.index(i), known?.[i])
        this.path.pop()
      }
    }
    const { minItems, maxItems } = schema
    if (minItems !== undefined && items.length < minItems) {
      const path = this.where()
      out.add(found.invalid(path, items.length, `${path} in body should have at least ${minItems} items`))
    }
    if (maxItems !== undefined && items.length > maxItems) {
      out.add(found.tooMany(this.where(), items.length, maxItems, 'items'))
    }
  }

  private checkFields(
    schema: Schema,
    value: JsonObject,
    out: Findings,
    correlation: Correlation | undefined,
    known: JsonObject | undefined,
  ): void {
    const fields = schema.fields.length <= manyFields ? schema.fields : fieldsOf(schema, value)
    takeSteps(4 * (fields.length + schema.required.length))
    this.checkFieldCount(schema, value, out)
    this.checkAdditional(schema, value, out, correlation)
    for (const { name, schema: member } of fields) {
      const field = getOwn(value, name)
      if (field === undefined) continue
      const before = known && getOwn(known, name)
      if (field === before) continue
      const ratcheted = this.path.length === 0 && (name === 'kind' || name === 'apiVersion') ? undefined : correlation
      this.path.push(name)
      this.correlated(member, field, out, ratcheted?.key(name), before)
      this.path.pop()
    }
    for (const name of schema.required) {
      if (!Object.hasOwn(value, name)) out.add(found.required(`${this.where()}.${name}`))
    }
  }

  private checkFieldCount(schema: Schema, value: JsonObject, out: Findings): void {
    const { minProperties, maxProperties } = schema
    if (minProperties === undefined && maxProperties === undefined) return
    const count = Object.keys(value).length
    if (minProperties !== undefined && count < minProperties) {
      const path = this.where()
      out.add(found.invalid(path, count, `${path} in body should have at least ${minProperties} properties`))
    }
    if (maxProperties !== undefined && count > maxProperties) {
      out.add(found.tooMany(this.where(), count, maxProperties, 'properties'))
    }
  }

  private checkAdditional(
    schema: Schema,
    value: JsonObject,
    out: Findings,
    correlation: Correlation | undefined,
  ): void {
    const additional = schema.additionalProperties
    if (additional === undefined || (additional.allows && additional.schema === undefined)) return
    for (const name of Object.keys(value)) {
      if (schema.properties?.has(name) === true) continue
      if (additional.schema === undefined) {
        const path = this.where()
        out.add(found.invalid(path, name, `${path}.${name} in body is a forbidden property`))
        continue
      }
      this.path.push(this.path.length === 0 ? `.${name}` : name)
      this.correlated(additional.schema, value[name] as Json, out, correlation?.key(name))
      this.path.pop()
    }
  }
}

const manyFields = 50

/** The fields that the object has, in the order of the schema: for schemas with many more. */
function fieldsOf(schema: Schema, value: JsonObject): SchemaField[] {
  const names = Object.keys(value)
  takeSteps(10 * names.length)
  if (names.length > schema.fields.length) return schema.fields as SchemaField[]
  const fields: SchemaField[] = []
  for (const name of names.sort()) {
    const member = schema.properties?.get(name)
    if (member !== undefined) fields.push({ name, schema: member })
  }
  return fields
}

function typeOf(value: Exclude<Json, null>): string {
  if (typeof value === 'number') return isInt64(value) ? 'integer' : 'number'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

function quoted(path: string): string {
  return JSON.stringify(path)
}
