/** fieldValidation: unknown and duplicate fields, for every verb, as errors, as warnings, or ignored. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Step, Topic } from '../case.ts'
import { configMap, deployment, pod, richThing, service } from '../objects.ts'
import { define, prepared, resource, thing, thingDefinition, things } from '../steps.ts'

const configMaps = resource('configmaps')
const deployments = resource('deployments', 'apps/v1')
const pods = resource('pods')
const levels = ['', 'fieldValidation=Warn', 'fieldValidation=Strict', 'fieldValidation=Ignore']
const dry = (level: string): string => (level === '' ? 'dryRun=All' : `${level}&dryRun=All`)
const each = (step: (options: string) => Step): Step[] => levels.map((level) => step(dry(level)))

const unknown = { ...configMap('a', {}, { foo: 1, labels: {} }), bar: 2 }
const twice = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","name":"a"},"data":{"a":"1","a":"2"}}'
const both =
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","foo":1,"foo":2},"data":{"a":"1","a":"2"},' +
  '"bar":{"x":1,"x":2}}'
const yamlType = { headers: { 'content-type': 'application/yaml' } }
const yamlTwice = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, name: a}\ndata: {a: "1", a: "2"}\nfoo: 1\n'
const many = Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [`unknownFieldNumber${String(i).padStart(2, '0')}`, i]),
)
const long = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${'long'.repeat(70)}${i}`, i]))

const nested: readonly JsonObject[] = [
  {
    containers: [
      { name: 'c', image: 'i', foo: 1 },
      { name: 'd', image: 'i', bar: 1 },
    ],
  },
  { foo: { bar: [1] } },
  {
    containers: [
      {
        name: 'c',
        image: 'i',
        env: [{ name: 'E', valueFrom: { fieldRef: { fieldPath: 'metadata.name', foo: 1 } } }],
        resources: { limits: { cpu: '1' }, foo: {} },
      },
    ],
  },
  { securityContext: { foo: 1 }, affinity: { nodeAffinity: { foo: 1 } } },
  { volumes: [{ name: 'v', emptyDir: { foo: 1 }, bar: 1 }] },
  { Containers: [], nodename: 'x' },
  { nodeSelector: { anything: 'goes' }, tolerations: [{ foo: 1 }] },
  {
    containers: [
      {
        name: 'c',
        image: 'i',
        livenessProbe: { httpGet: { port: 80, foo: 1 } },
        lifecycle: { preStop: { foo: 1 } },
      },
    ],
  },
  { initContainers: [{ name: 'x', image: 'y', z: 1 }], containers: [{ name: 'c', image: 'i', Image: 'j' }] },
]

export const fields: Topic = {
  name: 'fields',
  cases: [
    {
      name: 'on create',
      steps: [
        ...each((options) => configMaps.create(unknown, options)),
        ...each((options) => configMaps.create(twice, options)),
        ...each((options) => configMaps.create(both, options)),
        ...each((options) => configMaps.create(yamlTwice, options, yamlType)),
      ],
    },
    {
      name: 'on update',
      steps: [
        prepared(configMaps.create(configMap('a'))),
        ...each((options) => configMaps.replace('a', unknown, options)),
        ...each((options) => configMaps.replace('a', twice, options)),
        ...each((options) => configMaps.replace('a', both, options)),
        ...each((options) => configMaps.replace('a', yamlTwice, options, yamlType)),
      ],
    },
    {
      name: 'by patch',
      steps: [
        prepared(configMaps.create(configMap('a'))),
        ...each((options) => configMaps.merge('a', { metadata: { foo: 1 }, bar: 2 }, options)),
        ...each((options) => configMaps.strategic('a', { metadata: { foo: 1 }, bar: 2 }, options)),
        ...each((options) =>
          configMaps.json(
            'a',
            [
              { op: 'add', path: '/bar', value: 2 },
              { op: 'add', path: '/metadata/foo', value: 1 },
            ],
            options,
          ),
        ),
        ...each((options) => configMaps.merge('a', '{"data":{"a":"1","a":"2"},"bar":1}', options)),
        ...each((options) => configMaps.strategic('a', '{"data":{"a":"1","a":"2"},"bar":1}', options)),
        ...each((options) =>
          configMaps.json('a', '[{"op":"add","op":"add","path":"/data/x","value":"1","more":2}]', options),
        ),
        ...each((options) => configMaps.apply('a', { ...configMap('a'), bar: 2 }, `${options}&fieldManager=m`)),
        ...each((options) =>
          configMaps.apply(
            'a',
            'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {u: "1", u: "2"}\n',
            `${options}&fieldManager=m`,
          ),
        ),
        ...each((options) =>
          configMaps.apply(
            'b',
            'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, name: b}\n',
            `${options}&fieldManager=m`,
          ),
        ),
      ],
    },
    {
      name: 'in nested places',
      steps: nested.flatMap((spec) => [
        pods.create(pod('p', spec), 'fieldValidation=Strict&dryRun=All'),
        deployments.create(deployment('d', { bad: 1 }, spec), 'fieldValidation=Warn&dryRun=All'),
      ]),
    },
    {
      name: 'in nested patches',
      steps: [
        prepared(deployments.create(deployment('d'))),
        ...nested.flatMap((spec) => [
          deployments.merge('d', { spec: { template: { spec } } }, 'fieldValidation=Strict&dryRun=All'),
          deployments.strategic('d', { spec: { template: { spec } } }, 'fieldValidation=Warn&dryRun=All'),
          deployments.strategic('d', { spec: { template: { spec } } }, 'fieldValidation=Strict&dryRun=All'),
        ]),
      ],
    },
    {
      name: 'in subresources',
      steps: [
        prepared(deployments.create(deployment('d'))),
        ...each((options) => deployments.sub('status').merge('d', { status: { foo: 1 }, bar: 1 }, options)),
        ...each((options) => deployments.sub('scale').merge('d', { spec: { foo: 1 }, bar: 1 }, options)),
        ...each((options) =>
          deployments.sub('scale').replace('d', { metadata: { name: 'd' }, spec: { replicas: 1, foo: 1 } }, options),
        ),
        ...each((options) =>
          resource('serviceaccounts')
            .sub('token')
            .create({ spec: { foo: 1 } }, options),
        ),
      ],
    },
    {
      name: 'more than a header holds',
      steps: [
        configMaps.create({ ...configMap('a'), ...many }, 'dryRun=All'),
        configMaps.create({ ...configMap('a'), ...long }, 'dryRun=All'),
        configMaps.create({ ...configMap('a'), ...many }, 'dryRun=All&fieldValidation=Strict'),
        configMaps.create({ ...configMap('a'), ['"\\\n'.repeat(3)]: 1 }, 'dryRun=All'),
        configMaps.create({ ...configMap('a'), [`x${'y'.repeat(300)}`]: 1 }, 'dryRun=All'),
        configMaps.create({ ...configMap('a'), ...many, ...long }, 'dryRun=All'),
      ],
    },
    {
      name: 'with other warnings',
      steps: [
        configMaps.create(
          {
            ...configMap(
              'a',
              {},
              {
                ownerReferences: [
                  { apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' },
                  { apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' },
                ],
              },
            ),
            foo: 1,
          },
          'dryRun=All',
        ),
        resource('endpoints').create(
          { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'e' }, foo: 1 },
          'dryRun=All',
        ),
        pods.create(pod('p', { foo: 1, nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }), 'dryRun=All'),
        resource('services').create(service('s', { foo: 1, externalIPs: ['1.2.3.4'] }), 'dryRun=All'),
        configMaps.create({ ...configMap('Bad_'), foo: 1 }, 'dryRun=All'),
        configMaps.create({ ...configMap('a'), foo: 1, data: { a: 1 } }, 'dryRun=All'),
        configMaps.create({ ...configMap('a'), foo: 1, kind: 'Secret' }, 'dryRun=All'),
        configMaps.create({ ...configMap('a'), foo: 1, data: { a: 1 } }, 'dryRun=All&fieldValidation=Strict'),
      ],
    },
    {
      name: 'of custom resources',
      steps: [
        prepared(define(richThing())),
        things.create(thing('a')),
        ...each((options) => things.create(thing('b', { spec: { unknown: 1, extra: { deep: 1 } }, top: 1 }), options)),
        ...each((options) =>
          things.create(
            '{"apiVersion":"{{ns}}.example.com/v1","kind":"Thing","metadata":{"name":"b","name":"b"},' +
              '"spec":{"size":"a","size":"b","unknown":1}}',
            options,
          ),
        ),
        ...each((options) =>
          things.replace(
            'a',
            thing('a', { spec: { unknown: 1 } }, { resourceVersion: '{{1.metadata.resourceVersion}}', foo: 1 }),
            options,
          ),
        ),
        ...each((options) => things.merge('a', { spec: { unknown: 1 }, metadata: { foo: 1 } }, options)),
        ...each((options) => things.json('a', [{ op: 'add', path: '/spec', value: { unknown: 1 } }], options)),
        ...each((options) => things.apply('a', thing('a', { spec: { unknown: 1 } }), `${options}&fieldManager=m`)),
        ...each((options) => things.sub('status').merge('a', { status: { unknown: 1 } }, options)),
        ...each((options) =>
          things.create(
            thing(
              'b',
              {
                spec: {
                  ports: [{ port: 1, unknown: 1 }],
                  steps: [{ run: 'x', walk: 'y' }],
                  labels: { any: 'x' },
                  free: { any: { thing: 1 } },
                  whole: { c: '1' },
                },
              },
              { foo: 1, ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u', bar: 1 }] },
            ),
            options,
          ),
        ),
        ...each((options) =>
          things.create(
            `apiVersion: {{ns}}.example.com/v1\nkind: Thing\nmetadata: {name: b}\nspec: {size: a, size: b}\n`,
            options,
            yamlType,
          ),
        ),
        ...each((options) => things.merge('a', '{"spec":{"size":"a","size":"b"}}', options)),
      ],
    },
    {
      name: 'of embedded resources',
      steps: [
        prepared(
          define(
            thingDefinition({
              spec: {
                type: 'object',
                properties: {
                  template: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
                  },
                  any: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                },
              },
            }),
          ),
        ),
        ...each((options) =>
          things.create(
            thing('b', {
              spec: {
                template: {
                  apiVersion: 'v1',
                  kind: 'X',
                  metadata: { name: 'x', foo: 1 },
                  spec: { a: '1', b: 1 },
                },
              },
            }),
            options,
          ),
        ),
        things.create(thing('b', { spec: { template: { kind: 'X' } } }), 'dryRun=All'),
        things.create(
          thing('b', {
            spec: {
              any: {
                apiVersion: 'v1',
                kind: 'X',
                metadata: { name: 'x', labels: { 'bad key': 'x' } },
              },
            },
          }),
          'dryRun=All',
        ),
      ],
    },
  ],
}
