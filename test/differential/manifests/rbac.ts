/** rbac.authorization.k8s.io/v1. */
import type { JsonObject } from '../../../src/api/json.ts'
import { badMetadata, fullMetadata, variants, type KindManifests } from './manifest.ts'

const group = 'rbac.authorization.k8s.io'
const rbac = { group, version: 'v1' } as const
const apiVersion = `${group}/v1`

const rules = [
  {
    verbs: ['get', 'list'],
    apiGroups: ['', 'apps'],
    resources: ['pods', 'deployments/scale'],
    resourceNames: ['a', 'b'],
  },
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
]
const badRules: Readonly<Record<string, JsonObject>> = {
  ...badMetadata,
  'no verbs': { rules: [{ verbs: [], apiGroups: [''], resources: ['pods'] }] },
  'no groups': { rules: [{ verbs: ['get'], resources: ['pods'] }] },
  'no resources': { rules: [{ verbs: ['get'], apiGroups: [''] }] },
  'urls and resources': { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], nonResourceURLs: ['/x'] }] },
  'urls only': { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
  'empty rule': { rules: [{}] },
  'rules no list': { rules: {} },
  'verbs text': { rules: [{ verbs: 'get' }] },
}
const subjects = [
  { kind: 'User', name: 'ada', apiGroup: group },
  { kind: 'Group', name: 'team', apiGroup: group },
  { kind: 'ServiceAccount', name: 'default', namespace: 'default' },
]
const badBinding: Readonly<Record<string, JsonObject>> = {
  ...badMetadata,
  'other role': { roleRef: { name: 'other' } },
  'no role name': { roleRef: { name: '' } },
  'unknown role kind': { roleRef: { kind: 'Odd' } },
  'other role group': { roleRef: { apiGroup: 'apps' } },
  'subject without name': { subjects: [{ kind: 'User', apiGroup: group }] },
  'unknown subject': { subjects: [{ kind: 'Robot', name: 'x' }] },
  'account without namespace': { subjects: [{ kind: 'ServiceAccount', name: 'x' }] },
  'bad account': { subjects: [{ kind: 'ServiceAccount', name: 'A_b', namespace: 'x', apiGroup: 'apps' }] },
  'user of other group': { subjects: [{ kind: 'User', name: 'x', apiGroup: 'apps' }] },
}

export const rbacManifests: readonly KindManifests[] = [
  {
    ...rbac,
    resource: 'roles',
    kind: 'Role',
    namespaced: true,
    minimal: { apiVersion, kind: 'Role', metadata: { name: 'min' } },
    full: { apiVersion, kind: 'Role', metadata: fullMetadata('full:role'), rules },
    change: { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
    bad: variants(badRules),
  },
  {
    ...rbac,
    resource: 'clusterroles',
    kind: 'ClusterRole',
    namespaced: false,
    minimal: { apiVersion, kind: 'ClusterRole', metadata: { name: 'manifest-min' } },
    full: {
      apiVersion,
      kind: 'ClusterRole',
      metadata: fullMetadata('manifest:full'),
      rules: [...rules, { verbs: ['get'], nonResourceURLs: ['/healthz', '/apis/*'] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'example.com/to': 'full' } }] },
    },
    change: { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
    bad: variants({
      ...badRules,
      'no aggregation selectors': { aggregationRule: { clusterRoleSelectors: [] } },
      'bad aggregation': { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'a b': 'c' } }] } },
      'bad url': { rules: [{ verbs: ['get'], nonResourceURLs: ['x', '/a*b'] }] },
    }),
  },
  {
    ...rbac,
    resource: 'rolebindings',
    kind: 'RoleBinding',
    namespaced: true,
    minimal: {
      apiVersion,
      kind: 'RoleBinding',
      metadata: { name: 'min' },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'view' },
    },
    full: {
      apiVersion,
      kind: 'RoleBinding',
      metadata: fullMetadata('full'),
      roleRef: { apiGroup: group, kind: 'Role', name: 'full:role' },
      subjects,
    },
    change: { subjects: [{ kind: 'User', name: 'bob' }] },
    bad: variants(badBinding),
  },
  {
    ...rbac,
    resource: 'clusterrolebindings',
    kind: 'ClusterRoleBinding',
    namespaced: false,
    minimal: {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'manifest-min' },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'manifest-min' },
    },
    full: {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: fullMetadata('manifest-full'),
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'manifest-min' },
      subjects,
    },
    change: { subjects: [{ kind: 'User', name: 'bob' }] },
    bad: variants({ ...badBinding, 'role of a namespace': { roleRef: { kind: 'Role' } } }),
  },
]
