/** Mutating admission policies, tested by their effect on requests. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../api/json.ts'
import { simulatedEnv } from '../../../env/simulated.ts'
import { createControlPlane, type ControlPlane, type ControlPlaneOptions } from '../../index.ts'

let plane: ControlPlane

const start = (options: ControlPlaneOptions = {}): void => {
  plane = createControlPlane({ env: simulatedEnv({ seed: 1 }), runtimeConfig: [group], ...options })
}
beforeEach(() => start())
afterEach(() => plane.close())

interface Answer {
  readonly status: number
  readonly body: JsonObject
  readonly message: string
}

async function ask(method: string, path: string, body?: Json): Promise<Answer> {
  const response = await plane.transport()({ method, path, headers: {}, ...(body === undefined ? {} : { body }) })
  const answer = response.body as unknown as JsonObject
  return { status: response.status, body: answer, message: String(answer['message'] ?? '') }
}

const group = 'admissionregistration.k8s.io/v1beta1'
const maps = '/api/v1/namespaces/default/configmaps'
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }

const apply = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
})
const patch = (expression: string): JsonObject => ({ patchType: 'JSONPatch', jsonPatch: { expression } })

async function bound(
  name: string,
  spec: JsonObject,
  binding: JsonObject = {},
  rules: JsonObject = rule,
): Promise<void> {
  const policy = await ask('POST', `/apis/${group}/mutatingadmissionpolicies`, {
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [rules] }, reinvocationPolicy: 'Never', ...spec },
  })
  expect([policy.status, policy.message]).toEqual([201, ''])
  const { status } = await ask('POST', `/apis/${group}/mutatingadmissionpolicybindings`, {
    metadata: { name: `${name}-binding` },
    spec: { policyName: name, ...binding },
  })
  expect(status).toBe(201)
}
const map = (name: string, data: JsonObject = {}): Promise<Answer> => ask('POST', maps, { metadata: { name }, data })
const dataOf = async (name: string, data: JsonObject = {}): Promise<Json | undefined> => {
  return (await map(name, data)).body['data']
}

describe('a mutating policy', () => {
  it('a mutating policy is served only on demand', async () => {
    await plane.close()
    start({ runtimeConfig: [] })
    expect((await ask('GET', `/apis/${group}`)).status).toBe(404)
    expect((await ask('GET', `/apis/${group}/mutatingadmissionpolicies`)).status).toBe(404)
    expect(() => createControlPlane({ runtimeConfig: ['apps/v1beta1'] })).toThrow(
      'apps/v1beta1 cannot be enabled: the versions that can are admissionregistration.k8s.io/v1beta1',
    )
  })

  it('a mutating policy merges a configuration into the object', async () => {
    await bound('p', { mutations: [apply('Object{data: {"b": object.metadata.name}}')] })
    expect(await dataOf('m', { a: '1', b: '2' })).toEqual({ a: '1', b: 'm' })
  })

  it('a mutating policy patches the object, unless a test in the patch fails', async () => {
    const operations = '[JSONPatch{op: "test", path: "/data/a", value: "1"}, JSONPatch{op: "remove", path: "/data/a"}]'
    await bound('p', { mutations: [patch(operations)] })
    expect(await dataOf('m', { a: '1', b: '2' })).toEqual({ b: '2' })
    expect(await dataOf('n', { a: 'other' })).toEqual({ a: 'other' })
  })

  it('a mutating policy fails closed or open, with all its failures', async () => {
    const mutations = [apply('Object{data: {"a": string(object.none)}}'), apply('Object{none: "x"}')]
    await bound('p', { mutations })
    const { status, body } = await map('m')
    const causes = [
      "policy 'p' with binding 'p-binding' denied request: expression 'Object{data: {\"a\": string(object.none)}}' " +
        'resulted in error: no such key: none',
      "policy 'p' with binding 'p-binding' denied request: error applying patch: " +
        'failed to convert patch object to typed object: .none: field not declared in schema',
    ]
    expect([status, body['reason'], body['message']]).toEqual([403, 'Invalid', causes[0]])
    expect((body['details'] as JsonObject)['causes']).toEqual(causes.map((message) => ({ message })))
    await ask('DELETE', `/apis/${group}/mutatingadmissionpolicies/p`)
    await ask('DELETE', `/apis/${group}/mutatingadmissionpolicybindings/p-binding`)
    await bound('q', { failurePolicy: 'Ignore', mutations: [...mutations, apply('Object{data: {"c": "d"}}')] })
    expect(await dataOf('m')).toEqual({ c: 'd' })
  })

  it('a mutating policy runs again if a later one changed the object', async () => {
    const seen = (name: string, key: string): JsonObject =>
      apply(`Object{data: {${JSON.stringify(name)}: string(has(object.data.${key}))}}`)
    await bound('a', { mutations: [seen('again', 'later')], reinvocationPolicy: 'IfNeeded' })
    await bound('b', { mutations: [seen('once', 'later')] })
    await bound('c', { mutations: [apply('Object{data: {"later": "x"}}')] })
    expect(await dataOf('m', { x: 'y' })).toEqual({ x: 'y', again: 'true', once: 'false', later: 'x' })
  })

  it('a mutating policy can add a container, which other plugins then complete', async () => {
    await ask('POST', '/api/v1/namespaces/default/limitranges', {
      metadata: { name: 'l' },
      spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] },
    })
    const added = 'Object{spec: Object.spec{containers: [Object.spec.containers{name: "side", image: "s"}]}}'
    await bound('p', { mutations: [apply(added)] }, {}, { ...rule, resources: ['pods'] })
    const { body } = await ask('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'a', image: 'i' }] },
    })
    const { containers } = body['spec'] as { containers: { name: string; resources: JsonObject }[] }
    expect(containers.map(({ name, resources }) => [name, resources['limits']])).toEqual([
      ['a', { cpu: '1' }],
      ['side', { cpu: '1' }],
    ])
  })

  it('a mutating policy takes parameters, variables and conditions', async () => {
    await map('params', { value: 'given' })
    await bound(
      'p',
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        variables: [{ name: 'value', expression: 'params.data.value' }],
        matchConditions: [{ name: 'spared', expression: 'object.metadata.name != "spared"' }],
        mutations: [apply('Object{data: {"value": variables.value}}')],
      },
      { paramRef: { name: 'params', parameterNotFoundAction: 'Deny' } },
    )
    expect([await dataOf('m'), await dataOf('spared')]).toEqual([{ value: 'given' }, undefined])
    await ask('DELETE', `${maps}/params`)
    expect((await map('n')).message).toBe(
      "policy 'p' with binding 'p-binding' denied request: failed to configure binding: " +
        'no params found for policy binding with `Deny` parameterNotFoundAction',
    )
  })
})
