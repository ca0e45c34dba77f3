/** The error of Go's JSON decoder for a text that must be a JSON object. */
import { isObject, type Json } from '../../../api/json.ts'
import { describeJsonError } from '../../../codec/json-error.ts'

/** Undefined if the text is a JSON object or null. */
export function jsonObjectProblem(text: string): string | undefined {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return describeJsonError(text)
  }
  if (value === null || isObject(value)) return undefined
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`
}
