/**
 * Fields of controlled objects that others than the controller's manager own. Managed fields say who owns a field now;
 * they do not say who owned it before.
 */
import { isObject, type FrozenJson } from '../api/json.ts'
import { kubectlName, managersOf, nameOf, type Examined, type ObjectFacts } from './examined.ts'
import type { Finding } from './finding.ts'

/** Built-in controllers write each other's objects: that is how Kubernetes works. */
const byKubernetes = /^kube-|^kubelet$/

/** The fields of `metadata` and `status` belong to many. */
const ignored = new Set(['f:metadata', 'f:status'])

const maxFields = 5

export function driftFindings(facts: ObjectFacts): readonly Finding[] {
  return [facts, ...facts.dependents].flatMap(driftOf)
}

function driftOf(examined: Examined): readonly Finding[] {
  const { object } = examined
  const controller = controllerManager(object)
  if (controller === undefined || byKubernetes.test(controller)) return []
  const entries = (object.metadata.managedFields ?? []).filter(({ subresource }) => subresource !== 'status')
  const fieldsOf = (isOwn: boolean): readonly (readonly [manager: string, fields: readonly string[]])[] =>
    entries
      .filter(({ manager = '' }) => (manager === controller) === isOwn && !byKubernetes.test(manager))
      .map(({ manager = '', fieldsV1 = {} }) => [manager, leaves(fieldsV1)] as const)
      .filter(([, fields]) => fields.length > 0)
  const own = new Set(fieldsOf(true).flatMap(([, fields]) => fields))
  return fieldsOf(false).map(([manager, fields]) => {
    const shown = fields
      .slice(0, maxFields)
      .map((field) => `${field}${own.has(field) ? ` (also owned by ${controller})` : ''}`)
    const more = fields.length - shown.length
    return {
      type: 'drift',
      summary: `${manager} owns fields of ${nameOf(examined)}, which ${controller} controls.`,
      evidence: [...shown, ...(more > 0 ? [`and ${more} more`] : [])],
      command: `kubectl get ${kubectlName(examined)} -o yaml --show-managed-fields`,
    }
  })
}

/** The manager that set the reference to the controlling owner. */
function controllerManager(object: Examined['object']): string | undefined {
  const owner = (object.metadata.ownerReferences ?? []).find(({ controller }) => controller === true)
  if (owner === undefined) return undefined
  const key = `k:${JSON.stringify({ uid: owner.uid })}`
  return managersOf(object, 'f:metadata', 'f:ownerReferences', key)[0]?.manager
}

/** `spec.replicas`, `spec.template.spec.containers[name=web].image`. */
function leaves(fields: FrozenJson, path = ''): readonly string[] {
  if (!isObject(fields)) return []
  const entries = Object.entries(fields).filter(([key]) => key !== '.' && !(path === '' && ignored.has(key)))
  if (entries.length === 0) return path === '' ? [] : [path]
  return entries.flatMap(([key, inner]) => leaves(inner as FrozenJson, pathWith(path, key)))
}

function pathWith(path: string, key: string): string {
  const text = key.slice(2)
  if (key.startsWith('f:')) return path === '' ? text : `${path}.${text}`
  if (!key.startsWith('k:')) return `${path}[${text}]`
  const pairs = Object.entries(JSON.parse(text) as Readonly<Record<string, unknown>>)
  return `${path}[${pairs.map(([name, value]) => `${name}=${String(value)}`).join(',')}]`
}
