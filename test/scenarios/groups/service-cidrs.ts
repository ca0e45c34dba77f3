/**
 * Ranges of cluster IPs. All scenarios share the server's allocator, so most ranges here are IPv6, from which the
 * Services of others get no address.
 */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import { clusterResource } from '../../differential/steps.ts'
import { object, service } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import { exists, gone, look, rest, services, until } from '../steps.ts'

const ranges = clusterResource('servicecidrs', 'networking.k8s.io/v1')
const addresses = clusterResource('ipaddresses', 'networking.k8s.io/v1')

/** The Service of the server, which makes it again. */
const ownService = '/api/v1/namespaces/default/services/kubernetes'

const own = '{{ns}}'
const inner = '{{ns}}-inner'
const pathOf = (name: string): string => ranges.get(name).path
const range = (name: string, cidrs: readonly string[]): Act =>
  ranges.create(object('networking.k8s.io/v1', 'ServiceCIDR', name, { spec: { cidrs: [...cidrs] } }))
const ready = (name: string, status: Json = 'True'): Act =>
  until(pathOf(name), { 'status.conditions[Ready].status': status })

const allocated = (ip: string): JsonObject => ({
  'ipaddress.kubernetes.io/ip-family': ip.includes(':') ? 'IPv6' : 'IPv4',
  'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
})
/** As the allocator makes it, for a Service that does not exist: the server removes it after a minute. */
const address = (ip: string, labels: JsonObject = allocated(ip)): Act =>
  addresses.create({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: ip, labels },
    spec: { parentRef: { resource: 'services', namespace: '{{ns}}', name: 'gone' } },
  })

export const serviceCidrScenarios: readonly Scenario[] = [
  { name: 'service-cidr-default', also: [pathOf('kubernetes')], steps: [ready('kubernetes'), rest] },
  {
    name: 'service-cidr-own-service',
    also: [addresses.get('10.0.0.1').path],
    steps: [{ method: 'DELETE', path: ownService }, until(ownService, { 'spec.clusterIP': '10.0.0.1' }), rest],
  },
  { name: 'service-cidr-ready', also: [pathOf(own)], steps: [range(own, ['2001:db8:1::/64']), ready(own), rest] },
  {
    name: 'service-cidr-second-family',
    also: [pathOf(own)],
    steps: [
      range(own, ['2001:db8:2::/64']),
      ready(own),
      rest,
      ranges.merge(own, { spec: { cidrs: ['2001:db8:2::/64', '192.0.2.0/31'] } }),
      rest,
    ],
  },
  {
    name: 'service-cidr-deleted',
    also: [pathOf(own)],
    steps: [
      range(own, ['2001:db8:3::/64']),
      ready(own),
      rest,
      ranges.delete(own),
      look('terminating'),
      gone(pathOf(own)),
    ],
  },
  {
    name: 'service-cidr-foreign-address',
    also: [pathOf(own), addresses.get('2001:db8:4::1').path],
    steps: [
      range(own, ['2001:db8:4::/64']),
      ready(own),
      address('2001:db8:4::1', {}),
      rest,
      ranges.delete(own),
      gone(pathOf(own)),
      look('gone'),
      addresses.delete('2001:db8:4::1'),
    ],
  },
  {
    name: 'service-cidr-blocked',
    also: [pathOf(own), addresses.get('2001:db8:5::1').path],
    steps: [
      range(own, ['2001:db8:5::/64']),
      ready(own),
      address('2001:db8:5::1'),
      rest,
      ranges.delete(own),
      ready(own, 'False'),
      look('blocked'),
      addresses.delete('2001:db8:5::1'),
      gone(pathOf(own)),
    ],
  },
  {
    name: 'service-cidr-leaked-address',
    also: [pathOf(own), addresses.get('2001:db8:6::1').path],
    steps: [
      range(own, ['2001:db8:6::/64']),
      ready(own),
      address('2001:db8:6::1'),
      exists(addresses.get('2001:db8:6::1').path),
      ranges.delete(own),
      ready(own, 'False'),
      gone(addresses.get('2001:db8:6::1').path),
      gone(pathOf(own)),
    ],
  },
  {
    name: 'service-cidr-covered',
    also: [pathOf(own), pathOf(inner), addresses.get('2001:db8:7::1').path],
    steps: [
      range(own, ['2001:db8:7::/64']),
      range(inner, ['2001:db8:7::/112']),
      ready(own),
      ready(inner),
      address('2001:db8:7::1'),
      rest,
      ranges.delete(inner),
      gone(pathOf(inner)),
      look('inner gone'),
      ranges.delete(own),
      ready(own, 'False'),
      range(inner, ['2001:db8:7::/112']),
      gone(pathOf(own)),
      look('replaced'),
      addresses.delete('2001:db8:7::1'),
      ranges.delete(inner),
      gone(pathOf(inner)),
    ],
  },
  {
    name: 'service-cidr-of-services',
    late: true,
    also: [pathOf(own), addresses.get('198.51.100.1').path, addresses.get('198.51.100.2').path],
    steps: [
      services.create(service({ clusterIP: '198.51.100.1' }, { name: 'early' })),
      range(own, ['198.51.100.0/30']),
      ready(own),
      services.create(service({ clusterIP: '198.51.100.1' }, { name: 'a' })),
      services.create(service({ clusterIP: '198.51.100.2' }, { name: 'b' })),
      services.create(service({ clusterIP: '198.51.100.2' }, { name: 'c' })),
      services.create(service({ clusterIP: '198.51.100.3' }, { name: 'd' })),
      rest,
      look('taken'),
      ranges.delete(own),
      ready(own, 'False'),
      services.delete('a'),
      services.create(service({ clusterIP: '198.51.100.1' }, { name: 'late' })),
      look('blocked'),
      services.delete('b'),
      gone(pathOf(own)),
    ],
  },
]
