/** Operation ids and tags: `listCoreV1NamespacedPod`, `core_v1`. Client generators derive function names from them. */

/**
 * Letters and digits, each part after other characters with a capital: `rbac.authorization` gives
 * `rbacAuthorization`.
 */
function camelCase(text: string, capital: boolean): string {
  let result = ''
  let upper = capital
  let first = true
  for (const char of text) {
    if (/[\p{L}_]/u.test(char) || (!first && /\p{Nd}/u.test(char))) {
      result += upper ? char.toUpperCase() : char
      upper = false
    } else {
      upper = true
    }
    first = false
  }
  return result
}

function groupLabel(group: string): string {
  if (group === '') return 'core'
  return group.endsWith('.k8s.io') ? group.slice(0, -'.k8s.io'.length) : group
}

/** `core_v1`; without a version the tag of the group's document, `apps`. */
export function operationTag(group: string, version?: string): string {
  const tag = camelCase(groupLabel(group), false)
  return version === undefined ? tag : `${tag}_${camelCase(version, false)}`
}

/** `CoreV1`, or `Apps` for a group without a version. */
export function groupVersionLabel(group: string, version = ''): string {
  return camelCase(groupLabel(group), true) + camelCase(version, true)
}

/** The verb that an operation's id starts with; `connect` is followed by the method. */
const verbs: Readonly<Record<string, string>> = {
  get: 'read',
  list: 'list',
  watch: 'watch',
  watchlist: 'watch',
  post: 'create',
  put: 'replace',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete',
  connect: 'connect',
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export function operationId(
  path: string,
  method: string,
  action: string,
  target: { group: string; version: string; resourceKind: string; namespaced: boolean; subresource: string },
): string {
  const inNamespace = path.includes('/{namespace}/')
  let id = (verbs[action] ?? action) + groupVersionLabel(target.group, target.version)
  if (action === 'connect') id += capitalised(method)
  if (action === 'deletecollection') id += 'Collection'
  if (inNamespace) id += 'Namespaced'
  id += target.resourceKind + capitalised(target.subresource)
  if (action === 'watchlist') id += 'List'
  if (target.namespaced && !inNamespace) id += 'ForAllNamespaces'
  if (path.endsWith('/{path}')) id += 'WithPath'
  return id
}
