/** Manually written Endpoints, and the slices that mirror them. */
import type { JsonObject } from '../../../src/api/json.ts'
import { object, service } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import { count, endpoints, endpointSlices, look, rest, services } from '../steps.ts'

const slices = `${endpointSlices.path}?labelSelector=kubernetes.io/service-name=web`
const plain = services.create(service({ selector: null }))
const http = { name: 'http', port: 80 }
const written = (subsets: JsonObject[], metadata: JsonObject = {}): JsonObject =>
  object('v1', 'Endpoints', 'web', { subsets }, metadata)
const one = (ip: string): JsonObject => ({ addresses: [{ ip }], ports: [http] })
const there = (many: number): Act => count(slices, many)

export const mirroringScenarios: readonly Scenario[] = [
  {
    name: 'mirror-labels',
    steps: [
      plain,
      endpoints.create(written([one('192.0.2.1')], { labels: { team: 'a' }, annotations: { note: 'x' } })),
      there(1),
    ],
  },
  {
    name: 'mirror-subsets',
    steps: [
      plain,
      endpoints.create(
        written([
          {
            addresses: [{ ip: '192.0.2.1', nodeName: 'node-1', hostname: 'h' }],
            notReadyAddresses: [{ ip: '192.0.2.2' }],
            ports: [http],
          },
          {
            addresses: [{ ip: '192.0.2.1', nodeName: 'node-1', hostname: 'h' }],
            notReadyAddresses: [{ ip: '192.0.2.2' }],
            ports: [{ name: 'other', port: 81, protocol: 'UDP', appProtocol: 'example.com/x' }],
          },
          { addresses: [{ ip: '192.0.2.3' }, { ip: '2001:db8::1' }], ports: [{ name: 'third', port: 82 }] },
        ]),
      ),
      there(3),
    ],
  },
  {
    name: 'mirror-changed',
    steps: [
      plain,
      endpoints.create(written([one('192.0.2.1')])),
      there(1),
      rest,
      look('one'),
      endpoints.merge('web', { subsets: [{ addresses: [{ ip: '192.0.2.9' }], ports: [{ port: 81 }] }] }),
      rest,
      look('two'),
      endpoints.merge('web', { subsets: [] }),
      there(0),
    ],
  },
  {
    name: 'mirror-skipped',
    steps: [
      plain,
      endpoints.create(written([one('192.0.2.1')], { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } })),
      rest,
      look('skipped'),
      endpoints.merge('web', { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': null } } }),
      there(1),
    ],
  },
  {
    name: 'mirror-no-service',
    steps: [endpoints.create(written([one('192.0.2.1')])), rest, look('alone'), plain, there(1)],
  },
  {
    name: 'mirror-service-deleted',
    steps: [plain, endpoints.create(written([one('192.0.2.1')])), there(1), rest, services.delete('web'), there(0)],
  },
  {
    name: 'mirror-endpoints-deleted',
    steps: [plain, endpoints.create(written([one('192.0.2.1')])), there(1), rest, endpoints.delete('web'), there(0)],
  },
  {
    name: 'mirror-slice-deleted',
    steps: [
      plain,
      endpoints.create(written([one('192.0.2.1')])),
      there(1),
      rest,
      endpointSlices.deleteAll('labelSelector=kubernetes.io/service-name=web'),
      rest,
      there(1),
    ],
  },
  {
    name: 'mirror-selector-added',
    steps: [
      plain,
      endpoints.create(written([one('192.0.2.1')])),
      there(1),
      rest,
      services.merge('web', { spec: { selector: { app: 'web' } } }),
      rest,
    ],
  },
]
