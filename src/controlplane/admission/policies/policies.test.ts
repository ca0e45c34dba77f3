/** Validating admission policies, tested by their effect on requests. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../api/json.ts'
import { simulatedEnv } from '../../../env/simulated.ts'
import { createControlPlane, type ControlPlane } from '../../index.ts'

let plane: ControlPlane
let audited: string[]

beforeEach(() => {
  audited = []
  plane = createControlPlane({
    env: simulatedEnv({ seed: 1 }),
    authorization: 'RBAC',
    audit: {
      policy: {
        apiVersion: 'audit.k8s.io/v1',
        kind: 'Policy',
        omitStages: ['RequestReceived'],
        rules: [{ level: 'Metadata' }],
      },
      write: (line) => audited.push(line),
    },
  })
})
afterEach(() => plane.close())

interface Answer {
  readonly status: number
  readonly body: JsonObject
  readonly message: string
  readonly warnings: readonly string[]
}

async function ask(method: string, path: string, body?: Json, type = 'application/json'): Promise<Answer> {
  const headers = { 'content-type': type }
  const response = await plane.transport()({ method, path, headers, ...(body === undefined ? {} : { body }) })
  const answer = response.body as unknown as JsonObject
  const warning = response.headers['warning'] ?? []
  return {
    status: response.status,
    body: answer,
    message: String(answer['message'] ?? ''),
    warnings: [warning].flat().map((text) => JSON.parse(text.slice('299 - '.length)) as string),
  }
}

const registration = '/apis/admissionregistration.k8s.io/v1'
const maps = '/api/v1/namespaces/default/configmaps'
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }
const constraints = { resourceRules: [rule] }

async function made(path: string, body: JsonObject): Promise<void> {
  const { status, message } = await ask('POST', path, body)
  if (status !== 201) throw new Error(`${status} ${message}`)
}

const policy = (name: string, spec: JsonObject) =>
  made(`${registration}/validatingadmissionpolicies`, {
    metadata: { name },
    spec: { matchConstraints: constraints, ...spec },
  })
const binding = (name: string, spec: JsonObject = {}) =>
  made(`${registration}/validatingadmissionpolicybindings`, {
    metadata: { name: `${name}-binding` },
    spec: { policyName: name, validationActions: ['Deny'], ...spec },
  })
const map = (name: string, data: JsonObject = {}, labels: JsonObject = {}) =>
  ask('POST', maps, { metadata: { name, labels }, data })
const refused = (spec: JsonObject) =>
  ask('POST', `${registration}/validatingadmissionpolicies`, {
    metadata: { name: 'p' },
    spec: { matchConstraints: constraints, ...spec },
  })

/** The annotations of the last request in the audit log, without those of authorization. */
function annotations(): JsonObject {
  const { annotations: all = {} } = JSON.parse(audited.at(-1) ?? '{}') as { annotations?: JsonObject }
  return Object.fromEntries(Object.entries(all).filter(([key]) => !key.startsWith('authorization.k8s.io/')))
}

describe('a validating policy', () => {
  it('a validating policy denies what its expressions do not allow, once it is bound', async () => {
    await policy('p', { validations: [{ expression: "object.metadata.name.startsWith('a')" }] })
    expect((await map('b1')).status).toBe(201)
    await binding('p')
    expect((await map('a1')).status).toBe(201)
    const { status, body } = await map('b2')
    const message =
      "ValidatingAdmissionPolicy 'p' with binding 'p-binding' denied request: " +
      "failed expression: object.metadata.name.startsWith('a')"
    expect([status, body]).toEqual([
      422,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `configmaps "b2" is forbidden: ${message}`,
        reason: 'Invalid',
        details: { name: 'b2', kind: 'configmaps', causes: [{ message }] },
        code: 422,
      },
    ])
    await ask('DELETE', `${registration}/validatingadmissionpolicybindings/p-binding`)
    expect((await map('b2')).status).toBe(201)
  })

  it('a validating policy has messages and reasons', async () => {
    await policy('p', {
      validations: [
        {
          expression: 'size(object.data) < 2',
          messageExpression: "'too many: ' + string(size(object.data))",
          reason: 'Forbidden',
        },
        {
          expression: "!('x' in object.data)",
          message: ' no x ',
          messageExpression: 'string(object.metadata.labels.none)',
        },
      ],
    })
    await binding('p')
    const many = await map('m', { a: '1', b: '2' })
    expect([many.status, many.body['reason'], many.message]).toEqual([
      403,
      'Forbidden',
      `configmaps "m" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p-binding' denied request: too many: 2`,
    ])
    expect((await map('m', { x: '1' })).message).toMatch(/denied request: no x$/)
  })

  it('a validating policy warns and audits', async () => {
    await policy('p', {
      validations: [{ expression: "object.metadata.name != 'x'", message: 'not x' }],
      auditAnnotations: [
        { key: 'name', valueExpression: "'is ' + object.metadata.name" },
        { key: 'none', valueExpression: 'null' },
      ],
    })
    await binding('p', { validationActions: ['Warn', 'Audit'] })
    const { status, warnings } = await map('x')
    expect(status).toBe(201)
    expect(warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p-binding': not x"])
    expect(annotations()).toEqual({
      'p/name': 'is x',
      'validation.policy.admission.k8s.io/validation_failure':
        '[{"message":"not x","policy":"p","binding":"p-binding","expressionIndex":0,' +
        '"validationActions":["Warn","Audit"]}]',
    })
  })

  it('a validating policy fails closed or open on errors', async () => {
    await policy('closed', { validations: [{ expression: "object.data.a == 'b'" }] })
    await binding('closed')
    expect((await map('m', { b: '' })).message).toMatch(
      /denied request: expression 'object\.data\.a == 'b'' resulted in error: no such key: a$/,
    )
    await ask(
      'PATCH',
      `${registration}/validatingadmissionpolicies/closed`,
      { spec: { failurePolicy: 'Ignore' } },
      'application/merge-patch+json',
    )
    expect((await map('m', { b: '' })).status).toBe(201)
  })

  it('a validating policy computes its variables when they are used', async () => {
    await policy('p', {
      variables: [
        { name: 'names', expression: 'object.data.map(key, key)' },
        { name: 'count', expression: 'size(variables.names)' },
        { name: 'wrong', expression: 'object.data.none' },
      ],
      validations: [
        { expression: 'variables.count < 2', messageExpression: "'count is ' + string(variables.count)" },
        { expression: "variables.count == 0 || variables.wrong == 'x' || true" },
      ],
    })
    await binding('p')
    expect((await map('ok', { a: '' })).status).toBe(201)
    expect((await map('m', { a: '', b: '' })).message).toMatch(/denied request: count is 2$/)
    await policy('q', {
      variables: [{ name: 'wrong', expression: 'object.data.none' }],
      validations: [{ expression: "variables.wrong == 'x'" }],
    })
    await binding('q')
    expect((await map('m', { a: '' })).message).toMatch(
      /resulted in error: composited variable "wrong" fails to evaluate: no such key: none$/,
    )
  })

  it('a validating policy sees the request, the old object, its namespace and the rights of the user', async () => {
    await policy('p', {
      validations: [
        { expression: "request.operation == 'CREATE' || object.data == oldObject.data", message: 'data is fixed' },
        { expression: "request.namespace == 'default' && request.userInfo.username == 'admin'", message: 'user' },
        { expression: "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == 'default'", message: 'ns' },
        { expression: "authorizer.requestResource.check('delete').allowed()", message: 'rights' },
        {
          expression:
            "!authorizer.serviceAccount('default', 'x').group('').resource('pods').namespace('default')" +
            ".check('get').allowed()",
          message: 'rights of x',
        },
      ],
    })
    await binding('p')
    const created = await map('m', { a: '1' })
    expect([created.status, created.message]).toEqual([201, ''])
    const changed = await ask('PATCH', `${maps}/m`, { data: { a: '2' } }, 'application/merge-patch+json')
    expect(changed.message).toMatch(/denied request: data is fixed$/)
  })

  it('a validating policy takes parameters by name or labels', async () => {
    await map('limits', { prefix: 'a' }, { role: 'param' })
    await map('more', { prefix: 'ab' }, { role: 'param' })
    await policy('p', {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: 'object.metadata.name.startsWith(params.data.prefix)' }],
    })
    await binding('p', { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } })
    expect([(await map('a1')).status, (await map('b1')).status]).toEqual([201, 422])
    const path = `${registration}/validatingadmissionpolicybindings/p-binding`
    const change = (paramRef: JsonObject) => ask('PATCH', path, { spec: { paramRef } }, 'application/merge-patch+json')
    await change({ name: null, selector: { matchLabels: { role: 'param' } } })
    expect([(await map('ab1')).status, (await map('a2')).status]).toEqual([201, 422])
    await change({ selector: { matchLabels: { role: 'none' } } })
    expect((await map('x1')).message).toMatch(
      /failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction$/,
    )
    await change({ parameterNotFoundAction: 'Allow' })
    expect((await map('x1')).status).toBe(201)
  })

  it('a validating policy whose kind of parameters is not served denies', async () => {
    await policy('p', {
      paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' },
      validations: [{ expression: 'true' }],
    })
    await binding('p', { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } })
    expect((await map('m')).message).toBe(
      `configmaps "m" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: ` +
        `failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nothing'`,
    )
  })

  it('a validating policy matches by rules, names, exclusions, labels and conditions', async () => {
    await policy('p', {
      matchConstraints: {
        resourceRules: [rule],
        excludeResourceRules: [{ ...rule, resourceNames: ['spared'] }],
        objectSelector: { matchExpressions: [{ key: 'free', operator: 'DoesNotExist' }] },
      },
      matchConditions: [{ name: 'not-system', expression: "!object.metadata.name.startsWith('sys-')" }],
      validations: [{ expression: 'false' }],
    })
    await binding('p', { matchResources: { namespaceSelector: { matchLabels: { strict: 'yes' } } } })
    expect((await map('before')).status).toBe(201)
    await ask(
      'PATCH',
      '/api/v1/namespaces/default',
      { metadata: { labels: { strict: 'yes' } } },
      'application/merge-patch+json',
    )
    const statuses = [await map('m'), await map('spared'), await map('l', {}, { free: '' }), await map('sys-a')]
    expect(statuses.map(({ status }) => status)).toEqual([422, 201, 201, 201])
    expect((await ask('DELETE', `${maps}/before`)).status).toBe(200)
  })

  it('a validating policy that costs too much denies', async () => {
    const data = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, 'v'])) as JsonObject
    const expression = 'object.data.all(a, object.data.all(b, object.data.all(c, a != c || b != c || true)))'
    await policy('p', { validations: [{ expression }] })
    await binding('p')
    expect((await map('m', data)).message).toMatch(/(cost limit exceeded|running out of cost budget.*)$/)
  })
})

describe('a policy is refused', () => {
  const message = async (spec: JsonObject): Promise<string> => {
    const answer = await refused(spec)
    expect(answer.status).toBe(422)
    return answer.message.replace(/^.*? is invalid: /s, '')
  }

  it('a policy is refused if an expression does not compile', async () => {
    expect(await message({ validations: [{ expression: 'object.' }] })).toContain(
      'spec.validations[0].expression: Invalid value: "object.": compilation failed: ERROR: <input>:1:8: Syntax error',
    )
    expect(await message({ validations: [{ expression: 'params.a == 1' }] })).toBe(
      'spec.validations[0].expression: Invalid value: "params.a == 1": compilation failed: ' +
        "ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.a == 1\n | ^",
    )
    expect(await message({ validations: [{ expression: 'request.nothing' }] })).toContain("undefined field 'nothing'")
  })

  it('a policy is refused if an expression has another type', async () => {
    expect(await message({ validations: [{ expression: 'object.spec' }] })).toBe(
      'spec.validations[0].expression: Invalid value: "object.spec": must evaluate to bool but got dyn',
    )
    expect(await message({ validations: [{ expression: 'true', messageExpression: '[1]' }] })).toBe(
      'spec.validations[0].messageExpression: Invalid value: "[1]": must evaluate to string but got list(int)',
    )
    expect(await message({ auditAnnotations: [{ key: 'a', valueExpression: '1' }] })).toBe(
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": ' +
        'must evaluate to one of [string null_type] but got int',
    )
    const withAuthorizer = [{ expression: 'true', messageExpression: "authorizer.path('/')" }]
    expect(await message({ validations: withAuthorizer })).toContain("undeclared reference to 'authorizer'")
  })

  it('a policy is refused if a variable uses a later one', async () => {
    const variables = [
      { name: 'a', expression: 'variables.b' },
      { name: 'b', expression: '1' },
    ]
    expect(await message({ variables, validations: [{ expression: 'variables.b == 1' }] })).toContain(
      'spec.variables[0].expression: Invalid value: "variables.b": compilation failed: ' +
        "ERROR: <input>:1:10: undefined field 'b'",
    )
    expect(await message({ validations: [{ expression: 'variables.b == 1' }] })).toContain(
      "undeclared reference to 'variables'",
    )
  })

  it('a policy is refused if it takes too long to compile', async () => {
    const validations = Array.from({ length: 60 }, () => ({ expression: `'${'x'.repeat(1000)}' == ''` }))
    expect(await message({ validations })).toContain('spec: Forbidden: validation takes more than 10000000 steps')
  })
})
