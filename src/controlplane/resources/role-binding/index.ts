/** RoleBinding and ClusterRoleBinding: the subjects of a role. The roleRef is immutable. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import { checkPathSegment, checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { apiError } from '../../../api/status.ts'
import { goQuote } from '../../../api/go-format.ts'
import type { WriteContext } from '../../contract/resource.ts'
import { metadataMark } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { changesOnlyOwners } from '../role/owner-changes.ts'
import { checkSupported, invalidStruct, reject } from '../shared/errors.ts'
import { fillZero, items, struct, structOf, text } from '../shared/values.ts'

const group = 'rbac.authorization.k8s.io'
const subjectKinds = ['ServiceAccount', 'User', 'Group']

function setDefaults(object: KubeObject): void {
  fillZero(structOf(object, 'roleRef'), 'apiGroup', group)
  for (const subject of items(object.subjects)) {
    if (subject.kind === 'User' || subject.kind === 'Group') fillZero(subject, 'apiGroup', group)
  }
}

function checkBinding(object: KubeObject, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = []
  const role = struct(object.roleRef) ?? {}
  checkSupported(errors, 'roleRef.apiGroup', text(role.apiGroup), [group])
  checkSupported(errors, 'roleRef.kind', text(role.kind), namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'])
  const name = text(role.name)
  if (name === '') errors.push(fieldError.required('roleRef.name'))
  else reject(errors, 'roleRef.name', name, checkPathSegment(name))
  for (const [i, subject] of items(object.subjects).entries()) {
    checkSubject(errors, `subjects[${i}]`, subject, namespaced)
  }
  return errors
}

function checkSubject(errors: FieldError[], field: string, subject: JsonObject, namespaced: boolean): void {
  const name = text(subject.name)
  const kind = text(subject.kind)
  const given = text(subject.apiGroup)
  if (name === '') errors.push(fieldError.required(`${field}.name`))
  if (kind === 'ServiceAccount') {
    if (name !== '') reject(errors, `${field}.name`, name, checkSubdomain(name))
    if (given !== '') errors.push(fieldError.notSupported(`${field}.apiGroup`, given, ['']))
    if (!namespaced && text(subject.namespace) === '') errors.push(fieldError.required(`${field}.namespace`))
  } else if (kind === 'User' || kind === 'Group') {
    checkSupported(errors, `${field}.apiGroup`, given, [group])
  } else {
    errors.push(fieldError.notSupported(`${field}.kind`, kind, subjectKinds))
  }
}

/** Prevents escalation: a binding grants the rules of its role. */
function checkGrants(object: KubeObject, old: KubeObject | undefined, context: WriteContext): void {
  const { grants, resource } = context
  if (grants === undefined || (old !== undefined && changesOnlyOwners(object, old))) return
  const ref = struct(object.roleRef) ?? {}
  const kind = text(ref.kind)
  const name = text(ref.name)
  const plural = kind === 'ClusterRole' ? 'clusterroles' : 'roles'
  if (kind !== 'ClusterRole' && kind !== 'Role')
    throw apiError.internal(`unsupported role reference kind: ${goQuote(kind)}`)
  if (grants.mayBind(text(ref.apiGroup), plural, name)) return
  if (kind === 'Role' && !resource.namespaced) throw apiError.badRequest('Namespace parameter required.')
  if (name === '') throw apiError.badRequest('Name parameter required.')
  const own = { group: resource.group, resource: resource.plural }
  const found = context.lookup(group, plural, kind === 'Role' ? context.namespace : '', name)
  if (found === undefined) throw apiError.notFound(own, name)
  const why = grants.rejection(items(found.rules))
  if (why !== undefined) throw apiError.forbidden(own, object.metadata.name ?? '', why)
}

function bindingRules(namespaced: boolean): KindStrategy {
  return {
    default: setDefaults,
    checkGrants,
    validate: (object) => checkBinding(object, namespaced),
    validateUpdate: (object, old) => {
      const errors = checkBinding(object, namespaced)
      errors.push(metadataMark('change'))
      const role = struct(object.roleRef) ?? {}
      if (!equalJson(role, struct(old.roleRef) ?? {})) {
        const shown = { APIGroup: text(role.apiGroup), Kind: text(role.kind), Name: text(role.name) }
        errors.push(invalidStruct('roleRef', shown, 'cannot change roleRef'))
      }
      return errors
    },
  }
}

export const roleBinding: KindStrategy = bindingRules(true)
export const clusterRoleBinding: KindStrategy = bindingRules(false)
