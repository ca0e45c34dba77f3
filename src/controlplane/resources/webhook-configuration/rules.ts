/** Validation of the rules of a webhook or policy: which requests they match. */
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
  for (const [i, operation] of given.entries()) {
    checkSupported(errors, `${field}.operations[${i}]`, operation, operations)
  }
  for (const [part, what] of [
    ['apiGroups', 'API groups'],
    ['apiVersions', 'API versions'],
  ] as const) {
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
  if (rule.scope !== undefined) {
    checkSupported(errors, `${field}.scope`, text(rule.scope), ['*', 'Cluster', 'Namespaced'])
  }
}

/**
 * After a wildcard for all subresources of a resource, or for a subresource of all resources, none that it includes may
 * follow.
 */
function checkWildcards(errors: FieldError[], field: string, resources: readonly string[]): void {
  const parents = new Set<string>()
  const children = new Set<string>()
  for (const [i, resource] of resources.entries()) {
    if (resource === '') errors.push(fieldError.required(`${field}[${i}]`))
    const slash = resource.indexOf('/')
    if (slash < 0) continue
    const parent = resource.slice(0, slash)
    const child = resource.slice(slash + 1)
    const wider = [parents.has(parent) ? `${parent}/*` : '', children.has(child) ? `*/${child}` : '']
    for (const other of wider.filter((name) => name !== '')) {
      const message = `if '${other}' is present, must not specify ${resource}`
      errors.push(fieldError.invalid(`${field}[${i}]`, resource, message))
    }
    if (child === '*') parents.add(parent)
    if (parent === '*') children.add(child)
  }
}

function checkResources(errors: FieldError[], field: string, resources: readonly string[]): void {
  if (resources.length === 0) errors.push(fieldError.required(field))
  checkWildcards(errors, field, resources)
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
