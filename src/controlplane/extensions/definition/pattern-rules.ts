/** The limit for the patterns of a CRD together, checked before any of them is compiled. Upstream has no such limit. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { getOwn, isObject, type Json, type JsonObject } from '../../../api/json.ts'
import { patternSize } from '../../../api/pattern-size.ts'
import { isLeaf } from '../../../structural/leaf.ts'
import { objectsOf, textOf } from '../../../structural/reading.ts'

/** In instructions of their programs: a few bytes, such as `.{999}`, make thousands. */
const maxPatternStates = 30_000

/** An error if the patterns of these schemas are too large together; equal ones count once. */
export function patternsError(field: string, schemas: readonly (JsonObject | undefined)[]): FieldError | undefined {
  const sources = new Set<string>()
  for (const schema of schemas) if (schema !== undefined) collect(schema, sources)
  let size = 0
  for (const source of sources) {
    const each = patternSize(source)
    // A pattern that is too large by itself is refused without being compiled.
    if (each.problem === undefined) size += each.size
  }
  if (size <= maxPatternStates) return undefined
  const detail = `the patterns of all schemas together must have at most ${maxPatternStates} states`
  return fieldError.invalid(field, size, detail)
}

function collect(schema: JsonObject, sources: Set<string>): void {
  const source = textOf(schema, 'pattern')
  if (source !== '') sources.add(source)
  if (isLeaf(schema)) return
  const visit = (child: Json | undefined): void => {
    if (isObject(child)) collect(child, sources)
  }
  for (const name of ['items', 'additionalProperties', 'not']) visit(getOwn(schema, name))
  for (const name of ['allOf', 'anyOf', 'oneOf']) for (const child of objectsOf(schema, name)) collect(child, sources)
  const properties = getOwn(schema, 'properties')
  if (isObject(properties)) for (const name of Object.keys(properties)) visit(properties[name])
}
