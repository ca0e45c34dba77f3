/** The subjects and resource rules of a FlowSchema. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkLabel, checkSubdomain } from '../../../api/names.ts'
import { reject } from '../shared/errors.ts'
import { items, size, strings, struct, text } from '../shared/values.ts'

const subjects = { Group: 'group', ServiceAccount: 'serviceAccount', User: 'user' } as const
type SubjectKind = keyof typeof subjects
const subjectKinds = Object.keys(subjects) as SubjectKind[]
/** The fields that a subject of each kind must not have, in the order in which upstream checks them. */
const otherKinds: Readonly<Record<SubjectKind, readonly SubjectKind[]>> = {
  Group: ['ServiceAccount', 'User'],
  ServiceAccount: ['User', 'Group'],
  User: ['ServiceAccount', 'Group'],
}
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']

export function checkFlowRule(errors: FieldError[], field: string, rule: JsonObject): void {
  if (size(rule.subjects) === 0) {
    errors.push(fieldError.required(`${field}.subjects`, 'subjects must contain at least one value'))
  }
  for (const [i, subject] of items(rule.subjects).entries()) {
    checkSubject(errors, `${field}.subjects[${i}]`, subject)
  }
  if (size(rule.resourceRules) + size(rule.nonResourceRules) === 0) {
    const message = 'at least one of resourceRules and nonResourceRules has to be non-empty'
    errors.push(fieldError.required(field, message))
  }
  for (const [i, part] of items(rule.resourceRules).entries()) {
    checkResources(errors, `${field}.resourceRules[${i}]`, part)
  }
  for (const [i, part] of items(rule.nonResourceRules).entries()) {
    checkVerbs(errors, `${field}.nonResourceRules[${i}].verbs`, strings(part.verbs))
    checkUrls(errors, `${field}.nonResourceRules[${i}].nonResourceURLs`, strings(part.nonResourceURLs))
  }
}

function checkSubject(errors: FieldError[], field: string, subject: JsonObject): void {
  const kind = subjectKinds.find((known) => known === subject.kind)
  if (kind === undefined) {
    errors.push(fieldError.notSupported(`${field}.kind`, text(subject.kind), subjectKinds))
    return
  }
  const name = subjects[kind]
  const given = struct(subject[name])
  if (given === undefined) {
    errors.push(fieldError.required(`${field}.${name}`, `${name} is required when subject kind is '${kind}'`))
  } else {
    const who = text(given.name)
    if (who === '') errors.push(fieldError.required(`${field}.${name}.name`))
    if (kind === 'ServiceAccount') checkAccount(errors, `${field}.${name}`, who, text(given.namespace))
  }
  for (const other of otherKinds[kind]) {
    const part = subjects[other]
    if (subject[part] === undefined) continue
    errors.push(fieldError.forbidden(`${field}.${part}`, `${part} is forbidden when subject kind is not '${other}'`))
  }
}

function checkAccount(errors: FieldError[], field: string, name: string, namespace: string): void {
  if (name !== '' && name !== '*') reject(errors, `${field}.name`, name, checkSubdomain(name))
  if (namespace !== '') reject(errors, `${field}.namespace`, namespace, checkLabel(namespace))
  else errors.push(fieldError.required(`${field}.namespace`, 'must specify namespace for service account'))
}

function checkVerbs(errors: FieldError[], field: string, given: readonly string[]): void {
  if (given.length === 0) errors.push(fieldError.required(field, 'verbs must contain at least one value'))
  else if (given.includes('*')) checkAlone(errors, field, given, 'verbs')
  else if (!given.every((verb) => verbs.includes(verb))) {
    errors.push(fieldError.notSupported(field, [...given], verbs))
  }
}

function checkAlone(errors: FieldError[], field: string, given: readonly string[], what: string): void {
  if (given.length > 1 && given.includes('*')) {
    errors.push(fieldError.invalid(field, [...given], `if '*' is present, must not specify other ${what}`))
  }
}

function checkResources(errors: FieldError[], field: string, rule: JsonObject): void {
  checkVerbs(errors, `${field}.verbs`, strings(rule.verbs))
  for (const [part, one, others] of [
    ['apiGroups', 'api group', 'api groups'],
    ['resources', 'resource', 'resources'],
  ] as const) {
    const given = strings(rule[part])
    if (given.length === 0) {
      errors.push(fieldError.required(`${field}.${part}`, `resource rules must supply at least one ${one}`))
    } else checkAlone(errors, `${field}.${part}`, given, others)
  }
  const namespaces = strings(rule.namespaces)
  const at = `${field}.namespaces`
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    const message = 'resource rules that are not cluster scoped must supply at least one namespace'
    errors.push(fieldError.required(at, message))
  } else if (namespaces.includes('*')) {
    checkAlone(errors, at, namespaces, 'namespaces')
  } else {
    for (const [i, namespace] of namespaces.entries()) {
      const intro = "each member of this list must be '*' or a DNS-1123 label; "
      reject(
        errors,
        `${at}[${i}]`,
        namespace,
        checkLabel(namespace).map((message) => intro + message),
      )
    }
  }
}

function checkUrls(errors: FieldError[], field: string, urls: readonly string[]): void {
  if (urls.length === 0) {
    errors.push(fieldError.required(field, 'nonResourceURLs must contain at least one value'))
  } else if (urls.includes('*')) checkAlone(errors, field, urls, 'non-resource URLs')
  else for (const [i, url] of urls.entries()) reject(errors, `${field}[${i}]`, url, urlMessages(url))
}

function urlMessages(url: string): readonly string[] {
  if (url === '') return ['must not be empty']
  if (url === '/') return []
  if (!url.startsWith('/')) return ['must start with slash']
  if (url.includes(' ')) return ['must not contain white-space']
  if (url.includes('//')) return ['must not contain double slash']
  if (url.indexOf('*') >= 0 && (url.split('*').length > 2 || !url.endsWith('/*'))) {
    return ['wildcard can only do suffix matching']
  }
  return []
}
