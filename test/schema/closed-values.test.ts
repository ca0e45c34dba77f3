/**
 * Enumerations of built-in kinds that the facts do not mark: a server refuses all other values, and its message lists
 * those of the type. The responses of the embedded server are compared with those of a real one elsewhere.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { getOwn, isObject, setOwn, type Json, type JsonObject } from '../../src/api/json.ts'
import { createControlPlane } from '../../src/controlplane/index.ts'
import { simulatedEnv } from '../../src/env/simulated.ts'
import * as kinds from '../../src/schema/builtin/kinds.ts'
import type { Kind } from '../../src/schema/kind.ts'
import { closedItems, closedValues, mirroredValues } from '../../tools/facts/closed-values.ts'

const container: JsonObject = { name: 'a', image: 'a' }
const template: JsonObject = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } }
const selector: JsonObject = { matchLabels: { a: 'b' } }
const policy: JsonObject = {
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
    validations: [{ expression: 'true' }],
  },
}
const definition: JsonObject = {
  metadata: { name: 'things.test.io' },
  spec: {
    group: 'test.io',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } },
            },
          },
        },
      },
    ],
  },
}
const fieldsOfDefinition = 'spec.versions.0.schema.openAPIV3Schema.properties.spec'
const statefulSet: JsonObject = {
  spec: {
    selector,
    template,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
  },
}
const resourceMetric: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
}
const autoscaler: JsonObject = {
  spec: {
    scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' },
    maxReplicas: 3,
    metrics: [resourceMetric],
    behavior: { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }] } },
  },
}
const flowSchema: JsonObject = {
  spec: {
    matchingPrecedence: 500,
    priorityLevelConfiguration: { name: 'a' },
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: 'a' } }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  },
}
const level: JsonObject = { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } }
const binding: JsonObject = {
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' },
  subjects: [{ kind: 'User', name: 'a', apiGroup: 'rbac.authorization.k8s.io' }],
}
const pod: JsonObject = { spec: { containers: [container] } }
const restarting: JsonObject = {
  spec: {
    containers: [
      {
        ...container,
        restartPolicy: 'Never',
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
        resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
        volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true }],
      },
    ],
    volumes: [{ name: 'v', emptyDir: {} }],
  },
}
const service: JsonObject = { spec: { ports: [{ port: 80 }] } }
const ingressClass: JsonObject = { spec: { controller: 'a.io/b', parameters: { kind: 'A', name: 'a' } } }
const driver: JsonObject = { spec: { volumeLifecycleModes: ['Persistent'] } }
const first = 'spec.containers.0'

/** Where each field is in an object that is valid without it. */
const places: Readonly<Record<string, readonly [kind: Kind, object: JsonObject, path: string]>> = {
  'admissionregistration.v1.ParamRef.parameterNotFoundAction': [
    kinds.ValidatingAdmissionPolicyBinding,
    { spec: { policyName: 'a', validationActions: ['Deny'], paramRef: { name: 'a' } } },
    'spec.paramRef.parameterNotFoundAction',
  ],
  'admissionregistration.v1.Validation.reason': [kinds.ValidatingAdmissionPolicy, policy, 'spec.validations.0.reason'],
  'apiextensions.v1.CustomResourceConversion.strategy': [
    kinds.CustomResourceDefinition,
    definition,
    'spec.conversion.strategy',
  ],
  'apiextensions.v1.CustomResourceDefinitionSpec.scope': [kinds.CustomResourceDefinition, definition, 'spec.scope'],
  'apiextensions.v1.JSONSchemaProps.type': [
    kinds.CustomResourceDefinition,
    definition,
    `${fieldsOfDefinition}.properties.list.items.type`,
  ],
  'apiextensions.v1.JSONSchemaProps.x-kubernetes-list-type': [
    kinds.CustomResourceDefinition,
    definition,
    `${fieldsOfDefinition}.properties.list.x-kubernetes-list-type`,
  ],
  'apiextensions.v1.JSONSchemaProps.x-kubernetes-map-type': [
    kinds.CustomResourceDefinition,
    definition,
    `${fieldsOfDefinition}.x-kubernetes-map-type`,
  ],
  'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted': [
    kinds.StatefulSet,
    statefulSet,
    'spec.persistentVolumeClaimRetentionPolicy.whenDeleted',
  ],
  'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled': [
    kinds.StatefulSet,
    statefulSet,
    'spec.persistentVolumeClaimRetentionPolicy.whenScaled',
  ],
  'autoscaling.v2.HPAScalingPolicy.type': [
    kinds.HorizontalPodAutoscaler,
    autoscaler,
    'spec.behavior.scaleUp.policies.0.type',
  ],
  'autoscaling.v2.HPAScalingRules.selectPolicy': [
    kinds.HorizontalPodAutoscaler,
    autoscaler,
    'spec.behavior.scaleUp.selectPolicy',
  ],
  'autoscaling.v2.MetricSpec.type': [kinds.HorizontalPodAutoscaler, autoscaler, 'spec.metrics.0.type'],
  'autoscaling.v2.MetricTarget.type': [
    kinds.HorizontalPodAutoscaler,
    autoscaler,
    'spec.metrics.0.resource.target.type',
  ],
  'core.v1.Container.restartPolicy': [kinds.Pod, restarting, `${first}.restartPolicy`],
  'core.v1.ContainerResizePolicy.resourceName': [kinds.Pod, restarting, `${first}.resizePolicy.0.resourceName`],
  'core.v1.ContainerResizePolicy.restartPolicy': [kinds.Pod, restarting, `${first}.resizePolicy.0.restartPolicy`],
  'core.v1.ContainerRestartRule.action': [kinds.Pod, restarting, `${first}.restartPolicyRules.0.action`],
  'core.v1.ContainerRestartRuleOnExitCodes.operator': [
    kinds.Pod,
    restarting,
    `${first}.restartPolicyRules.0.exitCodes.operator`,
  ],
  'core.v1.PodOS.name': [kinds.Pod, pod, 'spec.os.name'],
  'core.v1.PodSecurityContext.seLinuxChangePolicy': [kinds.Pod, pod, 'spec.securityContext.seLinuxChangePolicy'],
  'core.v1.ServiceSpec.trafficDistribution': [kinds.Service, service, 'spec.trafficDistribution'],
  'core.v1.VolumeMount.recursiveReadOnly': [kinds.Pod, restarting, `${first}.volumeMounts.0.recursiveReadOnly`],
  'flowcontrol.v1.FlowDistinguisherMethod.type': [kinds.FlowSchema, flowSchema, 'spec.distinguisherMethod.type'],
  'flowcontrol.v1.LimitResponse.type': [kinds.PriorityLevelConfiguration, level, 'spec.limited.limitResponse.type'],
  'flowcontrol.v1.PriorityLevelConfigurationSpec.type': [kinds.PriorityLevelConfiguration, level, 'spec.type'],
  'flowcontrol.v1.Subject.kind': [kinds.FlowSchema, flowSchema, 'spec.rules.0.subjects.0.kind'],
  'meta.v1.LabelSelectorRequirement.operator': [
    kinds.Deployment,
    { spec: { selector: { ...selector, matchExpressions: [{ key: 'a', operator: 'Exists' }] }, template } },
    'spec.selector.matchExpressions.0.operator',
  ],
  'networking.v1.IngressClassParametersReference.scope': [kinds.IngressClass, ingressClass, 'spec.parameters.scope'],
  'rbac.v1.RoleRef.kind': [kinds.RoleBinding, binding, 'roleRef.kind'],
  'rbac.v1.Subject.kind': [kinds.RoleBinding, binding, 'subjects.0.kind'],
  'storage.v1.CSIDriverSpec.fsGroupPolicy': [kinds.CSIDriver, driver, 'spec.fsGroupPolicy'],
  'storage.v1.CSIDriverSpec.volumeLifecycleModes': [kinds.CSIDriver, driver, 'spec.volumeLifecycleModes.0'],
}

/** In the status, which a create drops. */
const ofStatus = new Set(['core.v1.LoadBalancerIngress.ipMode'])

/** A copy of the object in which the field has this value. */
function withValue(object: JsonObject, path: string, value: Json): JsonObject {
  const copy = structuredClone(object)
  const names = path.split('.')
  const last = names.pop() ?? ''
  let part: Json = copy
  for (const name of names) {
    if (Array.isArray(part)) part = part[Number(name)] ?? null
    else if (isObject(part)) {
      if (getOwn(part, name) === undefined) setOwn(part, name, {})
      part = getOwn(part, name) ?? null
    }
  }
  if (Array.isArray(part)) part[Number(last)] = value
  else if (isObject(part)) setOwn(part, last, value)
  return copy
}

const api = createControlPlane({ env: simulatedEnv({ seed: 1 }) }).transport()

async function responseTo(kind: Kind, object: JsonObject): Promise<{ status: number; message: string }> {
  const { apiVersion, plural, namespaced } = kind
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const path = `${root}${namespaced ? '/namespaces/default' : ''}/${plural}?dryRun=All`
  const body = { apiVersion, kind: kind.kind, metadata: { name: 'a' }, ...object }
  const response = await api({ method: 'POST', path, body })
  return { status: response.status, message: String((response.body as JsonObject | undefined)?.['message']) }
}

/** `supported values: "A", "B"`, or `must be either A, B, or C`. */
function supportedValues(message: string): string[] {
  const [, quoted, plain = ''] = /supported values: (.+)$|must be either (.+)$/.exec(message) ?? []
  if (quoted !== undefined) return [...quoted.matchAll(/"([^"]+)"/g)].map(([, value = '']) => value)
  return plain.split(/, (?:or )?/).filter((value) => value !== '')
}

const operators = 'meta.v1.LabelSelectorRequirement.operator'
const listed = Object.entries({ ...closedValues, ...closedItems }).filter(
  ([name]) => name !== operators && !ofStatus.has(name),
)

describe('enumerations that the facts do not mark', () => {
  it.each(listed)('a server names the values of %s', async (name, values) => {
    const [kind, object, path] = places[name] ?? expect.fail('this test does not say where the field is')
    const { status, message } = await responseTo(kind, withValue(object, path, 'Wrong'))
    expect(status).toBe(422)
    expect(supportedValues(message).sort(), message).toEqual(values)
  })

  it('a server accepts no other operators in selectors, without a list of them', async () => {
    const [kind, object, path] = places[operators] ?? expect.fail()
    const refused = 'not a valid selector operator'
    expect((await responseTo(kind, withValue(object, path, 'Wrong'))).message).toContain(refused)
    for (const operator of closedValues[operators] ?? []) {
      expect((await responseTo(kind, withValue(object, path, operator))).message).not.toContain(refused)
    }
  })

  it('each is a field of a type', () => {
    const text = readFileSync(new URL('../../src/facts/schemas.json', import.meta.url), 'utf8')
    const types = new Map(
      Object.entries(JSON.parse(text) as Record<string, { properties?: object }>).map(([name, { properties }]) => [
        name.split('.').slice(-3).join('.'),
        properties ?? {},
      ]),
    )
    for (const name of Object.keys({ ...closedValues, ...closedItems, ...mirroredValues })) {
      const dot = name.lastIndexOf('.')
      expect(Object.keys(types.get(name.slice(0, dot)) ?? {}), name).toContain(name.slice(dot + 1))
    }
  })
})
