/**
 * The IPAddress objects of Services: one for each cluster IP, for the lifetime of the Service. They are written
 * directly to the store, as the IP allocator of a real server does. What users do to them is repaired within the write;
 * a real server repairs it minutes later, or with the next change of the Service.
 */
import { isObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { timestamp } from '../../env/env.ts'
import type { Backend } from '../registry/call.ts'
import { withStoredResourceVersion, withResourceVersion } from '../registry/metadata.ts'
import type { Stored, StoreEvent, StoreWatch } from '../storage/store.ts'
import { OrphanedAddresses, isAllocated } from './orphaned-addresses.ts'
import { serviceOf, addressesOf, type ReportRepair } from './service-reference.ts'

const services = '/registry/services/specs/'
const addresses = '/registry/ipaddresses/'
const apiVersion = 'networking.k8s.io/v1'
const familyLabel = 'ipaddress.kubernetes.io/ip-family'
const managerLabel = 'ipaddress.kubernetes.io/managed-by'

/** Makes the IPAddresses that are missing, and watches Services and IPAddresses from now on. */
export function followServiceAddresses(backend: Backend, report: ReportRepair): StoreWatch {
  const { store } = backend
  for (const { object } of store.list(services).items) for (const ip of addressesOf(object)) take(backend, ip, object)
  const orphans = new OrphanedAddresses(backend, report)
  const watches = [
    store.watch(services, store.revision, (event) => followService(backend, event)),
    store.watch(addresses, store.revision, (event) => {
      if (!repair(backend, event, report) && event.type !== 'delete') orphans.check(event.current)
    }),
  ]
  return {
    stop() {
      orphans.stop()
      for (const watch of watches) watch.stop()
    },
  }
}

function followService(backend: Backend, { type, previous, current }: StoreEvent): void {
  const before = addressesOf(previous?.object)
  const now = type === 'delete' ? [] : addressesOf(current.object)
  for (const ip of now) if (!before.includes(ip)) take(backend, ip, current.object)
  for (const ip of before) if (!now.includes(ip)) release(backend, ip, current.object)
}

/** Makes the IPAddress of a Service again if it was deleted or lost its labels. False if nothing was to be done. */
function repair(backend: Backend, { type, current }: StoreEvent, report: ReportRepair): boolean {
  const { store } = backend
  const { object } = current
  const ip = object.metadata.name as string
  const live = store.get(addresses + ip)
  if (live !== undefined && (type === 'delete' || live.revision !== current.revision)) return true
  const service = serviceOf(store, object)
  if (service === undefined || !addressesOf(service.object).includes(ip)) return false
  const family = familyOf(ip)
  if (live === undefined) {
    report(service.object, 'ClusterIPNotAllocated', `Cluster IP [${family}]: ${ip} is not allocated; repairing`)
  } else {
    if (isAllocated(object) && object.metadata.labels?.[familyLabel] === family) return false
    remove(backend, live)
  }
  take(backend, ip, service.object)
  return true
}

function take({ store, env }: Backend, ip: string, service: KubeObject): void {
  const key = addresses + ip
  if (store.get(key) !== undefined) return
  const time = timestamp(env.now())
  const { name = '', namespace = '' } = service.metadata
  const object: KubeObject = {
    kind: 'IPAddress',
    apiVersion,
    metadata: {
      name: ip,
      uid: env.uuid(),
      creationTimestamp: time,
      labels: { [familyLabel]: familyOf(ip), [managerLabel]: 'ipallocator.k8s.io' },
      managedFields: [
        {
          manager: 'kube-apiserver',
          operation: 'Update',
          apiVersion,
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': { '.': {}, [`f:${familyLabel}`]: {}, [`f:${managerLabel}`]: {} } },
            'f:spec': { 'f:parentRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:resource': {} } },
          },
        },
      ],
    },
    spec: { parentRef: { resource: 'services', namespace, name } },
  }
  store.put(key, 0, (revision) => withResourceVersion(object, revision))
}

/** Deletes the IPAddress only if its parentRef is this Service. */
function release(backend: Backend, ip: string, service: KubeObject): void {
  const live = backend.store.get(addresses + ip)
  const spec = live?.object['spec']
  const parent = isObject(spec) ? spec['parentRef'] : undefined
  if (live === undefined || !isObject(parent)) return
  const { name, namespace } = service.metadata
  if (parent['name'] === name && parent['namespace'] === namespace) remove(backend, live)
}

function remove({ store }: Backend, { key, object, revision }: Stored): void {
  store.delete(key, revision, (next) => withStoredResourceVersion(object, next))
}

function familyOf(ip: string): string {
  return ip.includes(':') ? 'IPv6' : 'IPv4'
}
