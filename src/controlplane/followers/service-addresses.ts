/**
 * The IPAddress objects of Services: one for each cluster IP, for the lifetime of the Service. They are written
 * directly to the store, as the IP allocator of a real server does.
 */
import { isObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { timestamp } from '../../env/env.ts'
import type { Backend } from '../registry/call.ts'
import { withStoredResourceVersion, withResourceVersion } from '../registry/metadata.ts'
import type { StoreEvent, StoreWatch } from '../storage/store.ts'

const services = '/registry/services/specs/'
const addresses = '/registry/ipaddresses/'
const apiVersion = 'networking.k8s.io/v1'
const familyLabel = 'ipaddress.kubernetes.io/ip-family'
const managerLabel = 'ipaddress.kubernetes.io/managed-by'

/** Watches Services from now on. */
export function followServiceAddresses(backend: Backend): StoreWatch {
  const { store } = backend
  return store.watch(services, store.revision, (event) => {
    const before = addressesOf(event.previous?.object)
    const now = event.type === 'delete' ? [] : addressesOf(event.current.object)
    for (const ip of now) if (!before.includes(ip)) take(backend, ip, event)
    for (const ip of before) if (!now.includes(ip)) release(backend, ip, event)
  })
}

function addressesOf(service: KubeObject | undefined): readonly string[] {
  const spec = service?.['spec']
  const list = isObject(spec) ? spec['clusterIPs'] : undefined
  return Array.isArray(list)
    ? list.filter((ip): ip is string => typeof ip === 'string' && ip !== '' && ip !== 'None')
    : []
}

function take({ store, env }: Backend, ip: string, { current }: StoreEvent): void {
  const key = addresses + ip
  if (store.get(key) !== undefined) return
  const time = timestamp(env.now())
  const { name = '', namespace = '' } = current.object.metadata
  const object: KubeObject = {
    kind: 'IPAddress',
    apiVersion,
    metadata: {
      name: ip,
      uid: env.uuid(),
      creationTimestamp: time,
      labels: { [familyLabel]: ip.includes(':') ? 'IPv6' : 'IPv4', [managerLabel]: 'ipallocator.k8s.io' },
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
function release({ store }: Backend, ip: string, { current }: StoreEvent): void {
  const live = store.get(addresses + ip)
  const spec = live?.object['spec']
  const parent = isObject(spec) ? spec['parentRef'] : undefined
  if (live === undefined || !isObject(parent)) return
  const { name, namespace } = current.object.metadata
  if (parent['name'] !== name || parent['namespace'] !== namespace) return
  store.delete(addresses + ip, live.revision, (revision) => withStoredResourceVersion(live.object, revision))
}
