/**
 * What is risky in the manifests of an operator: the rules OPR-R1 to OPR-R28 of badrobot (controlplaneio/badrobot), and
 * a few more. A finding is `OPR-R14 ClusterRole webapp-operator: get secrets`.
 */
import { isObject, type JsonObject } from '../../src/api/json.ts'
import type { KubeObject } from '../../src/api/object.ts'

interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

export function manifestFindings(objects: readonly KubeObject[]): readonly string[] {
  return objects.flatMap((object) => {
    const name = `${object.kind} ${object.metadata.name ?? ''}`
    return [...namespaceFindings(object), ...bindingFindings(object), ...ruleFindings(object), ...podFindings(object)]
      .map(([id, what]) => `${id} ${name}: ${what}`)
      .sort()
  })
}

type Finding = readonly [id: string, what: string]

function namespaceFindings({ kind, metadata }: KubeObject): readonly Finding[] {
  const found: Finding[] = []
  if (kind === 'Deployment' && (metadata.namespace ?? 'default') === 'default') found.push(['OPR-R1', 'in default'])
  if (metadata.namespace === 'kube-system') found.push(['OPR-R2', 'in kube-system'])
  const level = metadata.labels?.['pod-security.kubernetes.io/enforce']
  if (kind === 'Namespace' && level !== 'baseline' && level !== 'restricted')
    found.push(['OPR-R28', 'no Pod Security Standard is enforced'])
  return found
}

function bindingFindings(object: KubeObject): readonly Finding[] {
  const role = object['roleRef']
  return isObject(role) && role['name'] === 'cluster-admin' ? [['OPR-R10', 'binds cluster-admin']] : []
}

const writing = ['create', 'update', 'patch', 'delete', 'deletecollection', '*']
const reading = ['get', 'list', 'watch', '*']

/** Resource, verbs that are risky, and whether they are also risky in a Role, or for a few names. */
const risky: readonly (readonly [id: string, resource: RegExp, verbs: readonly string[], onlyCluster?: 'cluster'])[] = [
  ['OPR-R13', /^(cluster)?role(binding)?s$/, writing],
  ['OPR-R14', /^secrets$/, [...reading, ...writing], 'cluster'],
  ['SECRETS', /^secrets$/, ['list', 'watch', '*']],
  ['OPR-R15', /^pods\/(exec|attach|portforward)$/, [...reading, ...writing]],
  ['OPR-R19', /^pods\/log$/, writing],
  ['OPR-R20', /^events$/, ['delete', 'deletecollection', '*']],
  ['OPR-R21', /^customresourcedefinitions$/, writing],
  ['OPR-R22', /^(validating|mutating)(webhookconfigurations|admissionpolic(y|ies)).*$/, writing],
  ['OPR-R23', /^serviceaccounts(\/token)?$/, writing],
  ['OPR-R24', /^persistentvolumes$/, [...reading, ...writing]],
  ['OPR-R25', /^networkpolicies$/, writing],
  ['OPR-R26', /^nodes\/proxy$/, [...reading, ...writing]],
  ['OPR-R27', /^namespaces$/, writing],
]

const riskyVerbs: readonly (readonly [id: string, verb: string])[] = [
  ['OPR-R16', 'escalate'],
  ['OPR-R17', 'bind'],
  ['OPR-R18', 'impersonate'],
]

function ruleFindings({ kind, ...object }: KubeObject): readonly Finding[] {
  if (kind !== 'ClusterRole' && kind !== 'Role') return []
  const rules = (object['rules'] ?? []) as unknown as readonly Rule[]
  return rules.flatMap(({ apiGroups = [], resources = [], resourceNames = [], verbs }) => {
    const found: Finding[] = []
    for (const [list, what] of [
      [apiGroups, 'groups'],
      [resources, 'resources'],
      [verbs, 'verbs'],
    ] as const)
      if (list.includes('*')) found.push(['OPR-R11', `all ${what}`])
    for (const [id, verb] of riskyVerbs) if (verbs.includes(verb)) found.push([id, verb])
    for (const [id, pattern, bad, onlyCluster] of risky) {
      if (onlyCluster === 'cluster' && kind === 'Role') continue
      for (const resource of resources.filter((each) => pattern.test(each))) {
        const used = verbs.filter((verb) => bad.includes(verb))
        // Named objects are the operator's own: its certificates and webhook configurations.
        if (used.length > 0 && resourceNames.length === 0 && !isCreationOfOwn(kind, resource, used))
          found.push([id, `${used.join(', ')} ${resource}`])
      }
    }
    return found
  })
}

/** RBAC cannot limit `create` to a name: in the operator's own namespace it may create its own Secret. */
function isCreationOfOwn(kind: string, resource: string, verbs: readonly string[]): boolean {
  return kind === 'Role' && resource === 'secrets' && verbs.join() === 'create'
}

function podFindings(object: KubeObject): readonly Finding[] {
  const pod = podOf(object)
  if (pod === undefined) return []
  const found: Finding[] = []
  const podContext = (pod['securityContext'] ?? {}) as JsonObject
  for (const flag of ['hostNetwork', 'hostPID', 'hostIPC'])
    if (pod[flag] !== undefined) found.push(['HOST', `${flag} is set`])
  if (JSON.stringify(pod['volumes'] ?? []).includes('"hostPath"')) found.push(['HOST', 'a hostPath volume'])
  if ((pod['serviceAccountName'] ?? 'default') === 'default') found.push(['ACCOUNT', 'the default account'])
  for (const container of (pod['containers'] ?? []) as readonly JsonObject[]) {
    const own = container['securityContext'] as JsonObject | undefined
    if (own === undefined) {
      found.push(['OPR-R3', 'no securityContext'])
      continue
    }
    const context = { ...podContext, ...own }
    const capabilities = (context['capabilities'] ?? {}) as { add?: readonly string[]; drop?: readonly string[] }
    const limits = ((container['resources'] ?? {}) as { limits?: JsonObject }).limits ?? {}
    const seccomp = context['seccompProfile'] as { type?: string } | undefined
    if (context['allowPrivilegeEscalation'] !== false) found.push(['OPR-R4', 'allowPrivilegeEscalation'])
    if (context['privileged'] === true) found.push(['OPR-R5', 'privileged'])
    if (context['readOnlyRootFilesystem'] !== true) found.push(['OPR-R6', 'a writable root file system'])
    if (context['runAsNonRoot'] !== true) found.push(['OPR-R7', 'runAsNonRoot is not true'])
    if (typeof context['runAsUser'] !== 'number' || context['runAsUser'] === 0) found.push(['OPR-R8', 'runAsUser'])
    if ((capabilities.add ?? []).length > 0) found.push(['OPR-R9', `adds ${String(capabilities.add)}`])
    if (capabilities.drop?.includes('ALL') !== true) found.push(['OPR-R9', 'does not drop ALL'])
    if (seccomp?.type !== 'RuntimeDefault') found.push(['SECCOMP', 'seccompProfile is not RuntimeDefault'])
    for (const what of ['cpu', 'memory']) if (limits[what] === undefined) found.push(['LIMITS', `no limit of ${what}`])
  }
  return found
}

function podOf({ kind, ...object }: KubeObject): JsonObject | undefined {
  if (kind !== 'Deployment') return undefined
  const { template } = object['spec'] as unknown as { template: { spec: JsonObject } }
  return template.spec
}
