/**
 * The functions of the authorizer. CRD validation rules have no authorizer, so they can never run. They are declared so
 * that the type check reports "no matching overload" and not "undeclared reference", as upstream does.
 */
import {
  boolType,
  CelError,
  type CelType,
  type FunctionDeclaration,
  type Library,
  objectType,
  stringType,
} from '../../library.ts'
import { declare, method } from '../declare.ts'

const unavailable = new CelError('no such overload')
const authorizer = objectType('kubernetes.authorization.Authorizer')
const pathCheck = objectType('kubernetes.authorization.PathCheck')
const groupCheck = objectType('kubernetes.authorization.GroupCheck')
const resourceCheck = objectType('kubernetes.authorization.ResourceCheck')
const decision = objectType('kubernetes.authorization.Decision')

const step = (id: string, on: CelType, result: CelType, arguments_: number) =>
  method(id, [on, ...Array.from({ length: arguments_ }, () => stringType)], result, () => unavailable)

const functions: FunctionDeclaration[] = [
  declare('path', step('authorizer_path', authorizer, pathCheck, 1)),
  declare('group', step('authorizer_group', authorizer, groupCheck, 1)),
  declare('serviceAccount', step('authorizer_serviceaccount', authorizer, authorizer, 2)),
  declare('resource', step('groupcheck_resource', groupCheck, resourceCheck, 1)),
  declare('subresource', step('resourcecheck_subresource', resourceCheck, resourceCheck, 1)),
  declare('namespace', step('resourcecheck_namespace', resourceCheck, resourceCheck, 1)),
  declare('name', step('resourcecheck_name', resourceCheck, resourceCheck, 1)),
  declare(
    'check',
    step('pathcheck_check', pathCheck, decision, 1),
    step('resourcecheck_check', resourceCheck, decision, 1),
  ),
  declare('errored', step('decision_errored', decision, boolType, 0)),
  declare('error', step('decision_error', decision, stringType, 0)),
  declare('allowed', step('decision_allowed', decision, boolType, 0)),
  declare('reason', step('decision_reason', decision, stringType, 0)),
  declare('fieldSelector', step('authorizer_fieldselector', resourceCheck, resourceCheck, 1)),
  declare('labelSelector', step('authorizer_labelselector', resourceCheck, resourceCheck, 1)),
]

export const authorizationLibrary: Library = { name: 'kubernetes.authz', functions }
