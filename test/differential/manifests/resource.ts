/** resource.k8s.io/v1. */
import type { JsonObject } from '../../../src/api/json.ts'
import { badMetadata, fullMetadata, long, variants, type KindManifests } from './manifest.ts'

const resource = { group: 'resource.k8s.io', version: 'v1' } as const
const apiVersion = 'resource.k8s.io/v1'

const minimalDevices: JsonObject = { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] }
const fullDevices: JsonObject = {
  requests: [
    {
      name: 'one',
      exactly: {
        deviceClassName: 'gpu',
        allocationMode: 'ExactCount',
        count: 2,
        selectors: [{ cel: { expression: "device.driver == 'gpu.example.com'" } }],
      },
    },
    { name: 'all', exactly: { deviceClassName: 'nic', allocationMode: 'All' } },
    {
      name: 'some',
      firstAvailable: [
        { name: 'big', deviceClassName: 'big' },
        { name: 'small', deviceClassName: 'small', count: 3 },
      ],
    },
  ],
  constraints: [{ requests: ['one', 'all'], matchAttribute: 'gpu.example.com/model' }],
  config: [{ requests: ['one', 'some/big'], opaque: { driver: 'gpu.example.com', parameters: { a: 1, b: [true] } } }],
}

const badDevices: Readonly<Record<string, JsonObject>> = {
  'request without name': { requests: [{ exactly: { deviceClassName: 'gpu' } }] },
  'bad request name': { requests: [{ name: 'A_b', exactly: { deviceClassName: 'gpu' } }] },
  'request twice': {
    requests: [
      { name: 'a', exactly: { deviceClassName: 'gpu' } },
      { name: 'a', exactly: { deviceClassName: 'gpu' } },
    ],
  },
  'request of nothing': { requests: [{ name: 'a' }] },
  'request of two kinds': {
    requests: [
      { name: 'a', exactly: { deviceClassName: 'gpu' }, firstAvailable: [{ name: 'b', deviceClassName: 'gpu' }] },
    ],
  },
  'no class': { requests: [{ name: 'a', exactly: { deviceClassName: '' } }] },
  'bad class': { requests: [{ name: 'a', exactly: { deviceClassName: 'A b' } }] },
  'count zero': {
    requests: [{ name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: -1 } }],
  },
  'count of all': { requests: [{ name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'All', count: 2 } }] },
  'unknown mode': { requests: [{ name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'Odd' } }] },
  'selector of nothing': { requests: [{ name: 'a', exactly: { deviceClassName: 'gpu', selectors: [{}] } }] },
  'constraint of unknown request': { constraints: [{ requests: ['none'], matchAttribute: 'a.com/b' }] },
  'constraint without attribute': { constraints: [{ requests: ['one'] }] },
  'bad attribute': { constraints: [{ matchAttribute: 'plain' }] },
  'config of nothing': { config: [{}] },
  'config without driver': { config: [{ opaque: { driver: '', parameters: {} } }] },
  'parameters no object': { config: [{ opaque: { driver: 'a.com', parameters: 'x' } }] },
  'config of unknown request': {
    config: [{ requests: ['none', 'some/none'], opaque: { driver: 'a.com', parameters: {} } }],
  },
}
const badDevicesAt = (...path: string[]): Record<string, JsonObject> =>
  Object.fromEntries(
    Object.entries(badDevices).map(([name, devices]) => [
      name,
      path.reduceRight<JsonObject>((inner, part) => ({ [part]: inner }), devices),
    ]),
  )

export const resourceManifests: readonly KindManifests[] = [
  {
    ...resource,
    resource: 'resourceclaims',
    kind: 'ResourceClaim',
    namespaced: true,
    minimal: { apiVersion, kind: 'ResourceClaim', metadata: { name: 'min' }, spec: {} },
    full: { apiVersion, kind: 'ResourceClaim', metadata: fullMetadata('full'), spec: { devices: fullDevices } },
    change: { metadata: { labels: { more: 'yes' } } },
    status: {
      status: {
        allocation: {
          devices: { results: [{ request: 'one', driver: 'gpu.example.com', pool: 'p', device: 'd0' }] },
          nodeSelector: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
          },
        },
        reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }],
      },
    },
    badStatus: variants({
      'reserved without allocation': { status: { reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] } },
      'result without device': {
        status: { allocation: { devices: { results: [{ request: 'one', driver: '', pool: '', device: '' }] } } },
      },
      'unknown request': {
        status: {
          allocation: { devices: { results: [{ request: 'none', driver: 'a.com', pool: 'p', device: 'd' }] } },
        },
      },
      'consumer twice': {
        status: {
          reservedFor: [
            { resource: 'pods', name: 'p', uid: 'u' },
            { resource: 'pods', name: 'q', uid: 'u' },
          ],
        },
      },
    }),
    bad: variants({
      ...badMetadata,
      ...badDevicesAt('spec', 'devices'),
      'other spec': { spec: { devices: minimalDevices } },
    }),
  },
  {
    ...resource,
    resource: 'resourceclaimtemplates',
    kind: 'ResourceClaimTemplate',
    namespaced: true,
    minimal: { apiVersion, kind: 'ResourceClaimTemplate', metadata: { name: 'min' }, spec: { spec: {} } },
    full: {
      apiVersion,
      kind: 'ResourceClaimTemplate',
      metadata: fullMetadata('full'),
      spec: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: { devices: fullDevices } },
    },
    change: { metadata: { labels: { more: 'yes' } } },
    bad: variants({
      ...badMetadata,
      ...badDevicesAt('spec', 'spec', 'devices'),
      'other spec': { spec: { spec: { devices: minimalDevices } } },
      'bad template label': { spec: { metadata: { labels: { 'a b': 'c' } } } },
    }),
  },
  {
    ...resource,
    resource: 'deviceclasses',
    kind: 'DeviceClass',
    namespaced: false,
    minimal: { apiVersion, kind: 'DeviceClass', metadata: { name: 'manifest-min' }, spec: {} },
    full: {
      apiVersion,
      kind: 'DeviceClass',
      metadata: fullMetadata('manifest-full'),
      spec: {
        selectors: [{ cel: { expression: "device.driver == 'gpu.example.com'" } }],
        config: [{ opaque: { driver: 'gpu.example.com', parameters: { a: 1 } } }],
      },
    },
    change: { spec: { config: null } },
    bad: variants({
      ...badMetadata,
      'selector of nothing': { spec: { selectors: [{}] } },
      'config of nothing': { spec: { config: [{}] } },
      'config without driver': { spec: { config: [{ opaque: { driver: '', parameters: {} } }] } },
      'bad driver': { spec: { config: [{ opaque: { driver: 'A b', parameters: {} } }] } },
      'parameters missing': { spec: { config: [{ opaque: { driver: 'a.com', parameters: null } }] } },
      'parameters no object': { spec: { config: [{ opaque: { driver: 'a.com', parameters: [1] } }] } },
      'too many selectors': {
        spec: { selectors: Array.from({ length: 33 }, () => ({ cel: { expression: 'true' } })) },
      },
      'selectors no list': { spec: { selectors: {} } },
    }),
  },
  {
    ...resource,
    resource: 'resourceslices',
    kind: 'ResourceSlice',
    namespaced: false,
    minimal: {
      apiVersion,
      kind: 'ResourceSlice',
      metadata: { name: 'manifest-min' },
      spec: { driver: 'gpu.example.com', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
    },
    full: {
      apiVersion,
      kind: 'ResourceSlice',
      metadata: fullMetadata('manifest-full'),
      spec: {
        driver: 'gpu.example.com',
        pool: { name: 'pool/one', generation: 2, resourceSliceCount: 3 },
        nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
        devices: [
          {
            name: 'd0',
            attributes: {
              model: { string: 'a100' },
              'example.com/gen': { int: 3 },
              fast: { bool: true },
              ver: { version: '1.2.3' },
            },
            capacity: { memory: { value: '40Gi' } },
          },
          { name: 'd1' },
        ],
      },
    },
    change: { spec: { devices: [{ name: 'd0' }], pool: { generation: 3 } } },
    bad: variants({
      ...badMetadata,
      'no driver': { spec: { driver: '' } },
      'other driver': { spec: { driver: 'other.example.com' } },
      'no node': { spec: { nodeSelector: null } },
      'two places': { spec: { allNodes: true } },
      'all nodes false': { spec: { allNodes: false } },
      'no pool name': { spec: { pool: { name: '' } } },
      'bad pool name': { spec: { pool: { name: 'A b' } } },
      'pool of no slices': { spec: { pool: { resourceSliceCount: 0, generation: -1 } } },
      'device twice': { spec: { devices: [{ name: 'a' }, { name: 'a' }] } },
      'bad device name': { spec: { devices: [{ name: 'A_b' }] } },
      'attribute of two kinds': { spec: { devices: [{ name: 'a', attributes: { x: { int: 1, bool: true } } }] } },
      'attribute of nothing': { spec: { devices: [{ name: 'a', attributes: { x: {} } }] } },
      'bad version': { spec: { devices: [{ name: 'a', attributes: { x: { version: '1' } } }] } },
      'bad attribute name': { spec: { devices: [{ name: 'a', attributes: { 'a-b': { int: 1 } } }] } },
      'text too long': { spec: { devices: [{ name: 'a', attributes: { x: { string: long(65) } } }] } },
      'taint of nothing': { spec: { devices: [{ name: 'a', taints: [{ key: '', effect: 'Odd' }] }] } },
    }),
  },
]
