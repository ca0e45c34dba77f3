/** Validation of `metav1.Condition`. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { Json } from '../../../api/json.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import { checkSupported, reject } from './errors.ts'
import { int, items, text } from './values.ts'

const maxReasonLength = 1024
const maxMessageLength = 32 * 1024
const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/
const reasonMessage =
  'a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric ' +
  "characters or '_,:', " +
  ("and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or " +
    "'ReasonA,ReasonB',  or ") +
  "'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"

export function checkConditions(errors: FieldError[], field: string, conditions: Json | undefined): void {
  const seen = new Set<string>()
  for (const [i, condition] of items(conditions).entries()) {
    const at = `${field}[${i}]`
    const type = text(condition.type)
    if (seen.has(type)) errors.push(fieldError.duplicate(`${at}.type`, type))
    seen.add(type)
    reject(errors, `${at}.type`, type, checkQualifiedName(type))
    checkSupported(errors, `${at}.status`, text(condition.status), ['False', 'True', 'Unknown'])
    if (int(condition.observedGeneration) < 0) {
      errors.push(
        fieldError.invalid(
          `${at}.observedGeneration`,
          int(condition.observedGeneration),
          'must be greater than or equal to zero',
        ),
      )
    }
    if (text(condition.lastTransitionTime) === '') errors.push(fieldError.required(`${at}.lastTransitionTime`))
    const reason = text(condition.reason)
    if (reason === '') errors.push(fieldError.required(`${at}.reason`))
    else if (!reasonPattern.test(reason)) errors.push(fieldError.invalid(`${at}.reason`, reason, reasonMessage))
    if (Buffer.byteLength(reason) > maxReasonLength) errors.push(fieldError.tooLong(`${at}.reason`, maxReasonLength))
    if (Buffer.byteLength(text(condition.message)) > maxMessageLength)
      errors.push(fieldError.tooLong(`${at}.message`, maxMessageLength))
  }
}
