/** Server-side apply to kinds with list types, subresources and schemas that differ. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Step, Topic } from '../case.ts'
import { controller, deployment, object, pod, richThing, service, workload } from '../objects.ts'
import { define, prepared, resource, thing, things } from '../steps.ts'

const deployments = resource('deployments', 'apps/v1')
const services = resource('services')
const pods = resource('pods')

const partDeployment = (spec: JsonObject, metadata: JsonObject = {}): JsonObject =>
  object('apps/v1', 'Deployment', 'd', { spec }, metadata)
const deploy = (m: string, spec: JsonObject, options = ''): Step =>
  deployments.apply('d', partDeployment(spec), `fieldManager=${m}${options}`)
const full = (more: JsonObject = {}, podSpec: JsonObject = {}): JsonObject =>
  deployment('d', more, podSpec)['spec'] as JsonObject
const containers = (...list: JsonObject[]): JsonObject => ({ template: { spec: { containers: list } } })

const applyThing = (m: string, spec: JsonObject, options = ''): Step =>
  things.apply('t', thing('t', { spec }), `fieldManager=${m}${options}`)
const ports = (...list: JsonObject[]): JsonObject =>
  object('v1', 'Service', 's', { spec: { clusterIP: 'None', ports: list } })

/** Applies a scalable workload through each of its subresources. */
const scaled = (plural: string, version: string, body: JsonObject): Step[] => {
  const all = resource(plural, version)
  const scale = all.sub('scale')
  const status = all.sub('status')
  const name = 'w'
  const to = (replicas: number): JsonObject => object('autoscaling/v1', 'Scale', name, { spec: { replicas } })
  const part = (content: JsonObject, metadata: JsonObject = {}): JsonObject =>
    object(body['apiVersion'] as string, body['kind'] as string, name, content, metadata)
  return [
    all.apply(name, body, 'fieldManager=owner'),
    scale.get(name),
    scale.replace(name, to(3)),
    scale.replace(name, to(3)),
    scale.replace(name, to(4), 'fieldManager=hpa'),
    scale.replace(name, to(5), 'fieldManager=hpa'),
    all.get(name),
    scale.apply(name, to(7), 'fieldManager=sca'),
    scale.apply(name, to(7), 'fieldManager=sca&force=true'),
    scale.apply(name, to(8), 'fieldManager=sca'),
    all.get(name),
    all.apply(name, body, 'fieldManager=owner'),
    all.apply(name, part({ spec: { replicas: 2 } }), 'fieldManager=other'),
    all.apply(name, part({ spec: { replicas: 2 } }), 'fieldManager=other&force=true'),
    scale.merge(name, { spec: { replicas: 6 } }, 'fieldManager=cli'),
    scale.merge(name, { spec: { replicas: 6 } }, 'fieldManager=cli'),
    scale.merge(name, { spec: { replicas: 1 } }, 'fieldManager=cli'),
    scale.json(name, [{ op: 'replace', path: '/spec/replicas', value: 4 }]),
    scale.strategic(name, { spec: { replicas: 2 } }),
    all.get(name),
    scale.merge(name, { metadata: { labels: { a: 'b' } }, status: { replicas: 9 } }),
    scale.replace(name, { metadata: { name }, spec: {} }),
    scale.replace(name, {}),
    scale.replace(name, { metadata: { name: 'x' } }),
    scale.replace(name, { ...to(1), metadata: { name, resourceVersion: '1' } }),
    scale.replace(name, { ...to(1), metadata: { name, uid: 'abc' } }),
    scale.replace(name, to(9), 'dryRun=All'),
    scale.merge(name, { spec: { replicas: 'x' } }),
    scale.merge(name, { spec: { foo: 1 } }),
    scale.merge(name, { spec: { foo: 1 } }, 'fieldValidation=Strict'),
    scale.merge(name, { spec: { replicas: -1 } }),
    scale.replace(name, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } }),
    scale.apply(name, part({ spec: {} }), 'fieldManager=sca'),
    all.get(name),
    status.apply(name, part({ status: { replicas: 1 } }), 'fieldManager=st'),
    status.apply(name, part({ status: { replicas: 2 } }), 'fieldManager=st2'),
    status.apply(
      name,
      part({ status: { replicas: 2 }, spec: { replicas: 9 } }, { labels: { z: '1' } }),
      'fieldManager=st',
    ),
    status.merge(name, { status: { replicas: 3 }, metadata: { labels: { q: '1' } } }, 'fieldManager=ctl'),
    all.get(name),
    status.merge(name, { status: null }),
    all.get(name),
  ]
}

export const applyKinds: Topic = {
  name: 'apply-kinds',
  cases: [
    {
      name: 'lists of a workload',
      steps: [
        deploy(
          'm1',
          full(
            { replicas: 3 },
            {
              containers: [
                {
                  name: 'c',
                  image: 'i:1',
                  ports: [{ containerPort: 80 }],
                  env: [{ name: 'E', value: '1' }],
                },
              ],
            },
          ),
        ),
        deploy('m1', full({}, { containers: [{ name: 'c', image: 'i:1', ports: [{ containerPort: 80 }] }] })),
        deploy('m2', containers({ name: 'c', image: 'j' })),
        deploy('m2', containers({ name: 'c', env: [{ name: 'F', value: '2' }] }, { name: 'd', image: 'k' })),
        deploy('m2', containers({ name: 'c', image: 'j' }, { name: 'd', image: 'k' }), '&force=true'),
        deploy('m2', containers({ name: 'd', image: 'k' })),
        deploy('m2', containers({ name: 'c', ports: [{ containerPort: 80, protocol: 'TCP', name: 'http' }] })),
        deploy('m3', containers({ name: 'c', ports: [{ containerPort: 80, name: 'other' }] })),
        deploy('m3', containers({ name: 'c', ports: [{ containerPort: 80, protocol: 'UDP', name: 'udp' }] })),
        deploy('m3', containers({ name: 'c', args: ['a', 'b'] })),
        deploy('m4', containers({ name: 'c', args: ['a', 'c'] })),
        deploy('m3', containers({ name: 'c', resources: { limits: { cpu: '1', memory: '1024Mi' } } })),
        deploy('m4', containers({ name: 'c', resources: { limits: { cpu: '1000m' } } })),
        deploy('m3', { replicas: 5 }),
        deployments.merge('d', { spec: { replicas: 6 } }, 'fieldManager=u'),
        deploy('m3', { replicas: 7 }),
        deploy('m3', { replicas: 7 }, '&force=true'),
        deploy('m3', {}),
        deployments.get('d'),
        deploy('m1', full({}, { containers: [] })),
        deploy('m5', { strategy: { type: 'Recreate' } }),
        deploy('m5', { strategy: { rollingUpdate: { maxSurge: 1 } } }),
        deploy('m5', { selector: { matchLabels: { app: 'y' } } }),
        ...[
          containers({ name: 'c', image: 'j' }, { name: 'c', image: 'k' }),
          containers({ image: 'j' }),
          containers({ name: 5 }),
          containers({ name: 'c', ports: [{ containerPort: 'x' }] }),
          containers({ name: 'c', ports: [{ name: 'x' }] }),
          containers({ name: 'c', ports: [{ containerPort: 1 }, { containerPort: 1 }] }),
          { replicas: 'x' },
          { replicas: 1.5 },
          { foo: 1 },
          { template: 'x' },
          { template: { spec: { containers: {} } } },
          { template: { spec: { containers: null } } },
          { template: { spec: { containers: [null] } } },
          containers({ name: 'c', env: [{ value: 'x' }] }),
          { strategy: { rollingUpdate: { maxSurge: true } } },
        ].map((spec) => deploy('bad', spec as JsonObject)),
        deploy(
          'm1',
          full(
            {},
            {
              volumes: [{ name: 'v', emptyDir: {} }],
              tolerations: [{ key: 'a', operator: 'Exists' }],
              nodeSelector: { a: 'b' },
              affinity: {},
            },
          ),
        ),
        deploy('m2', {
          template: {
            spec: {
              tolerations: [{ key: 'b', operator: 'Exists' }],
              nodeSelector: { c: 'd' },
            },
          },
        }),
        deploy('m2', { template: { spec: { volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }] } } }),
      ],
    },
    {
      name: 'ports of a service',
      steps: [
        services.apply('s', ports({ port: 80 }, { port: 81, name: 'b', protocol: 'UDP' }), 'fieldManager=m1'),
        services.apply(
          's',
          ports({ port: 80, name: 'a' }, { port: 81, name: 'b', protocol: 'UDP' }),
          'fieldManager=m1',
        ),
        services.apply('s', ports({ port: 80, protocol: 'TCP', name: 'x' }), 'fieldManager=m2'),
        services.apply('s', ports({ port: 80, protocol: 'UDP', name: 'x' }), 'fieldManager=m2'),
        services.apply('s', ports({ port: 82, name: 'y', targetPort: 'z' }), 'fieldManager=m2'),
        services.apply('s', ports(), 'fieldManager=m2'),
        services.apply('s', ports({ port: 80, name: 'a' }), 'fieldManager=m1'),
        services.apply(
          's',
          object('v1', 'Service', 's', { spec: { selector: { a: 'b' }, sessionAffinity: 'None' } }),
          'fieldManager=m3',
        ),
        services.apply('s', object('v1', 'Service', 's', { spec: { type: 'NodePort' } }), 'fieldManager=m3'),
        services.merge('s', { spec: { ports: [{ port: 90, name: 'n' }] } }, 'fieldManager=u'),
        services.apply('s', ports({ port: 90, name: 'o' }), 'fieldManager=m1'),
        services
          .sub('status')
          .apply(
            's',
            object('v1', 'Service', 's', { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } }),
            'fieldManager=lb',
          ),
        services.create(service('t', { clusterIP: 'None' })),
        services.apply('t', service('t', { clusterIP: 'None', ports: [{ port: 80, name: 'new' }] }), 'fieldManager=m'),
        services.apply(
          't',
          service('t', { clusterIP: 'None', ports: [{ port: 80, name: 'new' }] }),
          'fieldManager=m&force=true',
        ),
      ],
    },
    {
      name: 'pods',
      steps: [
        pods.apply(
          'p',
          pod('p', { tolerations: [{ key: 'a', operator: 'Exists' }] }, { labels: { a: '1' } }),
          'fieldManager=m',
        ),
        pods.sub('status').apply(
          'p',
          object('v1', 'Pod', 'p', {
            status: {
              podIP: '10.1.1.1',
              podIPs: [{ ip: '10.1.1.1' }],
              conditions: [{ type: 'Ready', status: 'True' }],
            },
          }),
          'fieldManager=k',
        ),
        pods
          .sub('status')
          .apply(
            'p',
            object('v1', 'Pod', 'p', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
            'fieldManager=j',
          ),
        pods
          .sub('status')
          .apply(
            'p',
            object('v1', 'Pod', 'p', { status: { conditions: [{ type: 'Other', status: 'False' }] } }),
            'fieldManager=j',
          ),
        pods.sub('status').apply('p', object('v1', 'Pod', 'p', { status: {} }), 'fieldManager=k'),
        pods
          .sub('status')
          .apply(
            'p',
            object('v1', 'Pod', 'p', { spec: { nodeName: 'x' }, status: { phase: 'Running' } }, { labels: { s: '1' } }),
            'fieldManager=l',
          ),
        pods.get('p'),
        pods.apply('p', pod('p', { containers: [{ name: 'c', image: 'j' }] }), 'fieldManager=m'),
        pods.apply('p', pod('p', { nodeName: 'n' }), 'fieldManager=m'),
        pods.sub('status').apply('absent', object('v1', 'Pod', 'absent', { status: {} }), 'fieldManager=k'),
      ],
    },
    {
      name: 'custom resources',
      steps: [
        prepared(define(richThing())),
        applyThing('m1', {
          size: 's',
          tags: ['a', 'b'],
          ports: [{ port: 1 }],
          labels: { x: '1' },
          whole: { a: '1' },
          steps: [{ run: 'a' }],
          free: { list: [1], deep: { k: 'v' } },
          either: 5,
        }),
        applyThing('m1', {
          size: 's',
          tags: ['a', 'b'],
          ports: [{ port: 1 }],
          labels: { x: '1' },
          whole: { a: '1' },
          steps: [{ run: 'a' }],
          free: { list: [1], deep: { k: 'v' } },
          either: 5,
        }),
        applyThing('m2', { tags: ['b', 'c'] }),
        applyThing('m1', { tags: ['a'] }),
        applyThing('m2', { tags: ['c'] }),
        applyThing('m2', {
          ports: [
            { port: 1, name: 'n' },
            { port: 1, protocol: 'UDP' },
          ],
        }),
        applyThing('m1', { ports: [{ port: 1, protocol: 'TCP', name: 'o' }] }),
        applyThing('m1', { whole: { a: '1' } }),
        applyThing('m2', { whole: { b: '1' } }),
        applyThing('m2', { whole: { a: '1' } }),
        applyThing('m2', { whole: { b: '1' } }, '&force=true'),
        applyThing('m1', { steps: [{ run: 'a' }, { run: 'b' }] }),
        applyThing('m2', { steps: [{ run: 'a' }, { run: 'c' }] }),
        applyThing('m1', { free: { list: [1, 2], deep: { k: 'v', l: 1 } } }),
        applyThing('m2', { free: { list: [3], deep: { k: 'w' } } }),
        applyThing('m2', { level: 5 }),
        applyThing('m2', {}),
        applyThing('m1', { labels: { y: '1' } }),
        applyThing('m2', { labels: { y: '2' } }),
        applyThing('m2', { unknown: 1, size: 'z' }),
        applyThing('m2', { size: 5 }),
        applyThing('m2', { tags: ['x', 'x'] }),
        applyThing('m2', { ports: [{ port: 1 }, { port: 1 }] }),
        applyThing('m2', { ports: [{ name: 'x' }] }),
        applyThing('m2', { size: null }),
        applyThing('m2', { tags: [5] }),
        applyThing('m2', { count: -1 }),
        applyThing('m2', { either: '5%' }),
        applyThing('m3', { either: 6 }),
        things.sub('status').apply('t', thing('t', { status: { phase: 'x' }, spec: { size: 'q' } }), 'fieldManager=st'),
        things.sub('status').merge('t', { status: { phase: 'y' } }),
        things.sub('status').apply('t', thing('t', { status: { phase: 'z' } }), 'fieldManager=st'),
        things.get('t'),
        things.apply('t', { ...thing('t'), kind: 'X' }, 'fieldManager=m'),
        things.apply('t', thing('u'), 'fieldManager=m'),
        things.apply('t', 'x', 'fieldManager=m'),
        things.apply('t', '', 'fieldManager=m'),
        things.apply('t', thing('t', {}, { managedFields: [] }), 'fieldManager=m'),
        things.merge('t', { spec: { tags: ['z'], ports: [{ port: 9 }] } }, 'fieldManager=u'),
        applyThing('m9', { tags: ['z'], ports: [{ port: 9, name: 'q' }] }),
      ],
    },
    {
      name: 'scale of custom resources',
      steps: [
        prepared(define(richThing())),
        ...scaled('things', '{{ns}}.example.com/v1', thing('w', { spec: { count: 1 } })),
        things.create(thing('n', { spec: { size: 's' } })),
        things.sub('scale').get('n'),
        things.sub('scale').replace('n', object('autoscaling/v1', 'Scale', 'n', { spec: { replicas: 1 } })),
        things.sub('scale').merge('n', { spec: { replicas: 1 } }),
        things.sub('scale').get('n'),
        things.sub('scale').merge('n', { spec: { replicas: 0 } }),
        things.get('n'),
        things.create(thing('e', { spec: {} })),
        things.sub('scale').replace('e', { metadata: { name: 'e' }, spec: {} }),
        things
          .sub('scale')
          .apply('e', object('autoscaling/v1', 'Scale', 'e', { spec: { replicas: 4 } }), 'fieldManager=m'),
      ],
    },
    {
      name: 'scale and status of Deployments',
      steps: scaled('deployments', 'apps/v1', workload('Deployment', 'w')),
    },
    {
      name: 'scale and status of ReplicaSets',
      steps: scaled('replicasets', 'apps/v1', workload('ReplicaSet', 'w', { replicas: 2 })),
    },
    {
      name: 'scale and status of StatefulSets',
      steps: scaled('statefulsets', 'apps/v1', workload('StatefulSet', 'w', { replicas: 2 })),
    },
    {
      name: 'scale and status of ReplicationControllers',
      steps: scaled('replicationcontrollers', 'v1', controller('w')),
    },
  ],
}
