/**
 * Deletes IPAddresses that say that the allocator made them, and that belong to no Service: one with another parent at
 * once, one whose Service does not have it after five seconds, one without a Service after a minute.
 */
import type { KubeObject } from '../../api/object.ts'
import type { Timer } from '../../env/env.ts'
import type { Backend } from '../registry/call.ts'
import { withStoredResourceVersion } from '../registry/metadata.ts'
import type { Stored } from '../storage/store.ts'
import { addressesOf, parentOf, serviceOf, type ReportRepair } from './service-reference.ts'

const managerLabel = 'ipaddress.kubernetes.io/managed-by'
/** The longest time between the IPAddress and its Service, while the Service is created. */
const creationMs = 60_000
/** How long a create of a Service that exists already may hold another address. */
const rollbackMs = 5000

/** Whether the allocator of Services made the IPAddress, by its label. */
export function isAllocated({ metadata }: KubeObject): boolean {
  return metadata.labels?.[managerLabel] === 'ipallocator.k8s.io'
}

interface Orphan {
  readonly reason: string
  readonly message: string
  /** When it is deleted. */
  readonly dueMs: number
}

export class OrphanedAddresses {
  readonly #backend: Backend
  readonly #report: ReportRepair
  readonly #timers = new Map<string, Timer>()

  constructor(backend: Backend, report: ReportRepair) {
    this.#backend = backend
    this.#report = report
  }

  stop(): void {
    for (const timer of this.#timers.values()) timer.cancel()
  }

  check({ key, object, revision }: Stored): void {
    const { env, store } = this.#backend
    this.#timers.get(key)?.cancel()
    this.#timers.delete(key)
    const orphan = this.#orphan(object)
    if (orphan === undefined) return
    const waitMs = orphan.dueMs - env.now()
    if (waitMs <= 0) {
      this.#report(object, orphan.reason, orphan.message)
      store.delete(key, revision, (next) => withStoredResourceVersion(object, next))
      return
    }
    const again = (): void => {
      this.#timers.delete(key)
      const live = store.get(key)
      if (live !== undefined) this.check(live)
    }
    this.#timers.set(key, env.after(waitMs, again))
  }

  /** Undefined if it is none. */
  #orphan(object: KubeObject): Orphan | undefined {
    if (!isAllocated(object)) return undefined
    const { group = '', resource = '', namespace = '', name = '' } = parentOf(object)
    const ip = object.metadata.name as string
    const createdMs = Date.parse(object.metadata.creationTimestamp ?? '')
    if (group !== '' || resource !== 'services') {
      const reference = `&ParentReference{Group:${group},Resource:${resource},Namespace:${namespace},Name:${name},}`
      const modified = `IPAddress ${ip} appears to have been modified`
      const message = `${modified}, not referencing a Service ${reference}: cleaning up`
      return { reason: 'IPAddressNotAllocated', message, dueMs: createdMs }
    }
    const service = serviceOf(this.#backend.store, object)?.object
    const what = `IPAddress: ${ip} for Service ${namespace}/${name}`
    if (service === undefined) {
      const message = `${what} appears to have leaked: cleaning up`
      return { reason: 'IPAddressNotAllocated', message, dueMs: createdMs + creationMs }
    }
    if (addressesOf(service).includes(ip)) return undefined
    const isNewer = createdMs > Date.parse(service.metadata.creationTimestamp ?? '')
    return {
      reason: 'IPAddressWrongReference',
      message: `${what} has a wrong reference; cleaning up`,
      dueMs: isNewer ? createdMs + rollbackMs : createdMs,
    }
  }
}
