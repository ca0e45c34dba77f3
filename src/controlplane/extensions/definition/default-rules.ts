/** Defaults in a CRD must themselves be valid, known to the schema, and good metadata where they are metadata. */
import type { FieldError } from '../../../api/field-error.ts'
import type { Json } from '../../../api/json.ts'
import { goFieldValue } from '../../../api/go-json.ts'
import { decodePart, EmbeddedError } from '../structural/decode.ts'
import { embeddedErrors } from '../structural/embedded.ts'
import type { Schema } from '../structural/schema.ts'
import { validateValue } from '../structural/validate.ts'

/** Errors of all defaults of a structural schema. Defaults under additionalProperties are not looked at, as upstream. */
export function defaultErrors(path: string, schema: Schema): FieldError[] {
  const errors: FieldError[] = []
  check(schema, path, errors)
  return errors
}

function check(schema: Schema, path: string, errors: FieldError[]): void {
  if (!schema.below.defaults) return
  if (schema.default !== undefined) checkDefault(schema, schema.default, `${path}.default`, errors)
  if (schema.items !== undefined) check(schema.items, `${path}.items`, errors)
  for (const [name, member] of schema.properties ?? []) check(member, `${path}.properties[${name}]`, errors)
}

function checkDefault(schema: Schema, value: Json, path: string, errors: FieldError[]): void {
  try {
    if (decodePart(value, schema, path).length > 0) {
      errors.push({
        type: 'Invalid', field: path, summary: `Invalid value: ${goFieldValue(value)}`, detail: 'must not have unknown fields',
      })
    }
  } catch (error) {
    if (!(error instanceof EmbeddedError)) throw error
    errors.push(error.error)
    return
  }
  const metadata = embeddedErrors(value, schema, path)
  errors.push(...(metadata.length > 0 ? metadata : validateValue(schema, value, { path, asDefault: true })))
}
