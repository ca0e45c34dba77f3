/** Which requests a webhook or a policy is about. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkSupported } from '../shared/errors.ts'
import { strings, text } from '../shared/values.ts'

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']

export function checkAdmissionRule(errors: FieldError[], field: string, rule: JsonObject): void {
  const given = strings(rule.operations)
  if (given.length === 0) errors.push(fieldError.required(`${field}.operations`))
  if (given.length > 1 && given.includes('*')) {
    const message = "if '*' is present, must not specify other operations"
    errors.push(fieldError.invalid(`${field}.operations`, [...given], message))
  }
  for (const [i, operation] of given.entries()) checkSupported(errors, `${field}.operations[${i}]`, operation, operations)
  for (const [part, what] of [['apiGroups', 'API groups'], ['apiVersions', 'API versions']] as const) {
    const values = strings(rule[part])
    if (values.length === 0) errors.push(fieldError.required(`${field}.${part}`))
    if (values.length > 1 && values.includes('*')) {
      const message = `if '*' is present, must not specify other ${what}`
      errors.push(fieldError.invalid(`${field}.${part}`, [...values], message))
    }
    for (const [i, value] of values.entries()) {
      if (part === 'apiVersions' && value === '') errors.push(fieldError.required(`${field}.${part}[${i}]`))
    }
  }
  checkResources(errors, `${field}.resources`, strings(rule.resources))
  if (rule.scope !== undefined) checkSupported(errors, `${field}.scope`, text(rule.scope), ['*', 'Cluster', 'Namespaced'])
}

function checkResources(errors: FieldError[], field: string, resources: readonly string[]): void {
  if (resources.length === 0) errors.push(fieldError.required(field))
  for (const [i, resource] of resources.entries()) {
    if (resource === '') errors.push(fieldError.required(`${field}[${i}]`))
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    const message = "if '*/*' is present, must not specify other resources"
    errors.push(fieldError.invalid(field, [...resources], message))
  }
  const plain = resources.filter((resource) => !resource.includes('/'))
  if (plain.includes('*') && plain.length > 1) {
    const message = "if '*' is present, must not specify other resources without subresources"
    errors.push(fieldError.invalid(field, [...resources], message))
  }
}
