/**
 * The default roles and bindings of every cluster, from facts. They are stored directly in the form that the registry
 * would give them: there are many, and a start with RBAC waits for them.
 */
import type { JsonObject } from '../api/json.ts'
import type { KubeObject, ObjectMeta } from '../api/object.ts'
import { timestamp, type Env } from '../env/env.ts'
import { defaultPolicy, type DefaultPolicyFact } from '../facts/facts.ts'
import { withResourceVersion } from './registry/metadata.ts'
import type { Store } from './storage/store.ts'

const apiVersion = 'rbac.authorization.k8s.io/v1'
const kinds: Readonly<Record<string, string>> = {
  clusterroles: 'ClusterRole',
  clusterrolebindings: 'ClusterRoleBinding',
  roles: 'Role',
  rolebindings: 'RoleBinding',
}
const bootstrapping = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' }

/** Creates each object unless a durable store already has it. */
export function createDefaultRoles(store: Store, env: Env): void {
  const time = timestamp(env.now())
  for (const [plural, facts] of Object.entries(defaultPolicy())) {
    for (const fact of facts) {
      const { name, namespace } = fact
      const key = namespace === undefined ? `/registry/${plural}/${name}` : `/registry/${plural}/${namespace}/${name}`
      if (store.get(key) !== undefined) continue
      const object = policyObject(kinds[plural] as string, fact, env.uuid(), time)
      store.put(key, 0, (revision) => withResourceVersion(object, revision))
    }
  }
}

function policyObject(kind: string, fact: DefaultPolicyFact, uid: string, time: string): KubeObject {
  const { name, namespace, labels, ...rest } = fact
  const metadata: ObjectMeta = { name }
  if (namespace !== undefined) metadata.namespace = namespace
  metadata.uid = uid
  metadata.creationTimestamp = time
  const allLabels = { ...bootstrapping, ...labels }
  metadata.labels = allLabels
  metadata.annotations = { ...annotations }
  metadata.managedFields = [
    {
      manager: 'kube-apiserver',
      operation: 'Update',
      apiVersion,
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: ownedFields(fact, allLabels),
    },
  ]
  return { kind, apiVersion, metadata, ...rest } as KubeObject
}

/** Lists and role references are owned as a whole; `rules: null` has no owner. */
function ownedFields(fact: DefaultPolicyFact, labels: Readonly<Record<string, string>>): JsonObject {
  const owned: JsonObject = {}
  if (fact.aggregationRule !== undefined) owned['f:aggregationRule'] = { '.': {}, 'f:clusterRoleSelectors': {} }
  owned['f:metadata'] = { 'f:annotations': ownedKeys(annotations), 'f:labels': ownedKeys(labels) }
  if (fact.roleRef !== undefined) owned['f:roleRef'] = {}
  if (fact.rules !== undefined && fact.rules !== null) owned['f:rules'] = {}
  if (fact.subjects !== undefined) owned['f:subjects'] = {}
  return owned
}

function ownedKeys(map: Readonly<Record<string, string>>): JsonObject {
  const owned: JsonObject = { '.': {} }
  for (const key of Object.keys(map).sort()) owned[`f:${key}`] = {}
  return owned
}
