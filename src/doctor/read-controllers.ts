/**
 * Which workloads work on a kind: Deployments and StatefulSets whose service account is bound to a role that names the
 * kind and lets it write. Roles for everything (`*`) tell nothing.
 */
import type { KubeObject } from '../api/object.ts'
import {
  ClusterRole,
  ClusterRoleBinding,
  Deployment,
  Lease,
  Role,
  RoleBinding,
  StatefulSet,
} from '../schema/builtin/kinds.ts'
import type { Kind } from '../schema/kind.ts'
import type { ControllerWorkload, Examined } from './examined.ts'
import { leaseSpec } from './controllers.ts'
import type { Reader } from './reader.ts'

interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly verbs?: readonly string[]
}

interface Bound {
  readonly roleRef?: { readonly kind?: string; readonly name?: string }
  readonly subjects?: readonly { readonly kind?: string; readonly name?: string; readonly namespace?: string }[]
}

const writing: ReadonlySet<string> = new Set(['update', 'patch', '*'])

/** Undefined if something could not be read. */
export async function readControllers(reader: Reader, kind: Kind): Promise<readonly ControllerWorkload[] | undefined> {
  const lists = await Promise.all(
    [ClusterRole, ClusterRoleBinding, Role, RoleBinding, Deployment, StatefulSet, Lease].map((each) =>
      reader.list(each as Kind),
    ),
  )
  const [clusterRoles, clusterBindings, roles, bindings, deployments, sets, leases = []] = lists
  if (
    clusterRoles === undefined ||
    clusterBindings === undefined ||
    roles === undefined ||
    bindings === undefined ||
    deployments === undefined ||
    sets === undefined
  )
    return undefined
  const named = new Set(
    [...clusterRoles, ...roles].filter(({ object }) => writes(object, kind)).map(({ object }) => roleKey(object)),
  )
  const accounts = new Set([...clusterBindings, ...bindings].flatMap(({ object }) => boundAccounts(object, named)))
  return [...deployments, ...sets]
    .filter(({ object }) => accounts.has(accountOf(object)))
    .map((workload) => ({ ...workload, leases: leasesOf(workload, leases) }))
}

function writes(role: KubeObject, { group, plural }: Kind): boolean {
  const rules = (role['rules'] ?? []) as readonly Rule[]
  return rules.some(
    ({ apiGroups = [], resources = [], verbs = [] }) =>
      apiGroups.includes(group) &&
      resources.some((each) => each === plural || each.startsWith(`${plural}/`)) &&
      verbs.some((verb) => writing.has(verb)),
  )
}

function roleKey({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`
}

/** The service accounts that a binding gives one of the roles, as `namespace/name`. */
function boundAccounts(binding: KubeObject, roles: ReadonlySet<string>): readonly string[] {
  const { namespace = '' } = binding.metadata
  const { roleRef = {}, subjects = [] } = binding as unknown as Bound
  if (!roles.has(`${roleRef.kind === 'Role' ? namespace : ''}/${roleRef.name ?? ''}`)) return []
  return subjects
    .filter((subject) => subject.kind === 'ServiceAccount')
    .map((subject) => `${subject.namespace ?? namespace}/${subject.name ?? ''}`)
}

function accountOf(workload: KubeObject): string {
  const { template } = (workload['spec'] ?? {}) as {
    readonly template?: { readonly spec?: { readonly serviceAccountName?: string } }
  }
  return `${workload.metadata.namespace ?? ''}/${template?.spec?.serviceAccountName ?? 'default'}`
}

/** Holders are called after the host, which is the pod: its name begins with that of the workload. */
function leasesOf({ object }: Examined, leases: readonly Examined[]): readonly KubeObject[] {
  const { name = '', namespace } = object.metadata
  return leases
    .map((lease) => lease.object)
    .filter((lease) => lease.metadata.namespace === namespace)
    .filter((lease) => (leaseSpec(lease).holderIdentity ?? '').startsWith(`${name}-`))
}
