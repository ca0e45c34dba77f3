/**
 * Paths of the API, for any kind. A key that does not fit its kind is an error here, instead of a different request.
 */
import { kindName, type Kind } from '../schema/kind.ts'

/** `/api/v1/namespaces/default/pods`; without a namespace, the path for all namespaces. */
export function collectionPath(kind: Kind, namespace?: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  if (!kind.namespaced && namespace !== undefined && namespace !== '') {
    throw new TypeError(
      `${kindName(kind)} are not namespaced, but namespace ${JSON.stringify(namespace)} was given: leave it out`,
    )
  }
  if (namespace === undefined || namespace === '') return `${root}/${kind.plural}`
  return `${root}/namespaces/${segment(namespace, 'namespace')}/${kind.plural}`
}

/** The same for requests that need a namespace: creates, deletecollection. */
export function collectionIn(kind: Kind, namespace: string | undefined): string {
  if (kind.namespaced && (namespace === undefined || namespace === '')) {
    throw new TypeError(`${kindName(kind)} are namespaced: pass a namespace`)
  }
  return collectionPath(kind, namespace)
}

export function objectPath(
  kind: Kind,
  namespace: string | undefined,
  name: string | undefined,
  subresource?: string,
): string {
  if (name === undefined || name === '') throw new TypeError(`${kindName(kind)}: a name is needed, and none was given`)
  const path = `${collectionIn(kind, namespace)}/${segment(name, 'name')}`
  return subresource === undefined
    ? path
    : `${path}/${subresource
        .split('/')
        .map((part) => segment(part, 'subresource'))
        .join('/')}`
}

/** A name must not change the structure of a path. */
function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..' || text.includes('/') || text.includes('%')) {
    throw new TypeError(
      `${JSON.stringify(text)} cannot be a ${what}: it may not be '', '.' or '..', nor contain '/' or '%'`,
    )
  }
  return encodeURIComponent(text)
}

export type QueryValue = string | number | boolean | undefined

/** `path?a=b`, without undefined values. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const parts: string[] = []
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parts.push(`${name}=${encodeURIComponent(value)}`)
  }
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`
}
