/** Further differences that the fuzzer found, for more kinds and for custom resources of many shapes. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Case } from '../case.ts'
import { configMap, job, object, pod, service } from '../objects.ts'
import { clusterResource, define, request, resource, thing, thingDefinition, things } from '../steps.ts'

const slices = resource('endpointslices', 'discovery.k8s.io/v1')
const configMaps = resource('configmaps')
const services = resource('services')
const pods = resource('pods')
const policies = resource('networkpolicies', 'networking.k8s.io/v1')
const autoscalers = resource('horizontalpodautoscalers', 'autoscaling/v2')
const oldAutoscalers = resource('horizontalpodautoscalers', 'autoscaling/v1')
const revisions = resource('controllerrevisions', 'apps/v1')
const resourceClaims = resource('resourceclaims', 'resource.k8s.io/v1')
const accounts = resource('serviceaccounts')
const jobs = resource('jobs', 'batch/v1')
const cronJobs = resource('cronjobs', 'batch/v1')
const endpoints = resource('endpoints')
const events = resource('events')
const deviceClasses = clusterResource('deviceclasses', 'resource.k8s.io/v1')
const resourceSlices = clusterResource('resourceslices', 'resource.k8s.io/v1')
const volumes = clusterResource('persistentvolumes')
const attachments = clusterResource('volumeattachments', 'storage.k8s.io/v1')
const storageClasses = clusterResource('storageclasses', 'storage.k8s.io/v1')
const attributesClasses = clusterResource('volumeattributesclasses', 'storage.k8s.io/v1')
const ingressClasses = clusterResource('ingressclasses', 'networking.k8s.io/v1')
const signingRequests = clusterResource('certificatesigningrequests', 'certificates.k8s.io/v1')
const namespaces = clusterResource('namespaces')
const nodes = clusterResource('nodes')

/** A cluster-scoped object, named after the case. */
const wide = (apiVersion: string, kind: string, content: JsonObject = {}, metadata: JsonObject = {}): JsonObject =>
  object(apiVersion, kind, '{{ns}}', content, metadata)
const volume = (spec: JsonObject): JsonObject =>
  wide('v1', 'PersistentVolume', {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'csi.example.com', volumeHandle: 'v' },
      ...spec,
    },
  })
const attachment = (inlineVolumeSpec: JsonObject): JsonObject =>
  wide('storage.k8s.io/v1', 'VolumeAttachment', {
    spec: { attacher: 'csi.example.com', nodeName: 'n', source: { inlineVolumeSpec } },
  })
const storageClass = (content: JsonObject): JsonObject =>
  wide('storage.k8s.io/v1', 'StorageClass', { provisioner: 'example.com/p', ...content })
const revision = (data: Json): JsonObject => object('apps/v1', 'ControllerRevision', 'a', { revision: 1, data })
const reserved = (devices: JsonObject): JsonObject =>
  object('resource.k8s.io/v1', 'ResourceClaim', 'a', { spec: { devices } })
const deviceClass = (expression: string): JsonObject =>
  wide('resource.k8s.io/v1', 'DeviceClass', { spec: { selectors: [{ cel: { expression } }] } })
const slicesOf = (device: JsonObject): JsonObject =>
  wide('resource.k8s.io/v1', 'ResourceSlice', {
    spec: {
      driver: 'd.example.com',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      nodeName: 'n',
      devices: [{ name: 'd0', ...device }],
    },
  })
const event = (name: string): JsonObject => object('v1', 'Event', name, { involvedObject: { namespace: '{{ns}}' } })
const node = (spec: JsonObject): JsonObject => wide('v1', 'Node', { spec })
const text = { type: 'string' }
const withRules = (schema: JsonObject, ...rules: string[]): JsonObject => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
})
const policy = (spec: JsonObject): JsonObject =>
  object('networking.k8s.io/v1', 'NetworkPolicy', 'a', { spec: { podSelector: {}, ...spec } })
const by = (manager: string, force = false): string => `fieldManager=${manager}${force ? '&force=true' : ''}`
const percent = { status: { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 55 } }
const badLabel = { labels: { app: '-' } }

export const foundLater: readonly Case[] = [
  {
    name: 'bytes as numbers',
    steps: [
      configMaps.create(configMap('a')),
      ...[[1, 2], [300], [-1], [1.5], ['x'], [null, 7], [], [[1]], [true], {}, 7].flatMap((bin, i) => [
        configMaps.create(object('v1', 'ConfigMap', `b${i}`, { binaryData: { bin } })),
        configMaps.strategic('a', { binaryData: { bin } }),
        configMaps.merge('a', { binaryData: { bin } }),
        configMaps.apply('a', object('v1', 'ConfigMap', 'a', { binaryData: { bin } }), by('m', true)),
      ]),
    ],
  },
  {
    name: 'raw data of any type, in any order',
    steps: [
      ...['x', 7, [], {}, null, true].flatMap((data) => [
        revisions.apply('a', revision(data), by('m')),
        revisions.create(revision(data), 'dryRun=All'),
      ]),
      revisions.create(
        object('apps/v1', 'ControllerRevision', 'b', { revision: 1, data: { c: { z: 1, a: 2 }, b: [], a: null } }),
      ),
      revisions.merge('b', { data: { d: { y: 1, x: 2 } } }),
      revisions.merge('b', { data: { c: { y: 1 } } }),
      revisions.strategic('b', { data: { d: { y: 1, x: 2 }, a: 1 } }),
      revisions.json('b', [{ op: 'add', path: '/data/d', value: { y: 1, x: 2 } }]),
      revisions.json('b', [{ op: 'remove', path: '/data/c/z' }]),
      revisions.apply(
        'b',
        object('apps/v1', 'ControllerRevision', 'b', { revision: 1, data: { f: 1, e: 2 } }),
        by('m', true),
      ),
      revisions.replace('b', object('apps/v1', 'ControllerRevision', 'b', { revision: 1, data: { f: 1, e: 2 } })),
      revisions.get('b'),
    ],
  },
  {
    name: 'the order of errors of classes',
    steps: [
      attributesClasses.create(
        wide('storage.k8s.io/v1', 'VolumeAttributesClass', { driverName: 'csi.example.com', parameters: { a: 'b' } }),
      ),
      attributesClasses.merge('{{ns}}', { metadata: badLabel, driverName: 'A b', parameters: {} }),
      attributesClasses.merge('{{ns}}', { parameters: null }),
      ingressClasses.create(wide('networking.k8s.io/v1', 'IngressClass', { spec: { controller: 'example.com/c' } })),
      ingressClasses.merge('{{ns}}', { metadata: badLabel, spec: { controller: 'x' } }),
      storageClasses.create(storageClass({})),
      storageClasses.merge('{{ns}}', { parameters: {}, reclaimPolicy: 'Retain', metadata: badLabel }),
      storageClasses.merge('{{ns}}', { parameters: {} }),
    ],
  },
  {
    name: 'topologies that say nothing, or the same',
    steps: [
      [{}],
      [{}, {}],
      [{ matchLabelExpressions: [{ key: 'a', values: ['b'] }] }, {}],
      Array.from({ length: 3 }, () => ({ matchLabelExpressions: [{ key: 'a', values: ['b'] }] })),
    ].map((allowedTopologies) => storageClasses.create(storageClass({ allowedTopologies }), 'dryRun=All')),
  },
  {
    name: 'selectors of devices',
    steps: [
      '',
      ' ',
      'device.driver == "a"',
      "device.driver == 'a'-2",
      'x',
      'device.nope',
      'device',
      '"x"',
      'device.attributes["a.example.com"].b',
      'device.capacity["a.example.com"].b',
      'device.capacity["a.example.com"].b.isGreaterThan(quantity("1Gi"))',
      'device.attributes.exists(a, device.attributes[a].exists(b, device.attributes[a][b] == 1))',
      '[1, 2, 3].all(a, [1, 2, 3].all(b, device.attributes.all(c, device.attributes.all(d, ' +
        'device.attributes.all(e, device.attributes.all(f, c + d != e + f))))))',
    ].map((expression) => deviceClasses.create(deviceClass(expression), 'dryRun=All')),
  },
  {
    name: 'a list that is empty has not changed',
    steps: [
      resourceClaims.create(reserved({})),
      resourceClaims.merge('a', { spec: { devices: { requests: [] } } }),
      resourceClaims.merge('a', { spec: { devices: { constraints: [], config: [] } } }),
      resourceClaims.merge('a', {
        spec: { devices: { requests: [{ name: 'x', exactly: { deviceClassName: 'c' } }] } },
      }),
      policies.create(policy({})),
      policies.merge('a', { spec: { policyTypes: [] } }),
      policies.merge('a', { spec: { egress: [] } }),
      resourceSlices.create(slicesOf({})),
      resourceSlices.merge('{{ns}}', { spec: { nodeName: null, nodeSelector: { nodeSelectorTerms: [] } } }),
      resourceSlices.merge('{{ns}}', { spec: { nodeName: null, nodeSelector: {} } }),
    ],
  },
  {
    name: 'volumes and attachments',
    steps: [
      volumes.create(volume({ capacity: {} })),
      volumes.create(
        volume({
          csi: {
            driver: 'a',
            volumeHandle: 'v',
            nodePublishSecretRef: { name: 'A b', namespace: 'a.b' },
            controllerExpandSecretRef: {},
          },
        }),
      ),
      volumes.create(
        volume({
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'Exists' }] }],
            },
          },
        }),
      ),
      ...['', 'kubernetes.io/os', 'beta.kubernetes.io/arch'].map((key) =>
        volumes.merge('{{ns}}', {
          spec: {
            nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }] } },
          },
        }),
      ),
      ...[
        {},
        { csi: { driver: 'csi.example.com', volumeHandle: 'v' } },
        { accessModes: ['-'], csi: { volumeHandle: 'v' } },
        { accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
        {
          accessModes: ['ReadWriteOnce'],
          csi: { driver: 'csi.example.com', volumeHandle: 'v' },
          capacity: { storage: '1' },
          claimRef: {},
          storageClassName: 'x',
          volumeMode: 'Block',
          nodeAffinity: {},
          persistentVolumeReclaimPolicy: 'Delete',
        },
      ].map((spec) => attachments.create(attachment(spec), 'dryRun=All')),
      attachments.create(
        attachment({ accessModes: ['ReadWriteOnce'], csi: { driver: 'csi.example.com', volumeHandle: 'v' } }),
      ),
      attachments.merge('{{ns}}', { spec: { source: { persistentVolumeName: 'x' } } }),
      attachments.merge('{{ns}}', { spec: { source: { inlineVolumeSpec: { csi: null } } } }),
    ],
  },
  {
    name: 'what an apply leaves that the schema does not know',
    steps: [
      define(
        thingDefinition(
          { spec: { type: 'object', properties: { a: text, deep: { type: 'object', properties: { b: text } } } } },
          {
            schema: {
              openAPIV3Schema: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: {
                  spec: {
                    type: 'object',
                    properties: {
                      a: text,
                      d: { ...text, default: 'x' },
                      deep: { type: 'object', properties: { b: text } },
                    },
                  },
                },
              },
            },
          },
        ),
      ),
      things.apply('a', thing('a', { spec: { a: '1', lost: 1, deep: { lost: {} } }, top: 1 }), by('m')),
      things.get('a'),
      things.merge('a', {}),
      things.merge('a', {}),
      things.apply('a', thing('a', { spec: { a: '1', lost: 1, deep: { lost: {} } }, top: 1 }), by('m')),
      things.apply('a', thing('a'), by('n')),
      things.apply('a', thing('a'), by('n')),
      things.apply('a', thing('a', { spec: { d: null, lost: 2 } }), by('o', true)),
      things.get('a'),
      things.merge('a', { metadata: { finalizers: ['example.com/a'] } }),
      things.apply('a', thing('a', { spec: { a: '1', lost: 1 } }), by('m', true)),
      things.delete('a'),
      things.apply('a', thing('a', { spec: { a: '1', lost: 3 } }), by('m', true)),
      things.delete('a'),
      things.delete('a'),
    ],
  },
  {
    name: 'embedded types that are none, and bytes, under an apply',
    steps: [
      define(
        thingDefinition({
          spec: {
            type: 'object',
            properties: {
              bytes: { ...text, format: 'byte' },
              in: {
                type: 'object',
                'x-kubernetes-embedded-resource': true,
                'x-kubernetes-preserve-unknown-fields': true,
              },
            },
          },
        }),
      ),
      ...[
        { kind: null },
        { apiVersion: 7 },
        { metadata: [] },
        { metadata: { labels: 'x' } },
        { metadata: null },
        { metadata: { labels: {}, unheard: 1, creationTimestamp: null } },
      ].flatMap((part) => [
        things.apply('a', thing('a', { spec: { in: { apiVersion: 'v1', kind: 'Pod', ...part } } }), by('m')),
        things.merge('a', {}),
        things.merge('a', {}),
        things.create(thing('b', { spec: { in: { apiVersion: 'v1', kind: 'Pod', ...part } } }), 'dryRun=All'),
      ]),
      ...[7, 'aGk=', 'x', true].map((bytes) => things.apply('c', thing('c', { spec: { bytes } }), by('m'))),
    ],
  },
  {
    name: 'rules about changes, of writes that change nothing',
    steps: [
      define(
        thingDefinition(
          {
            spec: { type: 'object', properties: { n: withRules({ type: 'integer' }, 'self > oldSelf'), m: text } },
            status: { type: 'object', properties: { n: withRules({ type: 'integer' }, 'self > oldSelf') } },
          },
          { subresources: { status: {} } },
        ),
      ),
      things.create(thing('a', { spec: { n: 1 } })),
      things.merge('a', {}),
      things.apply('a', thing('a'), by('m')),
      things.apply('a', thing('a', { spec: { m: 'x' } }), by('m')),
      things.sub('status').merge('a', { status: { n: 1 } }),
      things.create(thing('b', { spec: { m: 'x' } })),
      things.sub('status').merge('b', { status: { n: 1 } }),
      things.merge('b', {}),
      things.apply('b', thing('b'), by('m')),
      things.sub('status').merge('b', {}),
      things.merge('b', { metadata: { labels: { a: 'b' } } }),
    ],
  },
  {
    name: 'owners of what does not fit, and of items without fields',
    steps: [
      define(
        thingDefinition(
          {
            spec: {
              type: 'object',
              properties: {
                map: { type: 'object', additionalProperties: { type: 'array', items: text } },
                list: {
                  type: 'array',
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['port'],
                  items: { type: 'object', properties: { port: { type: 'integer', default: 80 }, to: text } },
                },
                d: { ...text, default: 'd' },
              },
            },
            status: { type: 'object', properties: { a: text } },
          },
          { subresources: { status: {} } },
        ),
      ),
      things.apply('a', thing('a', { spec: { map: { x: ['y'] } } }), by('m')),
      things
        .sub('status')
        .replace(
          'a',
          thing(
            'a',
            { spec: { map: { x: [1] } }, status: { a: 'x' } },
            { resourceVersion: '{{1.metadata.resourceVersion}}' },
          ),
          by('n'),
        ),
      things.get('a'),
      things.apply('b', thing('b', { spec: { list: [{ to: 'x' }, { port: 81, to: 'y' }] } }), by('m')),
      things.apply('b', thing('b', { spec: { list: [{}, { port: 81, to: 'y' }] } }), by('m')),
      things.get('b'),
      things.apply('c', thing('c', { spec: { list: [{ to: 'x' }] } }), by('m')),
      things.apply('c', thing('c', { spec: { list: [{}] } }), by('m')),
    ],
  },
  {
    name: 'a body of another version than its path',
    steps: [
      define(
        thingDefinition(
          {},
          {},
          {
            versions: ['v1', 'v2'].map((name) => ({
              name,
              served: true,
              storage: name === 'v1',
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: { spec: { type: 'object', properties: { [`only${name}`]: text } } },
                },
              },
            })),
          },
        ),
      ),
      ...['', 'fieldValidation=Strict', 'fieldValidation=Ignore'].map((query) =>
        resource('things', '{{ns}}.example.com/v2').create(thing('a', { spec: { onlyv1: 'x', onlyv2: 'y' } }), query),
      ),
      request('POST', '/apis/{{ns}}.example.com/v2/namespaces/{{ns}}/things', {
        ...thing('a', { spec: { onlyv1: 'x' } }),
        apiVersion: '{{ns}}.example.com/v3',
      }),
    ],
  },
  {
    name: 'namespaces that are deleted twice',
    steps: [
      namespaces.create(
        wide(
          'v1',
          'Namespace',
          { spec: { finalizers: ['example.com/hold'] } },
          { name: '{{ns}}-x', labels: { z: '1', a: '2' } },
        ),
      ),
      namespaces.delete('{{ns}}-x', '', { preconditions: { resourceVersion: '1' } }),
      namespaces.delete('{{ns}}-x', '', { propagationPolicy: 'Foreground' }),
      namespaces.delete('{{ns}}-x', '', { propagationPolicy: 'Orphan' }),
      namespaces.delete('{{ns}}-x'),
      namespaces.merge('{{ns}}-x', { status: [] }),
    ],
  },
  {
    name: 'pages of events',
    steps: [
      events.create(event('a')),
      events.create(event('b')),
      events.list('limit=1'),
      events.list('limit=1&continue={{2.metadata.continue}}'),
      configMaps.create(configMap('a')),
      configMaps.create(configMap('b')),
      configMaps.list('limit=1'),
    ],
  },
  {
    name: 'addresses of two families that cannot be read',
    steps: [
      pods.create(pod('a')),
      ...[['192.0.2.1', 'x'], ['x', 'y'], ['x'], ['192.0.2.1', '2001:db8::1', '192.0.2.2']].map((ips) =>
        pods.sub('status').merge('a', {
          status: { podIPs: ips.map((ip) => ({ ip })), hostIP: ips[0] as string, hostIPs: ips.map((ip) => ({ ip })) },
        }),
      ),
      ...[
        ['x', '192.0.2.0/24'],
        ['192.0.2.0/24', '198.51.100.0/24'],
        ['192.0.2.0/24', '2001:db8::/64', 'x'],
        ['x'],
      ].map((podCIDRs) => nodes.create(node({ podCIDRs }), 'dryRun=All')),
    ],
  },
  {
    name: 'unknown fields of a strategic merge, in their order',
    steps: [
      pods.create(pod('a')),
      pods.strategic('a', {
        spec: { containers: [{ name: 'c', env: [{ name: 'x', b: 1 }], envFrom: [{ b: 1 }], b: 1 }], b: 1 },
        a: 1,
      }),
      resourceSlices.create(slicesOf({ attributes: { x: { string: 'y' } } })),
      resourceSlices.strategic('{{ns}}', {
        spec: { devices: [{ name: 'd0', attributes: { x: { string: 'y', b: 1 }, y: { c: 1, bool: true } } }] },
      }),
      resourceSlices.merge('{{ns}}', { spec: { devices: [{ name: 'd0', attributes: { x: { string: 'y', b: 1 } } }] } }),
    ],
  },
  {
    name: 'signing requests of wrong types',
    steps: [{ extra: { a: ['x', 7] } }, { extra: { a: 7 } }, { request: '' }, { request: null }, { usages: [7] }].map(
      (spec) =>
        signingRequests.create(
          wide('certificates.k8s.io/v1', 'CertificateSigningRequest', {
            spec: { request: 'eA==', signerName: 'example.com/s', usages: ['client auth'], ...spec },
          }),
        ),
    ),
  },
  {
    name: 'a service without addresses that is deleted and written',
    steps: [
      services.sub('status').apply('a', { ...service('a'), status: { loadBalancer: {} } }, by('m')),
      services.delete('a', '', { propagationPolicy: 'Foreground' }),
      services.get('a'),
      services.apply('a', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } }, by('n')),
      services.merge('a', { metadata: { finalizers: null } }),
    ],
  },
  {
    name: 'base64 with too much behind it',
    steps: ['AA==x', 'AA=x', 'AA=', 'AAA=x', 'A=', '=', 'AAAA=', 'AA==\n', 'AA\n=='].map((bin, i) =>
      configMaps.create(object('v1', 'ConfigMap', `a${i}`, { binaryData: { bin } })),
    ),
  },
  {
    name: 'autoscalers of v1 whose status is written again',
    steps: [
      oldAutoscalers.create(
        object('autoscaling/v1', 'HorizontalPodAutoscaler', 'a', {
          spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 2 },
        }),
      ),
      oldAutoscalers.sub('status').merge('a', percent, by('m')),
      autoscalers.get('a'),
      oldAutoscalers.merge('a', {}),
      oldAutoscalers.merge('a', { metadata: { labels: { a: 'b' } } }),
      autoscalers.get('a'),
      oldAutoscalers.sub('status').merge('a', percent, by('n')),
      autoscalers.get('a'),
      oldAutoscalers.sub('status').merge('a', percent, by('n')),
      oldAutoscalers
        .sub('status')
        .replace('a', object('autoscaling/v1', 'HorizontalPodAutoscaler', 'a', percent), by('o')),
    ],
  },
  {
    name: 'a version that does not know all, and its watchers',
    steps: [
      define(
        thingDefinition(
          {},
          {},
          {
            versions: ['v1', 'v2'].map((name) => ({
              name,
              served: true,
              storage: name === 'v1',
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: {
                      type: 'object',
                      properties: { a: text, ...(name === 'v1' ? { d: { ...text, default: 'one' } } : {}) },
                    },
                  },
                },
              },
            })),
          },
        ),
      ),
      things.create(thing('a', { spec: { a: 'x', d: 'mine' } })),
      resource('things', '{{ns}}.example.com/v2').delete('a'),
      things.watch('resourceVersion={{1.metadata.resourceVersion}}', 1),
      resource('things', '{{ns}}.example.com/v2').apply(
        'b',
        { ...thing('b', {}, { labels: {} }), apiVersion: '{{ns}}.example.com/v2' },
        by('m'),
      ),
      things.merge('b', {}),
      resource('things', '{{ns}}.example.com/v2').merge('b', {}),
    ],
  },
  {
    name: 'a scale that makes its spec, and a status that is applied with empty labels',
    steps: [
      define(
        thingDefinition(
          {
            spec: { type: 'object', properties: { n: { type: 'integer' }, d: { ...text, default: 'x' } } },
            status: { type: 'object', properties: { n: { type: 'integer' } } },
          },
          {
            subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
          },
        ),
      ),
      things.create(thing('a')),
      things
        .sub('scale')
        .replace('a', object('autoscaling/v1', 'Scale', 'a', { spec: { replicas: 3 } }, { namespace: '{{ns}}' })),
      things.get('a'),
      things.merge('a', {}),
      things.merge('a', {}),
      things.create(thing('b')),
      things.sub('status').apply('b', thing('b', { status: { n: 1 } }, { labels: {} }), by('m')),
      things.merge('b', {}),
    ],
  },
  {
    name: 'secrets of volumes that come later, and names in capital letters',
    steps: [
      volumes.create(volume({})),
      volumes.merge('{{ns}}', { spec: { csi: { controllerExpandSecretRef: { name: 'a', namespace: 'b' } } } }),
      volumes.merge('{{ns}}', { spec: { csi: { controllerExpandSecretRef: { name: 'c' } } } }),
      volumes.merge('{{ns}}', { spec: { csi: { nodeExpandSecretRef: { name: 'a', namespace: 'b' } } } }),
      resourceSlices.create({ ...slicesOf({}), spec: { ...(slicesOf({}).spec as JsonObject), driver: 'Big' } }),
      storageClasses.create(
        storageClass({
          allowedTopologies: [{ matchLabelExpressions: [{ key: 'beta.kubernetes.io/os', values: ['a'] }] }],
        }),
        'dryRun=All',
      ),
      volumes.create(
        volume({ csi: null, rbd: { monitors: ['m'], image: 'i' }, persistentVolumeReclaimPolicy: 'Recycle' }),
        'dryRun=All',
      ),
    ],
  },
  {
    name: 'the endpoints of a service go with it',
    steps: [
      ...['a', 'b'].map((name) =>
        endpoints.create(object('v1', 'Endpoints', name, {}, name === 'b' ? { finalizers: ['example.com/a'] } : {})),
      ),
      endpoints.create(object('v1', 'Endpoints', 'c')),
      services.create(service('a')),
      services.create(service('b')),
      services.create(service('c', {}, { finalizers: ['example.com/a'] })),
      services.delete('a', 'dryRun=All'),
      endpoints.get('a'),
      services.delete('a'),
      services.delete('b'),
      services.delete('c'),
      endpoints.list(),
      endpoints.create(object('v1', 'Endpoints', 'b')),
      services.merge('c', { metadata: { finalizers: null } }),
      endpoints.list(),
      endpoints.watch('resourceVersion={{0.metadata.resourceVersion}}', 5),
    ],
  },
  {
    name: 'a service that comes to be through its status with families and no policy',
    steps: [
      services.sub('status').replace('a', { ...service('a', { ipFamilies: ['IPv4'] }), status: {} }),
      services.apply('a', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } }, by('m')),
      services
        .sub('status')
        .replace('b', { ...service('b', { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }), status: {} }),
      services.merge('b', {}),
      services.deleteAll(),
    ],
  },
  {
    name: 'texts of a format that nobody knows, under an apply',
    steps: [
      define(thingDefinition({ spec: { type: 'object', properties: { odd: { ...text, format: 'no-such-format' } } } })),
      ...[[], {}, 7, true, 'x'].map((odd) => things.apply('a', thing('a', { spec: { odd } }), by('m'))),
    ],
  },
  {
    name: 'wrong types under an apply to an autoscaler that is owned in two versions',
    steps: [
      autoscalers.apply(
        'a',
        object('autoscaling/v2', 'HorizontalPodAutoscaler', 'a', {
          spec: {
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
            maxReplicas: 10,
            metrics: [],
          },
        }),
        by('m'),
      ),
      oldAutoscalers.apply(
        'a',
        object('autoscaling/v1', 'HorizontalPodAutoscaler', 'a', {
          spec: { minReplicas: 1.5, targetCPUUtilizationPercentage: 60 },
        }),
        by('n'),
      ),
      oldAutoscalers.apply(
        'a',
        object('autoscaling/v1', 'HorizontalPodAutoscaler', 'a', {
          spec: { minReplicas: 2, targetCPUUtilizationPercentage: 60 },
        }),
        by('n'),
      ),
    ],
  },
  {
    name: 'an apply to a stored item that has lost its key',
    steps: [{ name: '' }, {}].flatMap((item, i) => {
      const account = (more: JsonObject): JsonObject => object('v1', 'ServiceAccount', `a${i}`, more)
      return [
        accounts.apply(`a${i}`, account({ secrets: [item] }), by('m')),
        accounts.create(account({ secrets: [item] })),
        accounts.get(`a${i}`),
        accounts.apply(`a${i}`, account({}), by('m', true)),
        accounts.apply(`a${i}`, account({ secrets: [{ name: 'x' }] }), by('n')),
      ]
    }),
  },
  {
    name: 'objects under an apply where a number or a text is asked for',
    steps: [
      define(
        thingDefinition({
          spec: {
            type: 'object',
            properties: {
              one: { 'x-kubernetes-int-or-string': true, nullable: true },
              list: { type: 'array', 'x-kubernetes-list-type': 'set', items: { 'x-kubernetes-int-or-string': true } },
            },
          },
        }),
      ),
      things.apply('a', thing('a', { spec: { one: null, list: [1, '1'] } }), by('m')),
      things.apply('a', thing('a', { spec: { one: { x: 'y' } } }), by('n')),
      things.apply('a', thing('a', { spec: { one: [1], list: [2] } }), by('n')),
      things.apply('a', thing('a', { spec: { one: 5 } }), by('n')),
      things.apply('a', thing('a', { spec: { one: 5 } }), by('n', true)),
      things.apply('a', thing('a', { spec: { one: 'x', list: ['1'] } }), by('m')),
      things.get('a'),
    ],
  },
  {
    name: 'the last write to a job, the status of a cron job, a patch with an item twice',
    steps: [
      jobs.create(
        job(
          'a',
          {
            template: {
              metadata: { labels: { x: 'y' } },
              spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
            },
          },
          { labels: { z: '1' } },
        ),
      ),
      jobs.delete('a', '', { propagationPolicy: 'Orphan' }),
      jobs.sub('status').replace('a', job('a')),
      cronJobs.create(
        object('batch/v1', 'CronJob', 'a', {
          spec: { schedule: '* * * * *', jobTemplate: { spec: job('x').spec as JsonObject } },
        }),
      ),
      cronJobs.sub('status').merge('a', { metadata: { finalizers: ['not a finalizer'], labels: { '-': '' } } }),
      cronJobs.sub('status').merge('a', { metadata: { finalizers: ['plain'] } }),
      services.create(service('a')),
      services.strategic('a', {
        spec: {
          ports: [{ port: 81 }, { port: 81, a: '2' }, { port: 80 }, { port: 80, b: 1 }],
          publishNotReadyAddresses: 7,
        },
      }),
    ],
  },
  {
    name: 'ports of an endpoint slice in a table: none, without a number, by name',
    steps: [[], [{}], [{ name: 'http' }], [{ name: 'http', port: 80 }, {}]].flatMap((ports, i) => [
      slices.create(
        object('discovery.k8s.io/v1', 'EndpointSlice', `s${i}`, { addressType: 'IPv4', endpoints: [], ports }),
      ),
      slices.table(`s${i}`),
    ]),
  },
  {
    name: 'a job whose template has no labels, or an empty map of them, and a patch that changes nothing',
    steps: [undefined, null, {}, { x: 'y' }].flatMap((labels, i) => [
      jobs.create(
        job(`a${i}`, {
          template: {
            ...(labels === undefined ? {} : { metadata: { labels } }),
            spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
          },
        }),
      ),
      jobs.merge(`a${i}`, { spec: { suspend: false } }),
      jobs.get(`a${i}`),
    ]),
  },
  {
    name: 'an autoscaler with metrics that v1 has no field for, written through v1',
    steps: [{ metadata: {} }, { metadata: { labels: { a: 'b' } } }, { spec: { maxReplicas: 11 } }].flatMap(
      (patch, i) => [
        resource('horizontalpodautoscalers', 'autoscaling/v2').create(
          object('autoscaling/v2', 'HorizontalPodAutoscaler', `a${i}`, {
            spec: {
              scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
              maxReplicas: 10,
              metrics: [
                {
                  type: 'Resource',
                  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
                },
                {
                  type: 'External',
                  external: { metric: { name: 'lag' }, target: { type: 'AverageValue', averageValue: '5' } },
                },
              ],
            },
          }),
        ),
        resource('horizontalpodautoscalers', 'autoscaling/v1').merge(`a${i}`, patch, by('m')),
        resource('horizontalpodautoscalers', 'autoscaling/v2').get(`a${i}`),
      ],
    ),
  },
]
