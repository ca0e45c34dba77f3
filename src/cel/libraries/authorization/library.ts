/**
 * The functions of the authorizer. CRD validation rules have no authorizer, so these functions never run there; they
 * are declared so that the type check reports "no matching overload" and not "undeclared reference", as upstream does.
 */
import { checkLabel, checkSubdomain } from '../../../api/names.ts'
import { listCost, structCost } from '../../call-costs.ts'
import { scaleCost, stringTraversalFactor } from '../../costs.ts'
import {
  actualSize,
  boolType,
  CelError,
  type CelResult,
  type CelType,
  type CelValue,
  type FunctionDeclaration,
  type Library,
  stringType,
} from '../../library.ts'
import { declare, method, type Costs } from '../declare.ts'
import {
  authorizerType,
  AuthorizerValue,
  decisionType,
  DecisionValue,
  groupCheckType,
  GroupCheckValue,
  pathCheckType,
  PathCheckValue,
  resourceCheckType,
  ResourceCheckValue,
} from './values.ts'

/** Two checks are possible within the cost limit of an expression. */
const check: Costs = { cost: () => 350_000, estimate: () => ({ cost: { min: 350_000, max: 350_000 } }) }

/** A selector is parsed into requirements, about one for every two characters. */
const selector: Costs = {
  cost: (args) => {
    const length = actualSize(args[1] as CelValue)
    const requirements = scaleCost(length, 0.5)
    return listCost + scaleCost(length, stringTraversalFactor) + scaleCost(requirements, listCost + structCost)
  },
}

function step<On extends CelValue>(
  id: string,
  on: CelType,
  result: CelType,
  parameters: number,
  call: (on: On, ...texts: string[]) => CelResult,
  costs?: Costs,
) {
  return method(id, [on, ...Array.from({ length: parameters }, () => stringType)], result, call, costs)
}

function pathCheck({ access }: AuthorizerValue, path: string): CelResult {
  return path.trim() === '' ? new CelError('path must not be empty') : new PathCheckValue(access, path)
}

function serviceAccount({ access }: AuthorizerValue, namespace: string, name: string): CelResult {
  if (checkSubdomain(name).length > 0) return new CelError('Invalid service account name')
  if (checkLabel(namespace).length > 0) return new CelError('Invalid service account namespace')
  return new AuthorizerValue(access.serviceAccount(namespace, name))
}

function resourceCheck({ access, group }: GroupCheckValue, resource: string): CelResult {
  if (resource.trim() === '') return new CelError('resource must not be empty')
  return new ResourceCheckValue(access, { group, resource, subresource: '', namespace: '', name: '' })
}

const part = (id: string, field: 'subresource' | 'namespace' | 'name') =>
  step(id, resourceCheckType, resourceCheckType, 1, (on: ResourceCheckValue, text = '') => on.with({ [field]: text }))

/** Decisions do not depend on selectors here, as in RBAC. */
const selection = (id: string) =>
  step(id, resourceCheckType, resourceCheckType, 1, (on: ResourceCheckValue) => on, selector)

const functions: FunctionDeclaration[] = [
  declare('path', step('authorizer_path', authorizerType, pathCheckType, 1, pathCheck)),
  declare(
    'group',
    step('authorizer_group', authorizerType, groupCheckType, 1, ({ access }: AuthorizerValue, group = '') => {
      return new GroupCheckValue(access, group)
    }),
  ),
  declare('serviceAccount', step('authorizer_serviceaccount', authorizerType, authorizerType, 2, serviceAccount)),
  declare('resource', step('groupcheck_resource', groupCheckType, resourceCheckType, 1, resourceCheck)),
  declare('subresource', part('resourcecheck_subresource', 'subresource')),
  declare('namespace', part('resourcecheck_namespace', 'namespace')),
  declare('name', part('resourcecheck_name', 'name')),
  declare(
    'check',
    step(
      'pathcheck_check',
      pathCheckType,
      decisionType,
      1,
      ({ access, path }: PathCheckValue, verb = '') => new DecisionValue(access.path(path, verb)),
      check,
    ),
    step(
      'resourcecheck_check',
      resourceCheckType,
      decisionType,
      1,
      ({ access, question }: ResourceCheckValue, verb = '') => new DecisionValue(access.resource(question, verb)),
      check,
    ),
  ),
  // The authorizers of this server do not fail.
  declare(
    'errored',
    step('decision_errored', decisionType, boolType, 0, () => false),
  ),
  declare(
    'error',
    step('decision_error', decisionType, stringType, 0, () => ''),
  ),
  declare(
    'allowed',
    step('decision_allowed', decisionType, boolType, 0, ({ decision }: DecisionValue) => decision.allowed),
  ),
  declare(
    'reason',
    step('decision_reason', decisionType, stringType, 0, ({ decision }: DecisionValue) => decision.reason),
  ),
  declare('fieldSelector', selection('authorizer_fieldselector')),
  declare('labelSelector', selection('authorizer_labelselector')),
]

export const authorizationLibrary: Library = { name: 'kubernetes.authz', functions }
