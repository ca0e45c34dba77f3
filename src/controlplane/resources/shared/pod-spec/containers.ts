/** Validation of regular, init and ephemeral containers. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import type { JsonObject } from '../../../../api/json.ts'
import { checkLabel } from '../../../../api/names.ts'
import { checkOneOf, checkSupported, reject } from '../errors.ts'
import { portName, portNumber } from '../formats.ts'
import { int, items, struct, text } from '../values.ts'
import { checkEnv, checkEnvFrom } from './env.ts'
import { checkDevices, checkMounts } from './mounts.ts'
import { checkHostPortConflicts } from './network.ts'
import { checkLifecycle, checkProbes, type GracePeriod } from './probes.ts'
import { checkRequirements } from './resources.ts'
import { checkSecurityContext } from './security.ts'
import { pullPolicies, type Volumes } from './volumes.ts'
import type { EmptyFields } from '../../../../shape/empty-fields.ts'

/** What the validation of a container needs to know about its pod. */
export interface PodContext {
  readonly volumes: Volumes
  readonly claims: ReadonlySet<string>
  readonly grace: GracePeriod
  readonly restartPolicy: string
  readonly hostUsers: boolean
  /** Explicit empty values of the request. */
  readonly empty: EmptyFields | undefined
  readonly os: string
}

export const protocols = ['SCTP', 'TCP', 'UDP']
const restartPolicies = ['Always', 'Never', 'OnFailure']
const messagePolicies = ['File', 'FallbackToLogsOnError']

export function checkContainers(
  errors: FieldError[],
  field: string,
  containers: readonly JsonObject[],
  pod: PodContext,
): void {
  if (containers.length === 0) {
    errors.push(fieldError.required(field))
    return
  }
  const names = new Set<string>()
  for (const [i, container] of containers.entries()) {
    const at = `${field}[${i}]`
    checkCommon(errors, at, container, pod)
    const name = text(container.name)
    if (names.has(name)) errors.push(fieldError.duplicate(`${at}.name`, name))
    names.add(name)
    checkRuntime(errors, at, container, pod)
    checkRestartPolicy(errors, at, container)
  }
  checkHostPortConflicts(errors, field, containers)
}

function checkRuntime(errors: FieldError[], field: string, container: JsonObject, pod: PodContext): void {
  const lifecycle = struct(container.lifecycle)
  if (lifecycle !== undefined) checkLifecycle(errors, `${field}.lifecycle`, lifecycle, pod.grace, pod.os)
  checkProbes(errors, field, container, pod.grace)
}

const onlySidecars = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']

export function checkInitContainers(
  errors: FieldError[],
  field: string,
  containers: readonly JsonObject[],
  regular: readonly JsonObject[],
  pod: PodContext,
): void {
  const names = new Set(regular.map((container) => text(container.name)))
  for (const [i, container] of containers.entries()) {
    const at = `${field}[${i}]`
    checkCommon(errors, at, container, pod)
    checkInitRestartPolicy(errors, at, container)
    const name = text(container.name)
    if (names.has(name)) errors.push(fieldError.duplicate(`${at}.name`, name))
    else if (name !== '') names.add(name)
    checkHostPortConflicts(errors, field, [container])
    if (container.restartPolicy === 'Always') {
      checkRuntime(errors, at, container, pod)
      continue
    }
    for (const part of onlySidecars) {
      if (container[part] === undefined) continue
      errors.push(
        fieldError.forbidden(`${at}.${part}`, 'may not be set for init containers without restartPolicy=Always'),
      )
    }
  }
}

const notEphemeral = ['ports', 'resources', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle']

export function checkEphemeralContainers(errors: FieldError[], field: string, spec: JsonObject, pod: PodContext): void {
  const others = new Set([...items(spec.containers), ...items(spec.initContainers)].map((c) => text(c.name)))
  const names = new Set(others)
  for (const [i, container] of items(spec.ephemeralContainers).entries()) {
    const at = `${field}[${i}]`
    checkCommon(errors, at, container, pod)
    checkImageWhitespace(errors, at, container)
    const name = text(container.name)
    if (names.has(name)) errors.push(fieldError.duplicate(`${at}.name`, name))
    names.add(name)
    const target = text(container.targetContainerName)
    if (target !== '' && !others.has(target)) {
      errors.push(fieldError.notFound(`${at}.targetContainerName`, target))
    }
    for (const part of notEphemeral) {
      const value = container[part]
      if (value === undefined || (part === 'resources' && Object.keys(struct(value) ?? {}).length === 0)) {
        continue
      }
      errors.push(fieldError.forbidden(`${at}.${part}`, 'cannot be set for an Ephemeral Container'))
    }
    for (const [j, mount] of items(container.volumeMounts).entries()) {
      for (const part of ['subPath', 'subPathExpr'] as const) {
        if (text(mount[part]) === '') continue
        const message = 'cannot be set for an Ephemeral Container'
        errors.push(fieldError.forbidden(`${at}.volumeMounts[${j}].${part}`, message))
      }
    }
  }
}

function checkCommon(errors: FieldError[], field: string, container: JsonObject, pod: PodContext): void {
  const name = text(container.name)
  if (name === '') errors.push(fieldError.required(`${field}.name`))
  else reject(errors, `${field}.name`, name, checkLabel(name))
  if (text(container.image) === '') errors.push(fieldError.required(`${field}.image`))
  checkOneOf(errors, `${field}.terminationMessagePolicy`, text(container.terminationMessagePolicy), messagePolicies)
  if (container.ports !== undefined) checkPorts(errors, `${field}.ports`, items(container.ports))
  if (container.env !== undefined) checkEnv(errors, `${field}.env`, items(container.env))
  if (container.envFrom !== undefined) checkEnvFrom(errors, `${field}.envFrom`, items(container.envFrom))
  if (container.volumeMounts !== undefined) checkMounts(errors, `${field}.volumeMounts`, container, pod.volumes)
  if (container.volumeDevices !== undefined) checkDevices(errors, `${field}.volumeDevices`, container, pod.volumes)
  checkOneOf(errors, `${field}.imagePullPolicy`, text(container.imagePullPolicy), pullPolicies)
  checkRequirements(errors, `${field}.resources`, struct(container.resources), pod.claims)
  if (container.resizePolicy !== undefined)
    checkResizePolicy(errors, `${field}.resizePolicy`, items(container.resizePolicy), pod.restartPolicy)
  checkSecurityContext(errors, `${field}.securityContext`, struct(container.securityContext), pod)
}

function checkPorts(errors: FieldError[], field: string, ports: readonly JsonObject[]): void {
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const at = `${field}[${i}]`
    const name = text(port.name)
    if (name !== '') {
      const messages = portName(name)
      reject(errors, `${at}.name`, name, messages)
      if (messages.length === 0 && names.has(name)) errors.push(fieldError.duplicate(`${at}.name`, name))
      if (messages.length === 0) names.add(name)
    }
    const number = int(port.containerPort)
    if (number === 0) errors.push(fieldError.required(`${at}.containerPort`))
    else reject(errors, `${at}.containerPort`, number, portNumber(number))
    const hostPort = int(port.hostPort)
    if (hostPort !== 0) reject(errors, `${at}.hostPort`, hostPort, portNumber(hostPort))
    checkOneOf(errors, `${at}.protocol`, text(port.protocol), protocols)
  }
}

function checkResizePolicy(
  errors: FieldError[],
  field: string,
  policies: readonly JsonObject[],
  podRestartPolicy: string,
): void {
  const seen = new Set<string>()
  for (const [i, policy] of policies.entries()) {
    const resource = text(policy.resourceName)
    const restart = text(policy.restartPolicy)
    if (seen.has(resource)) errors.push(fieldError.duplicate(`${field}[${i}]`, resource))
    seen.add(resource)
    checkOneOf(errors, field, resource, ['cpu', 'memory'])
    checkOneOf(errors, field, restart, ['NotRequired', 'RestartContainer'])
    if (podRestartPolicy === 'Never' && restart !== 'NotRequired') {
      const message = "must be 'NotRequired' when `restartPolicy` is 'Never'"
      errors.push(fieldError.invalid(field, restart, message))
    }
  }
}

function checkInitRestartPolicy(errors: FieldError[], field: string, container: JsonObject): void {
  if (container.restartPolicy !== 'Always') {
    checkRestartPolicy(errors, field, container)
  } else if (items(container.restartPolicyRules).length > 0) {
    const message = 'restartPolicyRules are not allowed for init containers with restart policy Always'
    errors.push(fieldError.forbidden(`${field}.restartPolicyRules`, message))
  }
}

function checkRestartPolicy(errors: FieldError[], field: string, container: JsonObject): void {
  const rules = items(container.restartPolicyRules)
  if (container.restartPolicy !== undefined) {
    checkSupported(errors, `${field}.restartPolicy`, text(container.restartPolicy), restartPolicies)
  } else if (rules.length > 0) {
    const message = 'must specify restartPolicy when restart rules are used'
    errors.push(fieldError.required(`${field}.restartPolicy`, message))
  }
  if (rules.length > 20) errors.push(fieldError.tooLong(`${field}.restartPolicyRules`, 20))
  for (const [i, rule] of rules.entries()) {
    const at = `${field}.restartPolicyRules[${i}]`
    checkSupported(errors, `${at}.action`, text(rule.action), ['Restart'])
    const codes = struct(rule.exitCodes)
    if (codes === undefined) errors.push(fieldError.required(`${at}.exitCodes`, 'must be specified'))
    else checkSupported(errors, `${at}.exitCodes.operator`, text(codes.operator), ['In', 'NotIn'])
  }
}

/** Only for pods: existing templates may have such images. */
export function checkImageWhitespace(errors: FieldError[], field: string, container: JsonObject): void {
  const image = text(container.image)
  if (image.trim() !== image) {
    errors.push(fieldError.invalid(`${field}.image`, image, 'must not have leading or trailing whitespace'))
  }
}
