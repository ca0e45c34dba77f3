/** The operator's ServiceAccount, its minimal roles, and their bindings. */
import type { KubeObject } from '../api/object.ts'
import type { Access } from '../controller/access.ts'
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import type { Kind } from '../schema/kind.ts'
import { operatorLabels, type InstallScope } from './install-scope.ts'
import { operatorAccess, type NeededAccess } from './operator-access.ts'
import { policyRules } from './policy-rules.ts'

const rbac = 'rbac.authorization.k8s.io'
const apiVersion = `${rbac}/v1`

/** The permissions for the whole cluster, and those for single namespaces. */
export interface AccessByScope {
  readonly cluster: readonly Access[]
  readonly namespaces: ReadonlyMap<string, readonly Access[]>
}

/** Where each permission is needed, for an operator in `namespace` that watches `namespaces` (none: all). */
export function accessByScope(needed: readonly NeededAccess[], { namespace, namespaces }: InstallScope): AccessByScope {
  const cluster: Access[] = []
  const byNamespace = new Map<string, Access[]>()
  for (const access of needed) {
    const { where = namespaces.length === 0 ? undefined : namespaces } = access
    const places = where === 'own' ? [namespace] : where
    if (!access.kind.namespaced || places === undefined) cluster.push(access)
    else for (const place of places) byNamespace.set(place, [...(byNamespace.get(place) ?? []), access])
  }
  return { cluster, namespaces: byNamespace }
}

export function accountAndRoles(definition: OperatorDefinition, placement: InstallScope): readonly KubeObject[] {
  const { cluster, namespaces } = accessByScope(operatorAccess(definition), placement)
  const metadata = { name: `${definition.name}-operator`, labels: operatorLabels(definition) }
  const subjects = [{ kind: 'ServiceAccount', name: metadata.name, namespace: placement.namespace }]
  const bound = (
    scope: '' | 'Cluster',
    where: { readonly namespace?: string },
    access: readonly Access[],
  ): readonly KubeObject[] => [
    { apiVersion, kind: `${scope}Role`, metadata: { ...metadata, ...where }, rules: policyRules(access) as never },
    {
      apiVersion,
      kind: `${scope}RoleBinding`,
      metadata: { ...metadata, ...where },
      roleRef: { apiGroup: rbac, kind: `${scope}Role`, name: metadata.name },
      subjects,
    },
  ]
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...metadata, namespace: placement.namespace } },
    ...(cluster.length === 0 ? [] : bound('Cluster', {}, cluster)),
    ...[...namespaces]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([namespace, access]) => bound('', { namespace }, access)),
    ...userRoles(definition),
  ]
}

/** Lets accounts with the roles view or edit do the same with the operator's custom resources. */
function userRoles(definition: OperatorDefinition): readonly KubeObject[] {
  const kinds = definedKinds(definition)
  if (kinds.length === 0) return []
  const role = (name: 'edit' | 'view', verbs: Access['verbs'], aggregate: readonly string[]): KubeObject => ({
    apiVersion,
    kind: 'ClusterRole',
    metadata: {
      name: `${definition.name}-${name}`,
      labels: {
        ...operatorLabels(definition),
        ...Object.fromEntries(aggregate.map((each) => [`${rbac}/aggregate-to-${each}`, 'true'])),
      },
    },
    rules: policyRules(kinds.map((kind) => ({ kind, verbs }))) as never,
  })
  return [
    role('edit', ['create', 'update', 'patch', 'delete', 'deletecollection'], ['admin', 'edit']),
    role('view', ['get', 'list', 'watch'], ['admin', 'edit', 'view']),
  ]
}

/** The kinds whose CRDs belong to the operator. */
export function definedKinds({
  controllers,
}: Pick<OperatorDefinition, 'controllers'>): readonly (Kind & { readonly crd: object })[] {
  const kinds = new Map(controllers.map(({ kind }) => [`${kind.plural}.${kind.group}`, kind]))
  return [...kinds.values()].filter((kind): kind is Kind & { readonly crd: object } => 'crd' in kind)
}
