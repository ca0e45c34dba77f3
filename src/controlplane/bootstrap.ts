/**
 * Creates the objects that a real server creates when it starts: namespaces, priority classes, flow schemas and
 * priority levels, APIServices of its own groups, its Service and the service CIDR, and with RBAC the default roles.
 * They are stored directly in the form of a real server, because the registry would slow down the start.
 */
import { ipv4Network, ipv4Text } from '../api/ipv4-network.ts'
import { timestamp, type Timer } from '../env/env.ts'
import { createDefaultRoles } from './default-roles.ts'
import { optionalVersions, recordedRange, startObjects } from '../facts/facts.ts'
import type { KubeObject } from '../api/object.ts'
import type { Backend } from './registry/call.ts'
import { withResourceVersion } from './registry/metadata.ts'
import type { StoreWatch } from './storage/store.ts'

export interface ServiceRange {
  /** `10.0.0.0/24` */
  readonly cidr: string
  /** The cluster IP of the server's own Service. */
  readonly firstIp: string
}

/** Ranges of less than 8 or more than 2^20 addresses are refused, as kube-apiserver does. */
const sizes = { min: 8, max: 2 ** 20 }

/** Throws a RangeError if the text is not an IPv4 range of a useful size. */
export function serviceRange(cidr: string = recordedRange.cidr): ServiceRange {
  const network = ipv4Network(cidr)
  if (network === undefined || network.size < sizes.min || network.size > sizes.max)
    throw new RangeError(
      'the range of cluster IPs must be an IPv4 network such as 10.0.0.0/16, of 8 to 2^20 addresses, not ' +
        JSON.stringify(cidr),
    )
  return { cidr, firstIp: ipv4Text(network.first + 1) }
}

/** Creates each object unless a durable store already has it. `optional`: built-in versions beside the default ones. */
export function bootstrap(
  backend: Backend,
  withRoles: boolean,
  range: ServiceRange,
  optional: readonly string[] = [],
): void {
  createStartObjects(backend, range, undefined, optional)
  if (withRoles) createDefaultRoles(backend.store, backend.env)
}

const serviceCidrKey = '/registry/servicecidrs/kubernetes'
const serviceKey = '/registry/services/specs/default/kubernetes'
/** How often a real server looks whether they exist. */
const checkMs = 10_000

/** Creates the default ServiceCIDR and the server's own Service again ten seconds after they were deleted. */
export function keepServiceObjects(backend: Backend, range: ServiceRange): StoreWatch {
  const { env, store } = backend
  const timers = new Map<string, Timer>()
  const create = (key: string): void => {
    timers.delete(key)
    // Another Service may have got its address meanwhile.
    const isTaken = key === serviceKey && store.get(`/registry/ipaddresses/${range.firstIp}`) !== undefined
    if (isTaken) wait(key)
    else createStartObjects(backend, range, key)
  }
  const wait = (key: string): void =>
    void timers.set(
      key,
      env.after(checkMs, () => create(key)),
    )
  const watches = [serviceCidrKey, serviceKey].map((key) =>
    store.watch(key.slice(0, key.lastIndexOf('/') + 1), store.revision, (event) => {
      if (event.type === 'delete' && event.key === key && !timers.has(key)) wait(key)
    }),
  )
  return {
    stop() {
      for (const timer of timers.values()) timer.cancel()
      for (const watch of watches) watch.stop()
    },
  }
}

/** All, or the one with this key. */
function createStartObjects(
  { env, store }: Backend,
  range: ServiceRange,
  only?: string,
  optional: readonly string[] = [],
): void {
  const objects = startObjects(timestamp(env.now()), range)
  for (const [key, object] of [...objects, ...optional.map((version) => apiServiceOf(version, objects))]) {
    if (store.get(key) !== undefined || (only !== undefined && key !== only)) continue
    object.metadata.uid = env.uuid()
    store.put(key, 0, (revision) => withResourceVersion(object, revision))
  }
}

/** Like that of `v1` of its group. */
function apiServiceOf(name: string, objects: ReturnType<typeof startObjects>): readonly [string, KubeObject] {
  const [group = '', version = ''] = name.split('/')
  const prefix = '/registry/apiregistration.k8s.io/apiservices/'
  const service = structuredClone(objects.find(([key]) => key === `${prefix}v1.${group}`)?.[1]) as KubeObject
  service.metadata.name = `${version}.${group}`
  Object.assign(service.spec as object, { version, versionPriority: optionalVersions()[name]?.versionPriority })
  return [`${prefix}${version}.${group}`, service]
}
