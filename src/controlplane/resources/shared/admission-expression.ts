/**
 * CEL expressions about a request that is being admitted: the variables that they can use, with their types, and their
 * compilation. Match conditions of webhooks and policies, and all other expressions of policies.
 */
import {
  compileExpression,
  kubernetesEnvironment,
  patchEnvironment,
  PlanError,
  type Evaluation,
  type Program,
} from '../../../cel/expression.ts'
import {
  boolType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  type CelResult,
  type CelType,
  type FieldType,
} from '../../../cel/library.ts'
import { authorizerType, resourceCheckType } from '../../../cel/libraries/authorization/values.ts'

export type AdmissionVariable =
  | 'object'
  | 'oldObject'
  | 'namespaceObject'
  | 'request'
  | 'params'
  | 'authorizer'
  | 'authorizer.requestResource'
  | 'variables'

/** The values of all variables. Those that an expression does not declare are ignored. */
export type Activation = Record<AdmissionVariable, CelResult>

/** What an expression can use beyond the objects, the namespace and the request. */
export interface DeclaredNames {
  readonly params: boolean
  readonly authorizer: boolean
  /** Whether it can construct objects and JSON patches. */
  readonly patchTypes?: boolean
  /** The types of the variables of a policy. Absent: expressions cannot use variables. */
  readonly variables?: ReadonlyMap<string, FieldType>
}

export interface AdmissionExpression {
  readonly source: string
  readonly type: CelType
  run(activation: Activation, maxCost: number): Evaluation
}

/** Why an expression cannot run. `isInternal`: it is valid, but has no program. */
export interface ExpressionProblem {
  readonly source: string
  readonly problem: string
  readonly isInternal: boolean
}

export type CompiledExpression = AdmissionExpression | ExpressionProblem

/** The type that an expression must have. `any`: every type. */
export type WantedType = 'bool' | 'string' | 'string or null' | 'Object' | 'list(JSONPatch)' | 'any'

export function compileAdmissionExpression(
  source: string,
  wanted: WantedType,
  names: DeclaredNames,
): CompiledExpression {
  const types = typesOf(names)
  const environment = names.patchTypes === true ? patchEnvironment() : kubernetesEnvironment()
  const compiled = compileExpression(source, types, environment)
  if (typeof compiled === 'string') {
    return { source, problem: `compilation failed: ${compiled}`, isInternal: false }
  }
  const problem = typeProblem(compiled.type, wanted)
  if (problem !== undefined) return { source, problem, isInternal: false }
  let program: Program
  try {
    program = compiled.program()
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    return { source, problem: `program instantiation failed: ${error.message}`, isInternal: true }
  }
  const order = [...types.keys()]
  return {
    source,
    type: compiled.type,
    run: (activation, maxCost) =>
      program(
        order.map((name) => activation[name]),
        maxCost,
      ),
  }
}

/**
 * The type of an expression if objects and parameters have these types, or why it has none. Without a type of the
 * parameters, it cannot use them.
 */
export function checkAdmissionTypes(
  source: string,
  object: CelType,
  params: CelType | undefined,
  variables: ReadonlyMap<string, FieldType>,
): CelType | string {
  const types = new Map(typesOf({ params: params !== undefined, authorizer: true, variables }))
  types.set('object', object)
  types.set('oldObject', object)
  if (params !== undefined) types.set('params', params)
  types.delete('authorizer.requestResource')
  const compiled = compileExpression(source, types, kubernetesEnvironment())
  return typeof compiled === 'string' ? compiled : compiled.type
}

function typeProblem(type: CelType, wanted: WantedType): string | undefined {
  switch (wanted) {
    case 'any':
      return undefined
    case 'string or null':
      if (type.kind === 'string' || type.kind === 'null_type') return undefined
      return `must evaluate to one of [string null_type] but got ${runtimeName(type)}`
    default:
      return runtimeName(type) === wanted ? undefined : `must evaluate to ${wanted} but got ${runtimeName(type)}`
  }
}

/** The name of a type as the runtime has it, which differs from that of the checker. */
function runtimeName(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${runtimeName(type.element)})`
    case 'map':
      return `map(${runtimeName(type.key)}, ${runtimeName(type.value)})`
    case 'object':
    case 'param':
      return type.name
    case 'opaque':
      if (type.parameters.length === 0) return type.name
      return `${type.name}(${type.parameters.map(runtimeName).join(', ')})`
    case 'type':
      return type.of === undefined ? 'type' : `type(${runtimeName(type.of)})`
    case 'timestamp':
      return 'google.protobuf.Timestamp'
    case 'duration':
      return 'google.protobuf.Duration'
    default:
      return type.kind
  }
}

/** The type of a variable of a policy in other expressions: only simple types, lists and maps keep theirs. */
export function variableType(type: CelType): CelType {
  switch (type.kind) {
    case 'list':
      return listType(variableType(type.element))
    case 'map':
      return mapType(variableType(type.key), variableType(type.value))
    case 'object':
    case 'opaque':
    case 'param':
    case 'type':
    case 'error':
      return dynType
    default:
      return type
  }
}

function typesOf({ params, authorizer, variables }: DeclaredNames): ReadonlyMap<AdmissionVariable, CelType> {
  const types = new Map<AdmissionVariable, CelType>()
  types.set('object', dynType)
  types.set('oldObject', dynType)
  types.set('namespaceObject', (namespaceType ??= makeNamespaceType()))
  types.set('request', (requestType ??= makeRequestType()))
  if (params) types.set('params', dynType)
  if (authorizer) {
    types.set('authorizer', authorizerType)
    types.set('authorizer.requestResource', resourceCheckType)
  }
  if (variables !== undefined) {
    types.set('variables', { kind: 'object', name: 'kubernetes.variables', fields: variables })
  }
  return types
}

let namespaceType: CelType | undefined
let requestType: CelType | undefined

function struct(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  const types = Object.entries(fields).map(([field, type]) => [field, { type }] as const)
  return { kind: 'object', name: `kubernetes.${name}`, fields: new Map(types) }
}

/** Times are declared as `dyn`: upstream declares timestamps, but their values are strings. */
function makeNamespaceType(): CelType {
  const texts = listType(stringType)
  const map = mapType(stringType, stringType)
  const condition = struct('NamespaceCondition', {
    status: stringType,
    type: stringType,
    lastTransitionTime: dynType,
    message: stringType,
    reason: stringType,
  })
  return struct('Namespace', {
    metadata: struct('NamespaceMetadata', {
      name: stringType,
      generateName: stringType,
      namespace: stringType,
      labels: map,
      annotations: map,
      UID: stringType,
      creationTimestamp: dynType,
      deletionGracePeriodSeconds: intType,
      deletionTimestamp: dynType,
      generation: intType,
      resourceVersion: stringType,
      finalizers: texts,
    }),
    spec: struct('NamespaceSpec', { finalizers: texts }),
    status: struct('NamespaceStatus', { conditions: listType(condition), phase: stringType }),
  })
}

function makeRequestType(): CelType {
  const texts = listType(stringType)
  const kind = struct('GroupVersionKind', { group: stringType, version: stringType, kind: stringType })
  const resource = struct('GroupVersionResource', { group: stringType, version: stringType, resource: stringType })
  return struct('AdmissionRequest', {
    kind,
    resource,
    subResource: stringType,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: stringType,
    name: stringType,
    namespace: stringType,
    operation: stringType,
    userInfo: struct('UserInfo', {
      username: stringType,
      uid: stringType,
      groups: texts,
      extra: mapType(stringType, texts),
    }),
    dryRun: boolType,
    options: dynType,
  })
}
