/** RoleBinding and ClusterRoleBinding: who has which role. The role does not change. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import { checkPathSegment, checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindRules } from '../kind-rules.ts'
import { checkSupported, invalidStruct, reject } from '../shared/errors.ts'
import { fillZero, items, struct, structOf, text } from '../shared/values.ts'

const group = 'rbac.authorization.k8s.io'
const subjectKinds = ['ServiceAccount', 'User', 'Group']

function setDefaults(object: KubeObject): void {
  fillZero(structOf(object as unknown as JsonObject, 'roleRef'), 'apiGroup', group)
  for (const subject of items(object.subjects)) {
    if (subject.kind === 'User' || subject.kind === 'Group') fillZero(subject, 'apiGroup', group)
  }
}

function checkBinding(object: KubeObject, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = []
  const role = struct(object.roleRef) ?? {}
  checkSupported(errors, 'roleRef.apiGroup', text(role.apiGroup), [group])
  checkSupported(
    errors,
    'roleRef.kind',
    text(role.kind),
    namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'],
  )
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

function bindingRules(namespaced: boolean): KindRules {
  return {
    default: setDefaults,
    validate: (object) => checkBinding(object, namespaced),
    validateUpdate: (object, old) => {
      const errors = checkBinding(object, namespaced)
      const role = struct(object.roleRef) ?? {}
      if (!equalJson(role, struct(old.roleRef) ?? {})) {
        const shown = { APIGroup: text(role.apiGroup), Kind: text(role.kind), Name: text(role.name) }
        errors.push(invalidStruct('roleRef', shown, 'cannot change roleRef'))
      }
      return errors
    },
  }
}

export const roleBinding: KindRules = bindingRules(true)
export const clusterRoleBinding: KindRules = bindingRules(false)
