/** Whatever users do to Services, IPAddresses and ranges: no address is given twice, and each has its IPAddress. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane } from '../control-plane.ts'

const addresses = '/apis/networking.k8s.io/v1/ipaddresses'
const ranges = '/apis/networking.k8s.io/v1/servicecidrs'
const services = '/api/v1/namespaces/default/services'
const labels = {
  'ipaddress.kubernetes.io/ip-family': 'IPv4',
  'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
}

/** Few names and few addresses, so that actions meet. */
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const ip = fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3', '192.0.2.1', '192.0.2.2')
const port = { ports: [{ port: 80 }] }

type Request = readonly [method: string, path: string, body?: Json]

const action: fc.Arbitrary<Request> = fc.oneof(
  name.map((n): Request => ['POST', services, { metadata: { name: n }, spec: port }]),
  fc
    .tuple(name, ip)
    .map(([n, clusterIP]): Request => ['POST', services, { metadata: { name: n }, spec: { ...port, clusterIP } }]),
  fc.oneof(name, fc.constant('kubernetes')).map((n): Request => ['DELETE', `${services}/${n}`]),
  name.map((n): Request => [
    'PUT',
    `${services}/${n}`,
    { metadata: { name: n }, spec: { type: 'ExternalName', externalName: 'x.y' } },
  ]),
  ip.map((n): Request => ['DELETE', `${addresses}/${n}`]),
  ip.map((n): Request => ['PATCH', `${addresses}/${n}`, { metadata: { labels: null } }]),
  fc.tuple(name, ip).map(([n, address]): Request => [
    'POST',
    addresses,
    {
      metadata: { name: address, labels },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: n } },
    },
  ]),
  fc.constant<Request>(['POST', ranges, { metadata: { name: 'more' }, spec: { cidrs: ['192.0.2.0/29'] } }]),
  fc.constantFrom('more', 'kubernetes').map((n): Request => ['DELETE', `${ranges}/${n}`]),
)

it('no address belongs to two Services, and every Service has the IPAddress of its address', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
      const env = simulatedEnv()
      const plane = createControlPlane({ env, serviceClusterIpRange: '10.0.0.0/29' })
      try {
        const api = plane.transport()
        const items = async (path: string) =>
          ((await api({ method: 'GET', path })).body as JsonObject)['items'] as JsonObject[]
        for (const [method, path, body] of actions) {
          const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
          const { status } = await api(body === undefined ? { method, path, headers } : { method, path, headers, body })
          // Only a full range is an internal error, as upstream.
          expect(status === 500 ? path : '').toBe(status === 500 ? services : '')
          const owners = new Map<string, string>()
          for (const { metadata, spec } of await items('/api/v1/services')) {
            const given = (spec as { clusterIPs?: string[] }).clusterIPs ?? []
            for (const each of given) {
              expect(owners.get(each)).toBeUndefined()
              owners.set(each, String((metadata as JsonObject)['name']))
            }
          }
          const known = await items(addresses)
          for (const [address, service] of owners)
            expect(known).toContainEqual(
              expect.objectContaining({
                metadata: expect.objectContaining({ name: address, labels }),
                spec: { parentRef: { resource: 'services', namespace: 'default', name: service } },
              }),
            )
        }
        // What belongs to no Service is gone after a minute.
        await env.advanceAsync(61_000)
        const used = (await items('/api/v1/services')).flatMap(
          ({ spec }) => (spec as { clusterIPs?: string[] }).clusterIPs ?? [],
        )
        const left = (await items(addresses)).filter(
          ({ metadata }) => (metadata as { labels?: object }).labels !== undefined,
        )
        expect(left.map(({ metadata }) => String((metadata as JsonObject)['name'])).sort()).toEqual(used.sort())
      } finally {
        await plane.close()
      }
    }),
    { numRuns: 30 },
  )
})
