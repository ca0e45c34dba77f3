/** The values of the authorizer: each step of `authorizer.group('apps').resource('deployments').check('get')`. */
import { CelError, CelObject, objectType, type CelResult, type CelType } from '../../library.ts'

type ObjectType = CelType & { kind: 'object' }

const named = (name: string) => objectType(`kubernetes.authorization.${name}`) as ObjectType

export const authorizerType = named('Authorizer')
export const pathCheckType = named('PathCheck')
export const groupCheckType = named('GroupCheck')
export const resourceCheckType = named('ResourceCheck')
export const decisionType = named('Decision')

export interface AccessDecision {
  readonly allowed: boolean
  readonly reason: string
}

export interface ResourceQuestion {
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** What one user may do. */
export interface UserAccess {
  path(path: string, verb: string): AccessDecision
  resource(question: ResourceQuestion, verb: string): AccessDecision
  /** The same about a service account. */
  serviceAccount(namespace: string, name: string): UserAccess
}

/** Values with functions only: they have no fields and cannot be compared. */
abstract class FunctionsOnly extends CelObject {
  equals(): CelResult {
    return new CelError('no such overload')
  }
}

export class AuthorizerValue extends FunctionsOnly {
  readonly type = authorizerType
  readonly access: UserAccess

  constructor(access: UserAccess) {
    super()
    this.access = access
  }
}

export class PathCheckValue extends FunctionsOnly {
  readonly type = pathCheckType
  readonly access: UserAccess
  readonly path: string

  constructor(access: UserAccess, path: string) {
    super()
    this.access = access
    this.path = path
  }
}

export class GroupCheckValue extends FunctionsOnly {
  readonly type = groupCheckType
  readonly access: UserAccess
  readonly group: string

  constructor(access: UserAccess, group: string) {
    super()
    this.access = access
    this.group = group
  }
}

export class ResourceCheckValue extends FunctionsOnly {
  readonly type = resourceCheckType
  readonly access: UserAccess
  readonly question: ResourceQuestion

  constructor(access: UserAccess, question: ResourceQuestion) {
    super()
    this.access = access
    this.question = question
  }

  with(part: Partial<ResourceQuestion>): ResourceCheckValue {
    return new ResourceCheckValue(this.access, Object.assign({}, this.question, part))
  }
}

export class DecisionValue extends FunctionsOnly {
  readonly type = decisionType
  readonly decision: AccessDecision

  constructor(decision: AccessDecision) {
    super()
    this.decision = decision
  }
}
