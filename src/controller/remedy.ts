/** What to do about an error of the API server: advice for the log, exact enough to copy. */
import { isForbidden, isNotFound } from '../api/error-reasons.ts'
import { ApiError } from '../api/status.ts'
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  EndpointSlice,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Lease,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PriorityClass,
  ReplicaSet,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
  StorageClass,
} from '../schema/builtin/kinds.ts'
import { kindName, type Kind } from '../schema/kind.ts'
import type { Access } from './access.ts'

/** Who made the request, and what it has declared. */
export interface Declarations {
  /** `the controller app` */
  readonly who: string
  readonly access: readonly Access[]
  /** How to declare an access: `add .may('delete', CronJob) to the controller app`. */
  declare(this: void, verb: string, target: string): string
}

/** How to bring CRDs and roles of an operator into its cluster. */
export const applyManifests = 'coxswain manifests MODULE | kubectl apply -f -'

/** Undefined: there is no advice beyond the message of the error. */
export function remedyOf(error: unknown, declarations: Declarations): string | undefined {
  const answer = apiErrorIn(error)
  if (answer === undefined) return undefined
  if (isForbidden(answer)) return remedyOfDenial(answer.message, declarations)
  return isNotFound(answer) && isUnserved(answer)
    ? `the server does not serve the kind: install its CRD with ${applyManifests}`
    : undefined
}

/** The answer of the API server to a path that it does not serve names no object. */
function isUnserved({ message, status }: ApiError): boolean {
  return status.details?.name === undefined && message.startsWith('the server could not find the requested resource')
}

/** The error itself, or one that caused it. */
function apiErrorIn(error: unknown, depth = 0): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (!(error instanceof Error) || depth > maxDepth) return undefined
  const inner = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error.cause]
  for (const each of inner) {
    const found = apiErrorIn(each, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

const maxDepth = 4

/** Those that operators use most; of others the advice names the resource. */
const builtinKinds: readonly Kind[] = [
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  EndpointSlice,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Lease,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PriorityClass,
  ReplicaSet,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
  StorageClass,
]

/** The message of RBAC. Other authorizers append to it why they denied. */
const denial =
  /User "([^"]*)" cannot (\w+) resource "([^"/]*)(?:\/([^"]*))?" in API group "([^"]*)"(?: in the namespace "([^"]*)")?/

function remedyOfDenial(message: string, { who, access, declare }: Declarations): string | undefined {
  const [, user = '', verb = '', plural = '', subresource, group = '', namespace] = denial.exec(message) ?? []
  if (verb === '') return undefined
  const resource = `${kindName({ group, plural })}${subresource === undefined ? '' : `/${subresource}`}`
  if (!user.startsWith('system:serviceaccount:')) {
    const where = namespace === undefined ? '' : ` --namespace ${namespace}`
    return (
      `"${user}" may not: choose another --context, or have an administrator allow it; ` +
      `kubectl auth can-i ${verb} ${resource}${where} shows when`
    )
  }
  const kinds = [...access.map(({ kind }) => kind), ...builtinKinds]
  const kind = kinds.find((each) => each.group === group && each.plural === plural)
  const isDeclared = access.some(
    (each) =>
      kindName(each.kind) === kindName({ group, plural }) &&
      each.subresource === subresource &&
      (each.verbs as readonly string[]).includes(verb),
  )
  if (isDeclared) return `${who} declares it, but the role in the cluster does not have it: ${applyManifests}`
  return `${declare(verb, targetText(kind, resource, subresource))}, then ${applyManifests}`
}

function targetText(kind: Kind | undefined, resource: string, subresource: string | undefined): string {
  const name = kind?.kind ?? `the kind of ${resource.split('/')[0]}`
  return subresource === undefined ? name : `{ kind: ${name}, subresource: '${subresource}' }`
}
