/** JSON patch, merge patch and strategic merge patch. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import type { Step, Topic } from '../case.ts'
import { configMap, deployment, pod, richThing, service } from '../objects.ts'
import { define, prepared, resource, thing, things } from '../steps.ts'

const configMaps = resource('configmaps')
const pods = resource('pods')
const services = resource('services')
const deployments = resource('deployments', 'apps/v1')

const made = prepared(
  configMaps.create(
    configMap(
      'a',
      { a: '1', b: '2' },
      { labels: { l: '1' }, annotations: { 'x.io/y': '3' }, finalizers: ['x.io/a', 'x.io/b'] },
    ),
  ),
)
/** Patches the object of `made` as a dry run, so that every patch starts from the same object. */
const op = (...operations: Json[]): Step => configMaps.json('a', operations, 'dryRun=All')
const merged = (patch: Json): Step => configMaps.merge('a', patch, 'dryRun=All')
const strategic = (patch: Json): Step => configMaps.strategic('a', patch, 'dryRun=All')

const containers = [
  {
    name: 'a',
    image: 'a:1',
    args: ['x', 'y'],
    ports: [{ containerPort: 80 }, { containerPort: 81, name: 'p' }],
    env: [
      { name: 'E', value: '1' },
      { name: 'F', value: '2' },
    ],
  },
  { name: 'b', image: 'b:1', volumeMounts: [{ name: 'v', mountPath: '/v' }] },
]
const rich = deployment(
  'd',
  {},
  {
    containers,
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 'w', emptyDir: {} },
    ],
    tolerations: [{ key: 't', operator: 'Exists' }],
  },
)
const onDeployment = (patch: JsonObject): Step => deployments.strategic('d', patch, 'dryRun=All')
const inTemplate = (spec: JsonObject): Step => onDeployment({ spec: { template: { spec } } })
const inContainer = (more: JsonObject): Step => inTemplate({ containers: [{ name: 'a', ...more }] })

/** Indices of a list, most of them not allowed by RFC 6902. */
const indices = '-1|-2|-3|-4|-0|-01|01|+1|+0|--1|-|1.0|0x1|1_0| 1'
  .split('|')
  .concat('00000000000000000001', '-00000000000000000001', '99999999999999999999')

const brokenTexts = [
  '',
  ' ',
  'null',
  '[]',
  '{}',
  '"x"',
  '5',
  '{',
  '{"data":}',
  '{"data":{"a":"1"}}x',
  'a: b',
  '[{}]',
  '[null]',
  '[1]',
  '[[]]',
  '[{"op":"add"}]',
  '[{"path":"/a"}]',
  '{"op":"add","path":"/a"}',
]

export const patches: Topic = {
  name: 'patches',
  cases: [
    {
      name: 'JSON patch operations',
      steps: [
        made,
        op({ op: 'add', path: '/data/c', value: '3' }),
        op({ op: 'add', path: '/data/a', value: '9' }),
        op({ op: 'replace', path: '/data/a', value: '9' }),
        op({ op: 'remove', path: '/data/a' }),
        op({ op: 'move', from: '/data/a', path: '/data/z' }),
        op({ op: 'copy', from: '/data/a', path: '/data/z' }),
        op({ op: 'test', path: '/data/a', value: '1' }),
        op({ op: 'replace', path: '/metadata/annotations/x.io~1y', value: '9' }),
        op({ op: 'remove', path: '/metadata/annotations/x.io~1y' }),
        op({ op: 'remove', path: '/metadata/annotations/x.io~0y' }),
        op({ op: 'remove', path: '/metadata/annotations/x.io/y' }),
        op({ op: 'add', path: '/metadata/finalizers/-', value: 'x.io/c' }),
        op({ op: 'add', path: '/metadata/finalizers/0', value: 'x.io/c' }),
        op({ op: 'add', path: '/metadata/finalizers/2', value: 'x.io/c' }),
        op({ op: 'remove', path: '/metadata/finalizers/0' }),
        op({ op: 'replace', path: '/metadata/finalizers/1', value: 'x.io/z' }),
        op({ op: 'remove', path: '/metadata/finalizers/-1' }),
        op({ op: 'replace', path: '/data', value: { q: '1' } }),
        op({ op: 'remove', path: '/data' }),
        op({ op: 'add', path: '/metadata/labels/n', value: '1' }),
        op({ op: 'add', path: '/data/', value: 'x' }),
        op({ op: 'test', path: '/data', value: { a: '1', b: '2' } }),
        op({ op: 'test', path: '/metadata/finalizers', value: ['x.io/a', 'x.io/b'] }),
        op({ op: 'test', path: '/data/none', value: null }),
        op({ op: 'add', path: '/data/n', value: '1', extra: true }),
        op(),
        op(
          { op: 'add', path: '/data/c', value: '3' },
          { op: 'test', path: '/data/c', value: '3' },
          { op: 'move', from: '/data/c', path: '/data/d' },
          { op: 'remove', path: '/data/a' },
        ),
        configMaps.json('a', [{ op: 'add', path: '/data/kept', value: '1' }]),
        configMaps.json('a', [{ op: 'test', path: '/data/kept', value: '1' }]),
      ],
    },
    {
      name: 'JSON patch indices below zero',
      steps: [
        made,
        prepared(pods.create(pod('p', { containers }))),
        ...indices.flatMap((index) => {
          const path = `/metadata/finalizers/${index}`
          return [
            op({ op: 'add', path, value: 'x.io/c' }),
            op({ op: 'remove', path }),
            op({ op: 'replace', path, value: 'x.io/c' }),
            op({ op: 'test', path, value: 'x.io/b' }),
            op({ op: 'move', from: path, path: '/data/c' }),
            op({ op: 'move', from: '/data/a', path }),
            op({ op: 'copy', from: path, path: '/data/c' }),
            op({ op: 'copy', from: '/data/a', path }),
          ]
        }),
        op(
          { op: 'replace', path: '/metadata/finalizers', value: [] },
          { op: 'add', path: '/metadata/finalizers/-1', value: 'x.io/c' },
        ),
        op(
          { op: 'replace', path: '/metadata/finalizers', value: [] },
          { op: 'add', path: '/metadata/finalizers/-2', value: 'x.io/c' },
        ),
        ...['-1', '-2', '-3']
          .flatMap((index) => [
            ['add', `/spec/containers/${index}/image`],
            ['remove', `/spec/containers/${index}/args`],
            ['test', `/spec/containers/${index}/image`],
            ['replace', `/spec/containers/${index}/ports/-1/containerPort`],
            ['remove', `/spec/containers/${index}/env/-2`],
            ['add', `/spec/containers/0/env/${index}`],
          ])
          .map(([operation, path]) =>
            pods.json('p', [{ op: operation as string, path: path as string, value: 'a:1' }], 'dryRun=All'),
          ),
      ],
    },
    {
      name: 'JSON patch failures',
      steps: [
        made,
        op({ op: 'test', path: '/data/a', value: '2' }),
        op({ op: 'test', path: '/data/a' }),
        op({ op: 'test', path: '/nowhere/x', value: 1 }),
        op({ op: 'remove', path: '/data/none' }),
        op({ op: 'replace', path: '/data/none', value: '1' }),
        op({ op: 'add', path: '/nowhere/x', value: 1 }),
        op({ op: 'move', from: '/data/none', path: '/data/z' }),
        op({ op: 'copy', from: '/data/none', path: '/data/z' }),
        op({ op: 'move', path: '/data/z' }),
        op({ op: 'bogus', path: '/x' }),
        op({ op: 'add', path: 'data/a', value: '1' }),
        op({ op: 'add', value: '1' }),
        op({ path: '/data/a', value: '1' }),
        op({ op: 'add', path: '/metadata/finalizers/9', value: 'x.io/c' }),
        op({ op: 'add', path: '/metadata/finalizers/x', value: 'x.io/c' }),
        op({ op: 'remove', path: '/metadata/finalizers/9' }),
        op({ op: 'remove', path: '/metadata/finalizers/-' }),
        op({ op: 'add', path: '/data/n', value: 1 }),
        op({ op: 'add', path: '/data/n' }),
        op({ op: 'add', path: '/data/n', value: null }),
        op({ op: 'remove', path: '/metadata/name' }),
        op({ op: 'replace', path: '', value: {} }),
        op({ op: 'replace', path: '', value: [] }),
        op({ op: 'replace', path: '/kind', value: 'Secret' }),
        op({ op: 'remove', path: '/kind' }),
        op({ op: 'replace', path: '/metadata/resourceVersion', value: '1' }),
        op({ op: 'add', path: '/foo', value: 1 }),
        op({ op: 'add', path: '/metadata/labels/bad key', value: 'x' }),
        op({ op: 'remove', path: '' }),
        op({ op: 5, path: '/data/a' }),
        op({ op: 'add', path: 5, value: '1' }),
        op({ OP: 'add', Path: '/data/q', Value: '1' }),
        op({ op: 'ADD', path: '/data/q', value: '1' }),
        ...brokenTexts.map((text) => configMaps.json('a', text, 'dryRun=All')),
        configMaps.json(
          'a',
          Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: '1' })),
          'dryRun=All',
        ),
      ],
    },
    {
      name: 'of what is missing',
      steps: brokenTexts.flatMap((text) => [
        configMaps.json('none', text),
        configMaps.merge('none', text),
        configMaps.strategic('none', text),
        configMaps.apply('none', text, 'fieldManager=m'),
      ]),
    },
    {
      name: 'merge patch',
      steps: [
        made,
        merged({ data: { a: '9', c: '3' } }),
        merged({ data: { a: null } }),
        merged({ data: null }),
        merged({ data: {} }),
        merged({}),
        merged({ metadata: { finalizers: ['x.io/z'] } }),
        merged({ metadata: { labels: null } }),
        merged({ metadata: { labels: { l: null, m: '1' } } }),
        merged({ data: { none: null } }),
        merged({ binaryData: { b: 'AAA=' } }),
        merged({ data: 'x' }),
        merged({ data: { a: 1 } }),
        merged({ data: { a: {} } }),
        merged({ data: [] }),
        merged({ metadata: [] }),
        merged({ metadata: { labels: 'x' } }),
        merged({ metadata: { labels: { x: true } } }),
        merged({ immutable: 'x' }),
        merged({ foo: 1 }),
        merged({ metadata: { foo: 1 } }),
        merged({ metadata: { finalizers: 'x' } }),
        merged({ metadata: { finalizers: [1] } }),
        merged({ metadata: { creationTimestamp: 'x' } }),
        merged({ binaryData: { b: '!' } }),
        ...brokenTexts.map((text) => configMaps.merge('a', text, 'dryRun=All')),
        configMaps.merge('a', { data: { kept: '1' } }),
        configMaps.merge('a', { data: { kept: '1' } }),
        configMaps.merge('a', '{"data":{"a":"1","a":"2"}}', 'dryRun=All'),
        configMaps.merge('a', '{"data":{"__proto__":"x","constructor":"y"}}', 'dryRun=All'),
        configMaps.merge('a', '{"__proto__":{"a":"x"}}', 'dryRun=All'),
      ],
    },
    {
      name: 'strategic merge of maps',
      steps: [
        made,
        strategic({ data: { a: '9', c: '3' } }),
        strategic({ data: { a: null } }),
        strategic({ data: null }),
        strategic({}),
        strategic({ data: { $patch: 'replace', q: '1' } }),
        strategic({ data: { $patch: 'delete' } }),
        strategic({ data: { $patch: 'merge', q: '1' } }),
        strategic({ data: { $patch: 'bogus' } }),
        strategic({ $patch: 'replace', data: { q: '1' } }),
        strategic({ $patch: 'delete' }),
        strategic({ metadata: { finalizers: ['x.io/z'] } }),
        strategic({ metadata: { finalizers: ['x.io/b', 'x.io/z'] } }),
        strategic({ metadata: { '$deleteFromPrimitiveList/finalizers': ['x.io/a'] } }),
        strategic({ metadata: { '$setElementOrder/finalizers': ['x.io/b', 'x.io/a'] } }),
        strategic({
          metadata: {
            '$setElementOrder/finalizers': ['x.io/b', 'x.io/n', 'x.io/a'],
            finalizers: ['x.io/n'],
          },
        }),
        strategic({ metadata: { '$setElementOrder/finalizers': ['x.io/b'], finalizers: ['x.io/n'] } }),
        strategic({ metadata: { '$deleteFromPrimitiveList/finalizers': 'x' } }),
        strategic({ metadata: { '$deleteFromPrimitiveList/none': ['x'] } }),
        strategic({ metadata: { finalizers: null } }),
        strategic({ data: 'x' }),
        strategic({ data: [] }),
        strategic({ metadata: [] }),
        strategic({ data: { a: 1 } }),
        strategic({ foo: 1 }),
        strategic({ foo: { bar: 1 } }),
        strategic({ metadata: { labels: { $retainKeys: ['l'] } } }),
        strategic({ data: { $retainKeys: ['a'], a: '5' } }),
        strategic({ data: { $retainKeys: 'a' } }),
        strategic({ data: { $patch: 5 } }),
        ...brokenTexts.map((text) => configMaps.strategic('a', text, 'dryRun=All')),
        configMaps.strategic('a', { data: { kept: '1' } }),
        configMaps.strategic('a', { data: { kept: '1' } }),
      ],
    },
    {
      name: 'strategic merge of a workload',
      steps: [
        prepared(deployments.create(rich)),
        inTemplate({ containers: [{ name: 'c', image: 'c:1' }] }),
        inTemplate({
          containers: [
            { name: 'd', image: 'd' },
            { name: 'c', image: 'c' },
          ],
        }),
        inTemplate({ containers: [{ name: 'b', image: 'b:2' }] }),
        inTemplate({ containers: [{ name: 'a', $patch: 'delete' }] }),
        inTemplate({ containers: [{ name: 'none', $patch: 'delete' }] }),
        inTemplate({ containers: [{ $patch: 'replace' }, { name: 'z', image: 'z' }] }),
        inTemplate({ containers: [{ name: 'a', image: 'q', $patch: 'replace' }] }),
        inTemplate({ containers: [{ name: 'a', image: 'q', $patch: 'merge' }] }),
        inTemplate({ containers: [{ name: 'a', $patch: 'bogus' }] }),
        inTemplate({ containers: [{ image: 'q' }] }),
        inTemplate({ containers: [{ name: null, image: 'q' }] }),
        inTemplate({ containers: ['x'] }),
        inTemplate({ containers: null }),
        inTemplate({ containers: [] }),
        inTemplate({ containers: {} }),
        inTemplate({ containers: 'x' }),
        inTemplate({ '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] }),
        inTemplate({
          '$setElementOrder/containers': [{ name: 'b' }, { name: 'n' }, { name: 'a' }],
          containers: [{ name: 'n', image: 'n' }],
        }),
        inTemplate({
          '$setElementOrder/containers': [{ name: 'b' }],
          containers: [{ name: 'n', image: 'n' }],
        }),
        inTemplate({ '$setElementOrder/containers': ['b', 'a'] }),
        inTemplate({ '$setElementOrder/containers': 'x' }),
        inTemplate({ '$setElementOrder/containers': [{ image: 'b' }] }),
        inContainer({ args: ['z'] }),
        inContainer({ args: null }),
        inContainer({ '$deleteFromPrimitiveList/args': ['x'] }),
        inContainer({ ports: [{ containerPort: 82 }] }),
        inContainer({ ports: [{ containerPort: 80, name: 'q' }] }),
        inContainer({ ports: [{ containerPort: 81, $patch: 'delete' }] }),
        inContainer({ ports: [{ name: 'x' }] }),
        inContainer({ env: [{ name: 'E', value: null }] }),
        inContainer({ env: [{ name: 'G', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
        inContainer({
          env: [
            { name: 'F', $patch: 'delete' },
            { name: 'E', value: '3' },
          ],
        }),
        inContainer({
          '$setElementOrder/env': [{ name: 'F' }, { name: 'E' }],
          env: [{ name: 'E', value: '9' }],
        }),
        inContainer({ resources: { limits: { cpu: '1' } } }),
        inContainer({ image: null }),
        inContainer({ $retainKeys: ['name', 'image'], image: 'k' }),
        inTemplate({ tolerations: [{ key: 'u', operator: 'Exists' }] }),
        inTemplate({
          volumes: [
            {
              name: 'v',
              $retainKeys: ['name', 'configMap'],
              configMap: { name: 'x' },
            },
          ],
        }),
        inTemplate({ volumes: [{ name: 'v', configMap: { name: 'x' } }] }),
        inTemplate({ volumes: [{ $patch: 'delete', name: 'v' }] }),
        inTemplate({ nodeSelector: { a: 'b' } }),
        inTemplate({ securityContext: { runAsUser: 5 } }),
        inTemplate({ $patch: 'replace', containers: [{ name: 'only', image: 'o' }] }),
        onDeployment({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }),
        onDeployment({ spec: { strategy: { type: 'Recreate' } } }),
        onDeployment({ spec: { strategy: { $patch: 'replace', type: 'Recreate' } } }),
        onDeployment({ spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%' } } } }),
        onDeployment({ spec: { replicas: 'x' } }),
        onDeployment({ spec: { replicas: null } }),
        onDeployment({ spec: { selector: null } }),
        onDeployment({ spec: null }),
        onDeployment({ metadata: { annotations: { a: 'b' } }, spec: { replicas: 3 } }),
        onDeployment({ spec: { template: { metadata: { labels: { app: null } } } } }),
        onDeployment({ status: { replicas: 5 } }),
        deployments.sub('status').strategic('d', { status: { conditions: [{ type: 'A', status: 'True' }] } }),
        deployments.sub('status').strategic('d', { status: { conditions: [{ type: 'B', status: 'False' }] } }),
        deployments.sub('status').strategic('d', { status: { conditions: [{ type: 'A', $patch: 'delete' }] } }),
        deployments.strategic('d', { spec: { template: { spec: { containers: [{ name: 'new', image: 'n' }] } } } }),
        deployments.get('d'),
      ],
    },
    {
      name: 'strategic merge of services and pods',
      steps: [
        prepared(
          services.create(
            service('s', {
              clusterIP: 'None',
              ports: [
                { port: 80, name: 'a' },
                { port: 81, name: 'b' },
              ],
            }),
          ),
        ),
        ...[
          { ports: [{ port: 82, name: 'c' }] },
          { ports: [{ port: 80, targetPort: 8080 }] },
          { ports: [{ port: 80, $patch: 'delete' }] },
          { ports: [{ port: 80, protocol: 'UDP', name: 'u' }] },
          { ports: [{ name: 'x' }] },
          { selector: { a: 'b' } },
          { $setElementOrder: [] },
          { '$setElementOrder/ports': [{ port: 81 }, { port: 80 }] },
        ].map((spec) => services.strategic('s', { spec }, 'dryRun=All')),
        prepared(pods.create(pod('p', { tolerations: [{ key: 'a', operator: 'Exists' }] }))),
        ...[
          { containers: [{ name: 'c', image: 'j:2' }] },
          { activeDeadlineSeconds: 5 },
          { tolerations: [{ key: 'b', operator: 'Exists' }] },
          { containers: [{ name: 'n', image: 'x' }] },
          { nodeName: 'x' },
        ].map((spec) => pods.strategic('p', { spec }, 'dryRun=All')),
        pods.strategic('p', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }] } }),
        pods.strategic('p', { metadata: { ownerReferences: [{ uid: 'u', name: 'y' }] } }),
        pods.strategic('p', { metadata: { ownerReferences: [{ name: 'y' }] } }),
        pods.sub('status').strategic('p', {
          status: { conditions: [{ type: 'Ready', status: 'True' }], podIPs: [{ ip: '10.1.1.1' }] },
        }),
        pods.sub('status').strategic('p', {
          status: {
            conditions: [{ type: 'Ready', status: 'False' }],
            containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0 }],
          },
        }),
        pods.sub('status').strategic('p', { status: { podIPs: [{ ip: '10.1.1.2' }] } }),
      ],
    },
    {
      name: 'patches of custom resources',
      steps: [
        prepared(define(richThing())),
        prepared(
          things.create(
            thing('a', { spec: { size: 's', tags: ['x'], free: { deep: { er: [1] } }, steps: [{ run: 'a' }] } }),
          ),
        ),
        things.merge('a', { spec: { size: null, level: null, free: { deep: { er: null, n: 1 } } } }),
        things.merge('a', { spec: { level: 'x' } }),
        things.merge('a', { spec: { unknown: 1 } }),
        things.merge('a', { spec: null }),
        things.merge('a', { spec: { steps: [{ run: 'b', as: 'c' }] } }),
        things.json('a', [{ op: 'add', path: '/spec/tags', value: ['a', 'b'] }]),
        things.json('a', [{ op: 'add', path: '/spec/tags/-', value: 'a' }]),
        things.json('a', [{ op: 'test', path: '/spec/size', value: 'z' }]),
        things.json('a', [{ op: 'add', path: '/spec/nope/x', value: 1 }]),
        things.json('a', [{ op: 'replace', path: '/kind', value: 'X' }]),
        things.merge('a', { kind: 'X' }),
        things.merge('a', { apiVersion: 'v1' }),
        things.merge('a', { apiVersion: null }),
        things.merge('a', { metadata: { name: 'z' } }),
        things.merge('a', { metadata: { resourceVersion: '1' } }),
        things.merge('a', { metadata: 'x' }),
        things.merge('a', 'x: y'),
        things.merge('a', '[]'),
        things.merge('a', 'null'),
        things.merge('a', ''),
        things.json('a', '{}'),
        things.json('a', ''),
        things.merge('a', { spec: { count: -1 } }),
        things.merge('a', { spec: { count: 1.5 } }),
        things.merge('a', { spec: { count: 2.0 } }, 'dryRun=All'),
        things.merge('a', { status: { phase: 'x' } }),
        things.sub('status').merge('a', { status: { phase: 'x' }, spec: { size: 'q' } }),
        things.sub('status').json('a', [{ op: 'add', path: '/status/replicas', value: 3 }]),
        things.sub('scale').merge('a', { spec: { replicas: 4 } }),
        things.sub('scale').json('a', [{ op: 'replace', path: '/spec/replicas', value: 5 }]),
        things.sub('scale').merge('a', { spec: { replicas: -1 } }),
        things.sub('scale').merge('a', { spec: { replicas: 'x' } }),
        things.sub('scale').merge('a', { spec: null }),
        things.sub('scale').strategic('a', {}),
        things.get('a'),
      ],
    },
    {
      name: 'strategic merge with several directives at once',
      steps: [
        prepared(deployments.create(rich)),
        inTemplate({
          '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }],
          containers: [
            { name: 'a', $patch: 'delete' },
            { name: 'c', image: 'c' },
            { name: 'b', image: 'b:2' },
          ],
        }),
        inTemplate({
          '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
          '$setElementOrder/volumes': [{ name: 'w' }, { name: 'v' }],
          volumes: [{ name: 'w', $retainKeys: ['hostPath', 'name'], hostPath: { path: '/x' } }],
        }),
        inContainer({
          '$setElementOrder/ports': [{ containerPort: 81 }, { containerPort: 80 }],
          ports: [{ containerPort: 80, protocol: 'UDP' }],
        }),
        inContainer({ ports: [{ $patch: 'replace' }, { containerPort: 90 }] }),
        inContainer({ env: [{ $patch: 'replace' }] }),
        inTemplate({ containers: [{ $patch: 'delete' }] }),
        inTemplate({ containers: [{ $patch: 'merge' }, { name: 'a', image: 'x' }] }),
        onDeployment({
          metadata: {
            annotations: { $patch: 'delete' },
            labels: { $patch: 'replace', z: '1' },
          },
        }),
        onDeployment({ spec: { $retainKeys: ['selector', 'template'], template: {} } }),
        onDeployment({ spec: { $retainKeys: ['replicas'], replicas: 2 } }),
        onDeployment({ spec: { $retainKeys: ['replicas'], paused: true } }),
      ],
    },
  ],
}
