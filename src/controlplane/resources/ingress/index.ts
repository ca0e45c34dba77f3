/** Ingress and IngressClass. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkLabel, checkSubdomain, patternMessage } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { metadataMark } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkImmutable, checkSupported, invalidStruct, reject } from '../shared/errors.ts'
import { addressMessages, isAddress, loadBalancerWarnings } from '../shared/ip.ts'
import { checkDomainPath } from '../shared/domain-path.ts'
import { entry, fill, items, size, specOf, strings, struct, text } from '../shared/values.ts'
import { checkBackend, checkReference } from './backend.ts'
import type { WriteContext } from '../../contract/resource.ts'

const classAnnotation = 'kubernetes.io/ingress.class'
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const wildcardPattern = `\\*\\.${label}(\\.${label})*`
const wildcardHost = new RegExp(`^${wildcardPattern}$`)
const wildcardMessage = patternMessage(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, " +
    'which must consist of ' +
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  wildcardPattern,
  '*.example.com',
)

function hostMessages(host: string): readonly string[] {
  if (!host.includes('*')) return checkSubdomain(host)
  return wildcardHost.test(host) ? [] : [wildcardMessage]
}

function checkSpec(errors: FieldError[], spec: JsonObject, { decoded }: WriteContext): void {
  const backend = struct(spec.defaultBackend)
  const rules = items(spec.rules)
  if (rules.length === 0 && backend === undefined) {
    errors.push(
      invalidStruct(
        'spec',
        decoded?.empty?.get(spec, 'rules') ?? null,
        'either `defaultBackend` or `rules` must be specified',
      ),
    )
  }
  if (backend !== undefined) checkBackend(errors, 'spec.defaultBackend', backend)
  for (const [i, rule] of rules.entries()) checkRule(errors, `spec.rules[${i}]`, rule)
  for (const [i, tls] of items(spec.tls).entries()) {
    for (const [j, host] of strings(tls.hosts).entries()) {
      reject(errors, `spec.tls[${i}].hosts[${j}]`, host, hostMessages(host))
    }
    const secret = text(tls.secretName)
    if (secret !== '') reject(errors, `spec.tls[${i}].secretName`, secret, checkSubdomain(secret))
  }
  if (spec.ingressClassName !== undefined) {
    reject(errors, 'spec.ingressClassName', spec.ingressClassName, checkSubdomain(text(spec.ingressClassName)))
  }
}

function checkRule(errors: FieldError[], field: string, rule: JsonObject): void {
  const host = text(rule.host)
  if (host !== '') {
    if (isAddress(host)) {
      errors.push(fieldError.invalid(`${field}.host`, host, 'must be a DNS name, not an IP address'))
    }
    reject(errors, `${field}.host`, host, hostMessages(host))
  }
  const http = struct(rule.http)
  if (http === undefined) return
  if (size(http.paths) === 0) errors.push(fieldError.required(`${field}.http.paths`))
  for (const [i, path] of items(http.paths).entries()) checkPath(errors, `${field}.http.paths[${i}]`, path)
}

const forbiddenSequences = ['//', '/./', '/../', '%2f', '%2F']
const forbiddenEnds = ['/..', '/.']

function checkPath(errors: FieldError[], field: string, given: JsonObject): void {
  const type = given.pathType
  const path = text(given.path)
  if (type === undefined || type === null) {
    errors.push(fieldError.required(`${field}.pathType`, 'pathType must be specified'))
    return
  }
  const refuse = (message: string) => errors.push(fieldError.invalid(`${field}.path`, path, message))
  if (type === 'Exact' || type === 'Prefix') {
    if (!path.startsWith('/')) refuse('must be an absolute path')
    for (const part of forbiddenSequences) if (path.includes(part)) refuse(`must not contain '${part}'`)
    for (const end of forbiddenEnds) if (path.endsWith(end)) refuse(`cannot end with '${end}'`)
  } else if (type === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) refuse('must be an absolute path')
  } else {
    const types = ['Exact', 'ImplementationSpecific', 'Prefix']
    errors.push(fieldError.notSupported(`${field}.pathType`, type, types))
  }
  checkBackend(errors, `${field}.backend`, struct(given.backend) ?? {})
}

function validate(object: KubeObject, context: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkSpec(errors, spec, context)
  const annotated = entry(object.metadata.annotations, classAnnotation)
  if (annotated !== undefined && spec.ingressClassName !== undefined && annotated !== spec.ingressClassName) {
    const message = 'must match `ingressClassName` when both are specified'
    errors.push(fieldError.invalid(`annotations.${classAnnotation}`, annotated, message))
  }
  return errors
}

function validateStatusUpdate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  for (const [i, ingress] of items(struct(struct(object.status)?.loadBalancer)?.ingress).entries()) {
    const field = `status.loadBalancer.ingress[${i}]`
    const ip = text(ingress.ip)
    const host = text(ingress.hostname)
    if (ip !== '') reject(errors, `${field}.ip`, ip, addressMessages(ip))
    if (host === '') continue
    reject(errors, `${field}.hostname`, host, checkSubdomain(host))
    if (isAddress(host)) {
      errors.push(fieldError.invalid(`${field}.hostname`, host, 'must be a DNS name, not an IP address'))
    }
  }
  return errors
}

export const ingress: KindStrategy = {
  validate,
  validateUpdate: (object, _old, context) => {
    const errors: FieldError[] = []
    checkSpec(errors, specOf(object), context)
    return errors
  },
  validateStatusUpdate,
  statusWarnings: loadBalancerWarnings,
  warnings: (object, old) => {
    const named = specOf(object).ingressClassName !== undefined
    if (old !== undefined || named || entry(object.metadata.annotations, classAnnotation) === undefined) {
      return []
    }
    return [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
  },
}

const maxControllerLength = 250

function validateClass(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const controller = text(spec.controller)
  if (controller.length > maxControllerLength) errors.push(fieldError.tooLong('spec.controller', maxControllerLength))
  checkDomainPath(errors, 'spec.controller', controller)
  const parameters = struct(spec.parameters)
  if (parameters === undefined) return errors
  checkReference(errors, 'spec.parameters', parameters)
  const scope = text(parameters.scope)
  const field = 'spec.parameters.namespace'
  checkSupported(errors, 'spec.parameters.scope', scope, ['Cluster', 'Namespace'])
  if (scope === 'Namespace') {
    if (parameters.namespace === undefined) {
      errors.push(fieldError.required(field, "`parameters.scope` is set to 'Namespace'"))
    } else {
      reject(errors, field, parameters.namespace, checkLabel(text(parameters.namespace)))
    }
  } else if (scope === 'Cluster' && parameters.namespace !== undefined) {
    errors.push(fieldError.forbidden(field, "`parameters.scope` is set to 'Cluster'"))
  }
  return errors
}

export const ingressClass: KindStrategy = {
  default: (object) => {
    const parameters = struct(specOf(object).parameters)
    if (parameters !== undefined) fill(parameters, 'scope', 'Cluster')
  },
  validate: validateClass,
  validateUpdate: (object, old) => {
    const errors: FieldError[] = []
    checkImmutable(errors, 'spec.controller', text(specOf(object).controller), text(struct(old.spec)?.controller))
    errors.push(metadataMark('full'), ...validateClass(object))
    return errors
  },
}
