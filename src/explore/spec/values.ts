/**
 * Values for one property, from its schema: valid ones, ones at and beyond its limits, and invalid ones. Every value is
 * checked against the schema; only a server knows what CEL rules and webhooks say.
 */
import { equalJson, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { Schema } from '../../structural/schema.ts'
import { validateValue } from '../../structural/validate.ts'
import { likelyStrings, longStrings, unusual } from './strings.ts'

/** One thing to try at a property. */
export interface ValueChoice {
  /** Unique for the property: `min`, `too-long`; for an enum, the value. */
  readonly label: string
  readonly class: 'valid' | 'out-of-range' | 'invalid'
  /** The preferred one first. Of those that are not valid, there is only one. */
  readonly values: readonly Json[]
}

/** Values by the path of the property: `spec.image`, `spec.ports[].port`. They replace generated valid ones. */
export type GivenValues = Readonly<Record<string, readonly Json[]>>

/** More would make an object that nobody writes. */
const maxAlternatives = 12
const maxFilledItems = 1000
const maxFilledLength = 4096

export class SpecValues {
  readonly #given: GivenValues
  readonly #alternatives = new Map<string, readonly Json[]>()

  constructor(given: GivenValues = {}) {
    this.#given = given
  }

  /** Everything to try at a property that has this value now, or is absent. */
  choices(schema: Schema, path: string, current: Json | undefined): readonly ValueChoice[] {
    const now = current ?? schema.default
    const given = this.#given[path]
    const valid =
      given === undefined
        ? this.#valid(schema, path, now, current === undefined)
        : given.map((value) => ({ label: labelOf(value), values: [value] }))
    const tried: Json[] = now === undefined ? [] : [now]
    const other = valid.flatMap(({ label, values }) => {
      const fresh = values.filter((value) => fits(schema, value) && !tried.some((each) => equalJson(each, value)))
      if (fresh[0] === undefined) return []
      tried.push(fresh[0])
      return [{ label, class: 'valid' as const, values: fresh }]
    })
    return [...other, ...this.#beyond(schema, path, now), ...invalid(schema)]
  }

  /** Valid values for a property that is absent; objects have something in them if possible. */
  alternatives(schema: Schema, path: string): readonly Json[] {
    const known = this.#alternatives.get(path)
    if (known !== undefined) return known
    const all = this.#given[path] ?? (schema.default === undefined ? this.#make(schema, path) : [schema.default])
    const found = all.filter((value) => fits(schema, value)).slice(0, maxAlternatives)
    this.#alternatives.set(path, found)
    return found
  }

  /** Objects without the property `except`: with all that is required, then with one more each. */
  objects(schema: Schema, path: string, except?: string): readonly JsonObject[] {
    const least: JsonObject = {}
    const optional: JsonObject[] = []
    for (const { name, schema: member } of schema.fields) {
      if (name === except) continue
      const values = this.alternatives(member, `${path}.${name}`)
      if (schema.required.includes(name)) least[name] = values[0] ?? null
      else if (member.default === undefined) optional.push(...values.slice(0, 3).map((value) => ({ [name]: value })))
    }
    return [least, ...optional.map((each) => ({ ...least, ...each }))]
  }

  /** A key for a map. */
  keyOf(schema: Schema): string {
    return schema.additionalProperties?.schema?.intOrString === true ? 'cpu' : 'example'
  }

  #make(schema: Schema, path: string): readonly Json[] {
    if (schema.enum.length > 0) return schema.enum
    if (schema.intOrString) return [1, ...likelyStrings(lastName(path), undefined)]
    switch (schema.type) {
      case 'boolean':
        return [true, false]
      case 'integer':
      case 'number':
        return numbersNear(schema, undefined)
      case 'string':
        return likelyStrings(lastName(path), undefined)
      case 'array':
        return this.#lists(schema, path)
      case 'object':
        if (isMap(schema)) return this.#maps(schema, path)
        return schema.fields.length === 0 ? [{ example: 'a' }] : nonEmptyFirst(this.objects(schema, path))
      default:
        return [{ example: 'a' }, 'a', 1]
    }
  }

  #lists({ items, minItems = 0 }: Schema, path: string): readonly Json[] {
    const values = items === undefined ? [] : this.alternatives(items, `${path}[]`)
    return [...values.map((value) => Array.from({ length: Math.max(1, minItems) }, () => value)), []]
  }

  #maps(schema: Schema, path: string): readonly Json[] {
    const { additionalProperties } = schema
    const values = additionalProperties?.schema
    const key = this.keyOf(schema)
    const all = values === undefined ? ['a'] : this.alternatives(values, `${path}.*`)
    return [...all.map((value) => ({ [key]: value })), {}]
  }

  #valid(
    schema: Schema,
    path: string,
    now: Json | undefined,
    isAbsent: boolean,
  ): readonly Omit<ValueChoice, 'class'>[] {
    if (schema.enum.length > 0) return schema.enum.map((value) => ({ label: labelOf(value), values: [value] }))
    const field = lastName(path)
    if (schema.intOrString) {
      const next = typeof now === 'number' ? now + 1 : 1
      return [
        { label: 'number', values: [next, next + 1, 0] },
        {
          label: 'text',
          values: [...(/port$/i.test(field) ? [] : ['50%', '25%']), ...likelyStrings(field, undefined)],
        },
      ]
    }
    switch (schema.type) {
      case 'boolean':
        return [true, false].map((value) => ({ label: String(value), values: [value] }))
      case 'integer':
      case 'number':
        return [
          { label: 'other', values: numbersNear(schema, typeof now === 'number' ? now : undefined) },
          ...limits(schema).map(([label, value]) => ({ label, values: [value] })),
        ]
      case 'string':
        return [
          { label: 'other', values: likelyStrings(field, typeof now === 'string' ? now : undefined).filter(Boolean) },
          { label: 'empty', values: [''] },
          ...((schema.maxLength ?? Infinity) <= maxFilledLength
            ? [{ label: 'longest', values: longStrings(schema.maxLength ?? 0) }]
            : []),
        ]
      case 'array':
        return Array.isArray(now) && !isAbsent
          ? this.#otherLists(schema, path, now)
          : [{ label: 'one', values: this.#lists(schema, path).filter(hasContent) }]
      case 'object':
        if (isMap(schema))
          return isObject(now) && !isAbsent
            ? this.#otherMaps(schema, path, now)
            : [{ label: 'one', values: this.#maps(schema, path).filter(hasContent) }]
        // Without required fields, the object is nothing but its fields, which are tried each.
        return isAbsent && schema.required.length > 0 ? [{ label: 'least', values: this.objects(schema, path) }] : []
      default:
        return [{ label: 'other', values: this.#make(schema, path) }]
    }
  }

  #otherLists({ items }: Schema, path: string, now: readonly Json[]): readonly Omit<ValueChoice, 'class'>[] {
    const more = items === undefined ? [] : this.alternatives(items, `${path}[]`)
    return [
      { label: 'more', values: more.map((item) => [...now, item]) },
      ...(now.length > 1 ? [{ label: 'fewer', values: [now.slice(0, -1), now.slice(1)] }] : []),
      { label: 'empty', values: [[]] },
    ]
  }

  #otherMaps(schema: Schema, path: string, now: JsonObject): readonly Omit<ValueChoice, 'class'>[] {
    const values = schema.additionalProperties?.schema
    const more = values === undefined ? ['a'] : this.alternatives(values, `${path}.*`)
    const [first, ...others] = Object.keys(now)
    const key = [this.keyOf(schema), 'memory', 'another'].find((each) => !(each in now)) ?? 'more'
    return [
      { label: 'more', values: more.map((value) => ({ ...now, [key]: value })) },
      ...(first !== undefined && others.length > 0 ? [{ label: 'fewer', values: [without(now, first)] }] : []),
      { label: 'empty', values: [{}] },
    ]
  }

  /** One value just beyond each limit. */
  #beyond(schema: Schema, path: string, now: Json | undefined): readonly ValueChoice[] {
    const { maxLength = Infinity, minLength = 0, maxItems = Infinity, minItems = 0, maxProperties = Infinity } = schema
    const item = (): Json => (Array.isArray(now) ? now[0] : undefined) ?? this.#itemOf(schema, path)
    const candidates: readonly (readonly [label: string, isThere: boolean, make: () => Json])[] = [
      ['below', schema.minimum !== undefined, () => limitOf(schema, 'minimum') - 1],
      ['above', schema.maximum !== undefined, () => limitOf(schema, 'maximum') + 1],
      ['too-long', maxLength < 1e6, () => 'a'.repeat(maxLength + 1)],
      ['too-short', minLength > 0, () => 'a'.repeat(minLength - 1)],
      ['too-many', maxItems <= maxFilledItems, () => Array.from({ length: maxItems + 1 }, item)],
      ['too-few', minItems > 0, () => Array.from({ length: minItems - 1 }, item)],
      ['too-many', maxProperties <= maxFilledItems, () => this.#fullMap(schema, path, maxProperties + 1)],
    ]
    return candidates
      .filter(([, isThere]) => isThere)
      .map(([label, , make]) => ({ label, class: 'out-of-range' as const, values: [make()] }))
      .filter(({ values: [value] }) => !fits(schema, value as Json))
  }

  #itemOf({ items }: Schema, path: string): Json {
    return (items === undefined ? undefined : this.alternatives(items, `${path}[]`)[0]) ?? null
  }

  #fullMap({ additionalProperties }: Schema, path: string, size: number): Json {
    const values = additionalProperties?.schema
    const value = (values === undefined ? undefined : this.alternatives(values, `${path}.*`)[0]) ?? 'a'
    return Object.fromEntries(Array.from({ length: size }, (_, index) => [`example-${index}`, value]))
  }
}

/** A value of another type, and one of the type that the pattern, the format or the enum forbids. */
function invalid(schema: Schema): readonly ValueChoice[] {
  const otherTypes: readonly Json[] = schema.intOrString ? [true] : ['a', 7, true]
  const ofType = typeof schema.enum[0] === 'number' ? [Number.MAX_SAFE_INTEGER] : unusual
  const { minLength = 0, maxLength = Infinity } = schema
  const ofRightLength = ofType.filter((each) => {
    const length = typeof each === 'string' ? each.length : minLength
    return length >= minLength && length <= maxLength
  })
  const isText = schema.type === 'string' || schema.enum.length > 0 || schema.pattern !== undefined
  return [
    { label: 'type', values: otherTypes },
    { label: 'invalid', values: isText ? ofRightLength : [] },
  ].flatMap(({ label, values }) => {
    const wrong = values.find((value) => !fits(schema, value) && (label === 'invalid' || !isOfType(schema, value)))
    return wrong === undefined ? [] : [{ label, class: 'invalid' as const, values: [wrong] }]
  })
}

function isOfType({ type, intOrString }: Schema, value: Json): boolean {
  if (intOrString) return typeof value === 'number' || typeof value === 'string'
  return type === 'integer' ? typeof value === 'number' : type === typeof value
}

function fits(schema: Schema, value: Json): boolean {
  return validateValue(schema, value).length === 0
}

function numbersNear(schema: Schema, now: number | undefined): readonly number[] {
  const { multipleOf = 1, minimum = 0, maximum } = schema
  const near = now === undefined ? [] : [now + multipleOf, now - multipleOf]
  return [...near, minimum + multipleOf, minimum, 1, 2, 10, ...(maximum === undefined ? [] : [maximum])]
}

function limits(schema: Schema): readonly (readonly ['min' | 'max', number])[] {
  return [
    ...(schema.minimum === undefined ? [] : ([['min', limitOf(schema, 'minimum')]] as const)),
    ...(schema.maximum === undefined ? [] : ([['max', limitOf(schema, 'maximum')]] as const)),
  ]
}

/** The outermost value that is still allowed. */
function limitOf(schema: Schema, limit: 'minimum' | 'maximum'): number {
  const { multipleOf = 1 } = schema
  const value = schema[limit] ?? 0
  const isExclusive = limit === 'minimum' ? schema.exclusiveMinimum : schema.exclusiveMaximum
  return isExclusive ? value + (limit === 'minimum' ? multipleOf : -multipleOf) : value
}

export function isMap(schema: Schema): boolean {
  return schema.type === 'object' && schema.additionalProperties !== undefined && schema.fields.length === 0
}

function nonEmptyFirst(objects: readonly JsonObject[]): readonly JsonObject[] {
  return objects.toSorted((a, b) => Number(hasContent(b)) - Number(hasContent(a)))
}

function hasContent(value: Json): boolean {
  return Object.keys(value as object).length > 0
}

export function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = object
  return rest
}

function lastName(path: string): string {
  return path
    .replaceAll(/\[\]|\.\*/g, '')
    .split('.')
    .at(-1) as string
}

function labelOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
