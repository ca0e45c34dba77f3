import { afterEach, describe, expect, it } from 'vitest'
import { policyWarnings } from '../../controlplane/index.ts'
import { CustomResourceDefinition, resource, t, ValidatingAdmissionPolicy } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { policyStatuses } from './index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const cluster = await embedded({ controllers: [policyStatuses(policyWarnings)] })
  running.push(cluster)
  return cluster
}

type Spec = NonNullable<ValidatingAdmissionPolicy['spec']>

const rule = {
  apiGroups: ['apps'],
  apiVersions: ['v1'],
  operations: ['CREATE' as const],
  resources: ['deployments'],
}

async function statusOf(cluster: Embedded, spec: Spec) {
  const matchConstraints = { resourceRules: [rule] }
  await cluster.apply({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: { matchConstraints, ...spec },
  } as never)
  await cluster.settle()
  return (await cluster.client.get(ValidatingAdmissionPolicy, { name: 'p' })).status
}

describe('the status of a policy', () => {
  it('the status of a policy has no warnings if its expressions fit the schema', async () => {
    const cluster = await start()
    const expressions = [
      'object.spec.replicas > 1',
      "object.spec.template.spec.containers.all(c, c.image.startsWith('a'))",
      "object.metadata.labels['a'] == 'b' && object.metadata.namespace == 'c'",
      "object.spec.strategy.rollingUpdate.maxSurge == '1'",
      'variables.many && request.dryRun',
    ]
    const status = await statusOf(cluster, {
      variables: [{ name: 'many', expression: 'object.spec.replicas > 9' }],
      validations: expressions.map((expression) => ({ expression })),
    })
    expect(status).toEqual({ observedGeneration: 1, typeChecking: {} })
  })

  it('the status of a policy warns of expressions and messages with wrong types', async () => {
    const cluster = await start()
    const status = await statusOf(cluster, {
      validations: [
        {
          expression: "object.spec.replicas > '1'",
          messageExpression: "'wants replicas > 1, got ' + object.spec.replicas",
        },
        { expression: 'object.spec.nothing == 1' },
      ],
    })
    expect(status?.typeChecking?.expressionWarnings).toEqual([
      {
        fieldRef: 'spec.validations[0].expression',
        warning:
          'apps/v1, Kind=Deployment: ERROR: <input>:1:22: ' +
          "found no matching overload for '_>_' applied to '(int, string)'\n" +
          " | object.spec.replicas > '1'\n | .....................^\n",
      },
      {
        fieldRef: 'spec.validations[0].messageExpression',
        warning: expect.stringContaining("found no matching overload for '_+_' applied to '(string, int)'") as string,
      },
      {
        fieldRef: 'spec.validations[1].expression',
        warning: expect.stringContaining("undefined field 'nothing'") as string,
      },
    ])
  })

  it('the status of a policy warns about custom resources and parameters', async () => {
    const cluster = await start()
    const Shop = resource('example.dev/v1', 'Shop', { spec: t.object({ size: t.int() }) })
    await cluster.client.create(CustomResourceDefinition, Shop.crd)
    await cluster.settle()
    const resourceRules = [{ ...rule, apiGroups: ['example.dev'], resources: ['shops'] }]
    const status = await statusOf(cluster, {
      matchConstraints: { resourceRules },
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: "object.spec.size == params.data.size || object.spec.size > 'x'" }],
    })
    const [only, ...others] = status?.typeChecking?.expressionWarnings ?? []
    expect(others).toEqual([])
    expect(only?.warning).toMatch(/^example\.dev\/v1, Kind=Shop: ERROR: <input>:1:18: found no matching overload/)
    expect(only?.warning).toContain("found no matching overload for '_>_' applied to '(int, string)'")
  })
})
