/** The official JavaScript client with its default settings: typed API, patches, generic objects, watch, informer. */
import assert from 'node:assert/strict'
import * as k8s from '@kubernetes/client-node'

const namespace = 'node'
const config = new k8s.KubeConfig()
config.loadFromDefault()
const core = config.makeApiClient(k8s.CoreV1Api)
const apps = config.makeApiClient(k8s.AppsV1Api)
const objects = k8s.KubernetesObjectApi.makeApiClient(config)

const configMap = (name, data, labels) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels }, data })
const names = (list) => list.map((each) => each.metadata.name).sort()

/** The Status of a call that must fail with `code`. */
async function refused(code, call) {
  const error = await call.then(() => assert.fail(`not refused with ${code}`), (error) => error)
  assert.equal(error.code, code, error)
  return JSON.parse(error.body)
}

/** Waits until `check` holds; `what` is the failure's text. */
async function eventually(check, what) {
  for (const end = Date.now() + 60_000; !(await check()); ) {
    assert(Date.now() < end, `not within 60 s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function createReadReplace() {
  const { gitVersion } = await config.makeApiClient(k8s.VersionApi).getCode()
  assert.match(gitVersion, /^v1\.35\./)
  await core.createNamespace({ body: { metadata: { name: namespace } } })
  const made = await core.createNamespacedConfigMap({ namespace, body: configMap('settings', { a: '1' }, { app: 'x' }) })
  assert(made.metadata.creationTimestamp instanceof Date)
  const replaced = await core.replaceNamespacedConfigMap({ name: 'settings', namespace, body: { ...made, data: { a: '2' } } })
  assert.equal(replaced.data.a, '2')
  const { items } = await core.listNamespacedConfigMap({ namespace, labelSelector: 'app=x', limit: 1 })
  assert.deepEqual(names(items), ['settings'])
  const stale = core.replaceNamespacedConfigMap({ name: 'settings', namespace, body: made })
  assert.match((await refused(409, stale)).message, /the object has been modified/)
  assert.equal((await refused(404, core.readNamespacedSecret({ name: 'none', namespace }))).reason, 'NotFound')
  const bad = core.createNamespacedService({ namespace, body: { metadata: { name: 'bad' }, spec: { ports: [{ port: 70_000 }] } } })
  assert.deepEqual((await refused(422, bad)).details.causes.map((each) => each.field), ['spec.ports[0].port', 'spec.ports[0].targetPort'])
}

async function patches() {
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] } }
  const deployment = { metadata: { name: 'web' }, spec: { replicas: 1, selector: { matchLabels: labels }, template } }
  await apps.createNamespacedDeployment({ namespace, body: deployment })
  const patch = (kind, body) => {
    return apps.patchNamespacedDeployment({ name: 'web', namespace, body }, k8s.setHeaderOptions('Content-Type', kind))
  }
  const json = await patch(k8s.PatchStrategy.JsonPatch, [{ op: 'replace', path: '/spec/replicas', value: 2 }])
  assert.equal(json.spec.replicas, 2)
  const containers = [{ name: 'log', image: 'registry.example/log:1' }]
  const strategic = await patch(k8s.PatchStrategy.StrategicMergePatch, { spec: { template: { spec: { containers } } } })
  assert.deepEqual(strategic.spec.template.spec.containers.map((each) => each.name), ['log', 'web'])
  const merged = await patch(k8s.PatchStrategy.MergePatch, { spec: { template: { spec: { containers } } } })
  assert.deepEqual(merged.spec.template.spec.containers.map((each) => each.name), ['log'])
  const scale = await apps.readNamespacedDeploymentScale({ name: 'web', namespace })
  await apps.replaceNamespacedDeploymentScale({ name: 'web', namespace, body: { ...scale, spec: { replicas: 4 } } })
  assert.equal((await apps.readNamespacedDeployment({ name: 'web', namespace })).spec.replicas, 4)
}

async function genericObjects() {
  const group = 'node.coxswain.dev'
  // This client knows the type and calls the field `default` so; under its own name it would not be sent.
  const size = { type: 'integer', minimum: 1, _default: 3 }
  const spec = { type: 'object', properties: { size }, _default: {} }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  await objects.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${group}` },
    spec: {
      group, scope: 'Namespaced', names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
  const gadget = { apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name: 'g', namespace } }
  await eventually(() => objects.list(gadget.apiVersion, 'Gadget', namespace).then(() => true, () => false), 'gadgets are served')
  assert.equal((await objects.create(gadget)).spec.size, 3)
  const apply = (size, manager, force) => {
    const spec = { ...gadget, spec: { size } }
    return objects.patch(spec, undefined, undefined, manager, force, k8s.PatchStrategy.ServerSideApply)
  }
  assert.equal((await apply(5, 'one', true)).spec.size, 5)
  assert.match((await refused(409, apply(6, 'two'))).message, /conflict with "one"/)
  assert.match((await refused(422, apply(0, 'one'))).message, /should be greater than or equal to 1/)
  await objects.delete(gadget)
  await refused(404, objects.read(gadget))
}

async function watch() {
  const { metadata } = await core.listNamespacedConfigMap({ namespace })
  const seen = []
  let end
  const ended = new Promise((resolve) => (end = resolve))
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const query = { resourceVersion: metadata.resourceVersion, allowWatchBookmarks: true }
  const request = await new k8s.Watch(config).watch(path, query, (type, { data }) => seen.push([type, data.n]), end)
  await core.createNamespacedConfigMap({ namespace, body: configMap('seen', { n: '1' }) })
  await core.replaceNamespacedConfigMap({ name: 'seen', namespace, body: configMap('seen', { n: '2' }) })
  await core.deleteNamespacedConfigMap({ name: 'seen', namespace })
  await eventually(() => seen.length === 3, 'three events')
  assert.deepEqual(seen, [['ADDED', '1'], ['MODIFIED', '2'], ['DELETED', '2']])
  request.abort()
  await ended
}

async function informer() {
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'informed=yes' })
  const body = (name, data) => configMap(name, data, { informed: 'yes' })
  await core.createNamespacedConfigMap({ namespace, body: body('early', { n: '0' }) })
  const cache = k8s.makeInformer(config, path, list, 'informed=yes')
  const seen = []
  for (const verb of ['add', 'update', 'delete']) cache.on(verb, (object) => seen.push(`${verb} ${object.metadata.name}`))
  cache.on('error', (error) => seen.push(`error ${error}`))
  await cache.start()
  assert.deepEqual(names(cache.list(namespace)), ['early'])
  await core.createNamespacedConfigMap({ namespace, body: body('late', { n: '0' }) })
  await core.createNamespacedConfigMap({ namespace, body: configMap('other', {}) })
  await core.replaceNamespacedConfigMap({ name: 'early', namespace, body: body('early', { n: '1' }) })
  await core.deleteNamespacedConfigMap({ name: 'late', namespace })
  await eventually(() => seen.length >= 4, 'four events')
  assert.deepEqual(seen, ['add early', 'add late', 'update early', 'delete late'])
  assert.equal(cache.get('early', namespace).data.n, '1')
  await cache.stop()
}

const steps = {
  'create, read, replace, list, refusals': createReadReplace,
  'JSON, strategic and merge patches': patches,
  'generic objects and server-side apply': genericObjects,
  watch,
  informer,
}
for (const [name, step] of Object.entries(steps)) {
  await step()
  process.stdout.write(`ok ${name}\n`)
}
