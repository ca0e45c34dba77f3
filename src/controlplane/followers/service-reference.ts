/** Services and the IPAddresses that refer to them. */
import { isObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Store, Stored } from '../storage/store.ts'

/** Reports a repair as a warning event about the object. */
export type ReportRepair = (about: KubeObject, reason: string, message: string) => void

/** The addresses of a Service. */
export function addressesOf(service: KubeObject | undefined): readonly string[] {
  const spec = service?.['spec']
  const list = isObject(spec) ? spec['clusterIPs'] : undefined
  return Array.isArray(list)
    ? list.filter((ip): ip is string => typeof ip === 'string' && ip !== '' && ip !== 'None')
    : []
}

/** The Service of an IPAddress. Undefined if it is gone, or if the parent is something else. */
export function serviceOf(store: Store, address: KubeObject): Stored | undefined {
  const { resource, group, namespace, name } = parentOf(address)
  if (resource !== 'services' || (group ?? '') !== '') return undefined
  return store.get(`/registry/services/specs/${namespace ?? ''}/${name ?? ''}`)
}

export interface ParentReference {
  readonly group?: string
  readonly resource?: string
  readonly namespace?: string
  readonly name?: string
}

export function parentOf({ spec }: KubeObject): ParentReference {
  const parent = isObject(spec) ? spec['parentRef'] : undefined
  return isObject(parent) ? parent : {}
}
