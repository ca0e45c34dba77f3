import { beforeEach, afterEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../api/json.ts'
import { ApiError } from '../../../api/status.ts'
import { inProcessTransport } from '../../../client/in-process-transport.ts'
import { RestClient } from '../../../client/rest-client.ts'
import { simulatedEnv, type SimulatedEnv } from '../../../env/simulated.ts'
import {
  ConfigMap,
  LimitRange,
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Namespace,
  Pod,
  Service,
  ValidatingWebhookConfiguration,
} from '../../../schema/builtin/kinds.ts'
import { resource } from '../../../schema/resource.ts'
import { t } from '../../../schema/t.ts'
import { createControlPlane, type ControlPlane } from '../../index.ts'
import type { Stored } from '../../storage/store.ts'

interface Asked {
  readonly webhook: string
  readonly request: JsonObject & { readonly uid: string; readonly object: JsonObject; readonly oldObject: JsonObject }
}

type Response = {
  readonly allowed?: boolean
  readonly status?: JsonObject
  readonly patch?: Json
  readonly patchType?: string
  readonly warnings?: readonly string[]
  readonly uid?: string
}

let env: SimulatedEnv
let plane: ControlPlane
let client: RestClient
let asked: Asked[]
let warnings: string[]
/** The response of each webhook, by the path of its URL. Default: allowed. */
let answers: Record<string, (request: Asked['request']) => Response | Promise<Response>>

beforeEach(() => {
  env = simulatedEnv()
  asked = []
  warnings = []
  answers = {}
  plane = createControlPlane({
    env,
    callWebhook: async ({ url = '' }, review) => {
      const webhook = new URL(url).pathname.slice(1)
      const { request } = review as unknown as { request: Asked['request'] }
      asked.push({ webhook, request })
      const { patch, ...response } = await (answers[webhook]?.(request) ?? {})
      const patched =
        patch === undefined
          ? {}
          : { patch: Buffer.from(JSON.stringify(patch)).toString('base64'), patchType: 'JSONPatch' }
      return {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: request.uid, allowed: true, ...patched, ...response } as never,
      }
    },
  })
  client = new RestClient({
    env,
    transport: inProcessTransport(plane.transport()),
    timeoutMs: 0,
    fieldManager: 'user',
    onWarning: (message) => void warnings.push(message),
  })
})
afterEach(() => plane.close())

const rule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['configmaps'],
}

function entry(name: string, more: JsonObject = {}) {
  return {
    name: `${name}.example.dev`,
    clientConfig: { url: `https://example.dev/${name}` },
    rules: [rule],
    sideEffects: 'None' as const,
    admissionReviewVersions: ['v1'],
    ...more,
  } as never
}

const validates = (name: string, more?: JsonObject) =>
  client.create(ValidatingWebhookConfiguration, { metadata: { name }, webhooks: [entry(name, more)] })
const mutates = (name: string, more?: JsonObject) =>
  client.create(MutatingWebhookConfiguration, { metadata: { name }, webhooks: [entry(name, more)] })
const map = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
  metadata: { namespace: 'default', name, labels },
  data,
})

async function refused(write: Promise<unknown>): Promise<string> {
  const error = await write.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  if (error instanceof ApiError) return `${error.code} ${error.status.reason ?? ''}: ${error.message}`
  throw new Error(`not refused: ${String(error)}`)
}

describe('a webhook for connections', () => {
  const connections = {
    rules: [{ ...rule, operations: ['CONNECT'], resources: ['pods/exec', 'pods/portforward', 'pods/proxy'] }],
  }
  const connect = (path: string) =>
    plane.transport()({ method: 'POST', path: `/api/v1/namespaces/default/pods/${path}`, headers: {} })

  it('a webhook for connections is asked about their options, and may deny them', async () => {
    const containers = [{ name: 'c', image: 'i' }]
    await client.create(Pod, { metadata: { namespace: 'default', name: 'p' }, spec: { containers } })
    await validates('check', connections)
    expect(await connect('p/exec?command=ls&command=-l&stdin=true&tty=false')).toMatchObject({ status: 400 })
    expect(await connect('p/portforward?ports=80')).toMatchObject({ status: 400 })
    expect(await connect('p/proxy/a/b')).toMatchObject({ status: 400 })
    expect(asked.map(({ request }) => request.object)).toEqual([
      { kind: 'PodExecOptions', apiVersion: 'v1', stdin: true, stdout: true, stderr: true, command: ['ls', '-l'] },
      { kind: 'PodPortForwardOptions', apiVersion: 'v1', ports: [80] },
      { kind: 'PodProxyOptions', apiVersion: 'v1', path: '/a/b' },
    ])
    expect(asked[0]?.request).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
      resource: { resource: 'pods' },
      subResource: 'exec',
      name: 'p',
      operation: 'CONNECT',
      oldObject: null,
      options: null,
    })
    answers['check'] = () => ({ allowed: false, status: { message: 'not here' } })
    expect(await connect('p/exec?command=ls')).toMatchObject({
      status: 400,
      body: { message: 'admission webhook "check.example.dev" denied the request: not here' },
    })
  })
})

describe('a validating webhook', () => {
  it('a validating webhook is asked about what is to be stored, as it is to be stored', async () => {
    await validates('check')
    const made = await client.create(ConfigMap, {
      metadata: { namespace: 'default', generateName: 'a-' },
      data: { a: 'b' },
    })
    expect(asked).toHaveLength(1)
    const { request } = asked[0] as Asked
    expect(request).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { kind: 'ConfigMap' },
      name: made.metadata.name,
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      dryRun: false,
      oldObject: null,
      object: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } },
      options: { kind: 'CreateOptions' },
    })
    expect(request.object['metadata']).toMatchObject({
      name: made.metadata.name,
      uid: made.metadata.uid,
      creationTimestamp: made.metadata.creationTimestamp,
    })
  })

  it('a validating webhook sees old and new of an update, and the old of a delete', async () => {
    await client.create(ConfigMap, map('a', { a: '1' }))
    await validates('check')
    await client.patch(ConfigMap, { namespace: 'default', name: 'a' }, { type: 'merge', patch: { data: { a: '2' } } })
    await client.delete(ConfigMap, { namespace: 'default', name: 'a' })
    expect(
      asked.map(({ request }) => [request['operation'], request.object?.['data'], request.oldObject['data']]),
    ).toEqual([
      ['UPDATE', { a: '2' }, { a: '1' }],
      ['DELETE', undefined, { a: '2' }],
    ])
  })

  it('a validating webhook refuses, in the words of a real server', async () => {
    await validates('check')
    answers['check'] = () => ({
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: 'not on a Monday' },
    })
    expect(await refused(client.create(ConfigMap, map('a')))).toBe(
      '403 Forbidden: admission webhook "check.example.dev" denied the request: not on a Monday',
    )
    answers['check'] = () => ({ allowed: false })
    expect(await refused(client.create(ConfigMap, map('a')))).toBe(
      '400 : admission webhook "check.example.dev" denied the request without explanation',
    )
    answers['check'] = () => ({ allowed: false, status: { reason: 'Monday', code: 200 } })
    expect(await refused(client.create(ConfigMap, map('a')))).toBe(
      '400 Monday: admission webhook "check.example.dev" denied the request: Monday',
    )
    expect((await client.list(ConfigMap, { namespace: 'default', fieldSelector: 'metadata.name=a' })).items).toEqual([])
  })

  it('a validating webhook warns, once for a request', async () => {
    await validates('check')
    await validates('other')
    answers['check'] = () => ({ warnings: ['a is deprecated'] })
    await client.create(ConfigMap, map('a'))
    expect(warnings).toEqual(['a is deprecated'])
  })

  it('a validating webhook that fails refuses, or is passed over where its policy says so', async () => {
    await validates('check')
    answers['check'] = () =>
      Promise.reject(
        new Error('Post "https://example.dev/check?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused'),
      )
    expect(await refused(client.create(ConfigMap, map('a')))).toBe(
      '500 InternalError: Internal error occurred: failed calling webhook "check.example.dev": failed to ' +
        'call webhook: Post "https://example.dev/check?timeout=10s": dial tcp 127.0.0.1:1: connect: connection ' +
        'refused',
    )
    answers['check'] = () => ({ uid: 'other' })
    expect(await refused(client.create(ConfigMap, map('a')))).toMatch(
      /^500 InternalError: .*received invalid webhook response: expected response.uid="[^"]+", got "other"$/,
    )
    answers['check'] = () => ({ patch: [] })
    expect(await refused(client.create(ConfigMap, map('a')))).toContain(
      'validating webhook may not return response.patch or response.patchType',
    )
    await client.patch(
      ValidatingWebhookConfiguration,
      { name: 'check' },
      { type: 'json', patch: [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }] },
    )
    await client.create(ConfigMap, map('a'))
  })

  it('a validating webhook is not asked about dry runs where it has side effects: they are refused', async () => {
    await validates('check', { sideEffects: 'NoneOnDryRun' })
    await client.create(ConfigMap, map('a'), { dryRun: true })
    expect(asked[0]?.request['dryRun']).toBe(true)
  })

  it('a validating webhook is asked about each of a collection that is deleted, and can keep one', async () => {
    for (const name of ['a', 'b', 'c']) await client.create(ConfigMap, map(name, {}, { mine: 'yes' }))
    await validates('check')
    await client.deleteCollection(ConfigMap, { namespace: 'default', labelSelector: 'mine=yes' })
    expect(asked.map(({ request }) => `${String(request['operation'])} ${String(request['name'])}`)).toEqual([
      'DELETE a',
      'DELETE b',
      'DELETE c',
    ])
    expect((await client.list(ConfigMap, { namespace: 'default', labelSelector: 'mine=yes' })).items).toEqual([])
    await client.create(ConfigMap, map('d', {}, { mine: 'yes' }))
    answers['check'] = () => ({ allowed: false })
    expect(
      await refused(client.deleteCollection(ConfigMap, { namespace: 'default', labelSelector: 'mine=yes' })),
    ).toContain('denied the request')
    expect((await client.list(ConfigMap, { namespace: 'default', labelSelector: 'mine=yes' })).items).toHaveLength(1)
  })

  it('a validating webhook is asked about evictions and bindings, if it wants to be', async () => {
    await validates('check', {
      rules: [{ ...rule, resources: ['pods/eviction', 'pods/binding'], operations: ['CREATE'] }],
    })
    const pod = { metadata: { namespace: 'default', name: 'p' }, spec: { containers: [{ name: 'a', image: 'b' }] } }
    await client.create(Pod, pod)
    await client.createSubresource(Pod, pod.metadata, 'binding', {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p' },
      target: { kind: 'Node', name: 'n' },
    })
    answers['check'] = () => ({ allowed: false, status: { message: 'stay', code: 403 } })
    expect(
      await refused(
        client.createSubresource(Pod, pod.metadata, 'eviction', {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'p' },
        }),
      ),
    ).toContain('denied the request: stay')
    expect(asked.map(({ request }) => request['subResource'])).toEqual(['binding', 'eviction'])
    answers['check'] = () => ({})
    await validates('deletes', { rules: [{ ...rule, resources: ['pods'] }] })
    await client.createSubresource(Pod, pod.metadata, 'eviction', {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'p' },
    })
    expect(asked.slice(2).map(({ webhook }) => webhook)).toEqual(['check'])
  })

  it('a validating webhook is asked again when the object has changed while it thought', async () => {
    await client.create(ConfigMap, map('a', { a: '1' }))
    await validates('check')
    const key = '/registry/configmaps/default/a'
    let first = true
    answers['check'] = () => {
      if (first) {
        first = false
        const { object, revision: version } = plane.store.get(key) as Stored
        plane.store.put(key, version, (revision) => ({
          ...object,
          metadata: { ...object.metadata, resourceVersion: String(revision) },
          data: { b: '1' },
        }))
      }
      return {}
    }
    const patched = await client.patch(
      ConfigMap,
      { namespace: 'default', name: 'a' },
      { type: 'merge', patch: { data: { c: '1' } } },
    )
    expect(patched.data).toEqual({ b: '1', c: '1' })
    expect(asked.map(({ request }) => request.oldObject['data'])).toEqual([{ a: '1' }, { b: '1' }])
  })
})

describe('a mutating webhook', () => {
  it('a mutating webhook changes what is stored, before it is defaulted and validated', async () => {
    await mutates('tag')
    answers['tag'] = () => ({
      patch: [
        { op: 'add', path: '/data', value: { tagged: 'yes' } },
        { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
      ],
    })
    const made = await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'a' } })
    expect(made).toMatchObject({
      data: { tagged: 'yes' },
      metadata: { name: 'a', labels: { a: 'b' }, uid: expect.stringMatching(/^[-0-9a-f]{36}$/) as string },
    })
    expect(await client.get(ConfigMap, { namespace: 'default', name: 'a' })).toEqual(made)
    expect(asked[0]?.request.object['metadata']).not.toHaveProperty('uid')
    answers['tag'] = () => ({ patch: [{ op: 'add', path: '/metadata/labels', value: { 'not valid': 'b' } }] })
    expect(await refused(client.create(ConfigMap, { metadata: { namespace: 'default', name: 'b' } }))).toContain(
      '422 Invalid: ConfigMap "b" is invalid: metadata.labels: Invalid value: "not valid"',
    )
  })

  it('mutating webhooks are called in the order of names, see earlier changes, and may be reinvoked', async () => {
    await mutates('b', { reinvocationPolicy: 'IfNeeded' })
    await mutates('a', { reinvocationPolicy: 'IfNeeded' })
    await mutates('c')
    const adds =
      (name: string) =>
      ({ object }: Asked['request']): Response =>
        Object.hasOwn((object['data'] ?? {}) as object, name)
          ? {}
          : { patch: [{ op: 'add', path: `/data/${name}`, value: Object.keys(object['data'] as object).join() }] }
    for (const name of ['a', 'b', 'c']) answers[name] = adds(name)
    const made = await client.create(ConfigMap, map('x', { x: '' }))
    expect(made.data).toEqual({ x: '', a: 'x', b: 'a,x', c: 'a,b,x' })
    expect(asked.map(({ webhook }) => webhook)).toEqual(['a', 'b', 'c', 'a', 'b'])
  })

  it('a mutating webhook can add a container, which other plugins then complete', async () => {
    await mutates('side', { rules: [{ ...rule, resources: ['pods'] }] })
    const side = { name: 'side', image: 's' }
    answers['side'] = () => ({ patch: [{ op: 'add', path: '/spec/containers/-', value: side }] })
    const limits = [{ type: 'Container', default: { cpu: '1' } }]
    await client.create(LimitRange, { metadata: { namespace: 'default', name: 'l' }, spec: { limits } })
    const made = await client.create(Pod, {
      metadata: { namespace: 'default', name: 'p' },
      spec: { containers: [{ name: 'a', image: 'b' }] },
    })
    expect(made.spec?.containers.map(({ name, resources }) => [name, resources?.limits])).toEqual([
      ['a', { cpu: '1' }],
      ['side', { cpu: '1' }],
    ])
    expect(asked.map(({ webhook }) => webhook)).toEqual(['side'])
  })

  it('a mutating webhook with a patch that does not fit refuses', async () => {
    await mutates('tag')
    answers['tag'] = () => ({ patch: [{ op: 'remove', path: '/nothing/there' }] })
    expect(await refused(client.create(ConfigMap, map('a')))).toMatch(/^500 InternalError: /)
  })
})

describe('whom it is about', () => {
  it('rules choose what a webhook is called for: groups, resources, subresources, operations, scope', async () => {
    await validates('pods', { rules: [{ ...rule, resources: ['pods', 'pods/status'], operations: ['UPDATE'] }] })
    await validates('all', {
      rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'], scope: 'Cluster' }],
    })
    const pod = { metadata: { namespace: 'default', name: 'p' }, spec: { containers: [{ name: 'a', image: 'b' }] } }
    await client.create(Pod, pod)
    await client.create(ConfigMap, map('a'))
    expect(asked).toEqual([])
    await client.patch(
      Pod,
      pod.metadata,
      { type: 'merge', patch: { status: { phase: 'Running' } } },
      { subresource: 'status' },
    )
    expect(asked.map(({ webhook, request }) => `${webhook} ${String(request['subResource'])}`)).toEqual(['pods status'])
    await client.create(Namespace, { metadata: { name: 'shop' } })
    expect(asked.at(-1)).toMatchObject({ webhook: 'all', request: { name: 'shop', operation: 'CREATE' } })
    const before = asked.length
    await validates('more')
    expect(asked).toHaveLength(before)
  })

  it('labels of the namespace and of the object, old or new, choose what a webhook is called for', async () => {
    await client.create(Namespace, { metadata: { name: 'shop', labels: { kind: 'shop' } } })
    await validates('check', {
      namespaceSelector: { matchLabels: { kind: 'shop' } },
      objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] },
    })
    await client.create(ConfigMap, map('a'))
    await client.create(ConfigMap, {
      ...map('b', {}, { skip: 'x' }),
      metadata: { namespace: 'shop', name: 'b', labels: { skip: 'x' } },
    })
    expect(asked).toEqual([])
    await client.create(ConfigMap, { metadata: { namespace: 'shop', name: 'c' } })
    await client.patch(
      ConfigMap,
      { namespace: 'shop', name: 'c' },
      { type: 'merge', patch: { metadata: { labels: { skip: 'x' } } } },
    )
    expect(asked.map(({ request }) => `${String(request['operation'])} ${String(request['name'])}`)).toEqual([
      'CREATE c',
      'UPDATE c',
    ])
  })

  it('conditions over the request choose what a webhook is called for', async () => {
    await validates('check', {
      matchConditions: [
        {
          name: 'not-mine',
          expression: "request.userInfo.username != 'admin' || object.metadata.name.startsWith('x')",
        },
        { name: 'has-data', expression: 'has(object.data) && size(object.data) > 0' },
      ],
    })
    await client.create(ConfigMap, map('a', { a: 'b' }))
    await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'x' } })
    expect(asked).toEqual([])
    await client.create(ConfigMap, map('x1', { a: 'b' }))
    expect(asked).toHaveLength(1)
    await client.create(ValidatingWebhookConfiguration, {
      metadata: { name: 'failing' },
      webhooks: [entry('failing', { matchConditions: [{ name: 'bad', expression: "object.nothing == 'x'" }] })],
    })
    expect(await refused(client.create(ConfigMap, map('y')))).toBe(
      '403 Forbidden: configmaps "y" is forbidden: ' +
        "expression 'object.nothing == 'x'' resulted in error: no such key: nothing",
    )
  })

  it('match conditions are compiled when a configuration is written, unless an update leaves them', async () => {
    const bad = { matchConditions: [{ name: 'bad', expression: 'object.a == ' }] }
    expect(await refused(validates('bad', bad))).toBe(
      '422 Invalid: ValidatingWebhookConfiguration.admissionregistration.k8s.io "bad" is invalid: ' +
        'webhooks[0].matchConditions[0].expression: Invalid value: "object.a ==": compilation failed: ' +
        "ERROR: <input>:1:12: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', " +
        "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n" +
        ' | object.a ==\n | ...........^',
    )
    const text = { matchConditions: [{ name: 'text', expression: "'a'" }] }
    expect(await refused(mutates('text', text))).toMatch(/"'a'": must evaluate to bool but got string$/)
    const unknown = { matchConditions: [{ name: 'unknown', expression: 'params.a' }] }
    expect(await refused(mutates('unknown', unknown))).toContain("undeclared reference to 'params' (in container '')")
  })

  it('match conditions may ask what the user may do', async () => {
    const expression = "authorizer.group('').resource('configmaps').namespace('default').check('get').allowed()"
    await validates('check', { matchConditions: [{ name: 'may-get', expression }] })
    await validates('other', {
      matchConditions: [{ name: 'may-not', expression: "!authorizer.requestResource.check('get').allowed()" }],
    })
    await client.create(ConfigMap, map('a'))
    expect(asked.map(({ webhook }) => webhook)).toEqual(['check'])
  })

  it('a webhook gets other versions of the kind, converted, unless only exact ones match', async () => {
    const old = resource('example.dev/v1alpha1', 'Shop', { spec: t.object({ a: t.string() }) })
    const Shop = resource('example.dev/v1', 'Shop', { spec: t.object({ a: t.string() }), versions: [old] })
    await client.create(CustomResourceDefinition, Shop.crd)
    await env.advanceAsync(1_000)
    const shops = { rules: [{ ...rule, apiGroups: ['example.dev'], resources: ['shops'] }] }
    await validates('check', shops)
    await validates('exact', { ...shops, matchPolicy: 'Exact' })
    await client.create(old, { metadata: { namespace: 'default', name: 'a' }, spec: { a: 'b' } })
    expect(
      asked.map(({ webhook, request }) => [
        webhook,
        request['kind'],
        request['requestKind'],
        request.object['apiVersion'],
      ]),
    ).toEqual([
      [
        'check',
        { group: 'example.dev', version: 'v1', kind: 'Shop' },
        { group: 'example.dev', version: 'v1alpha1', kind: 'Shop' },
        'example.dev/v1',
      ],
    ])
  })

  it('a webhook is never called for webhook configurations, so that they can be repaired', async () => {
    await validates('all', { rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }] })
    answers['all'] = () => ({ allowed: false })
    expect(await refused(client.create(ConfigMap, map('a')))).toContain('denied')
    await client.delete(ValidatingWebhookConfiguration, { name: 'all' })
    await client.create(ConfigMap, map('a'))
  })
})

it('a webhook behind a Service cannot be reached, and that is said as a real server says it', async () => {
  const own = createControlPlane({ env })
  const user = new RestClient({ env, transport: inProcessTransport(own.transport()), timeoutMs: 0 })
  const clientConfig = { service: { name: 'hooks', namespace: 'default', path: '/check' } }
  await user.create(ValidatingWebhookConfiguration, {
    metadata: { name: 'check' },
    webhooks: [{ ...(entry('check') as object), clientConfig } as never],
  })
  const failed =
    'failed calling webhook "check.example.dev": failed to call webhook: Post ' +
    '"https://hooks.default.svc:443/check?timeout=10s"'
  expect(await refused(user.create(ConfigMap, map('a')))).toBe(
    `500 InternalError: Internal error occurred: ${failed}: service "hooks" not found`,
  )
  await user.create(Service, { metadata: { namespace: 'default', name: 'hooks' }, spec: { ports: [{ port: 443 }] } })
  expect(await refused(user.create(ConfigMap, map('a')))).toBe(
    `500 InternalError: Internal error occurred: ${failed}: no endpoints available for service "hooks"`,
  )
  await own.close()
})
