/** Validates a whole pod spec, in upstream's order. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import type { Json, JsonObject } from '../../../../api/json.ts'
import { checkLabel, checkSubdomain } from '../../../../api/names.ts'
import { checkOneOf, checkSupported, reject } from '../errors.ts'
import { inclusiveRange } from '../formats.ts'
import { checkLabels } from '../label-selector.ts'
import { items, maybeInt, struct, text } from '../values.ts'
import { checkAffinity } from './affinity.ts'
import { checkContainers, checkEphemeralContainers, checkInitContainers, type PodContext } from './containers.ts'
import {
  checkDnsConfig,
  checkDnsPolicy,
  checkHostAliases,
  checkHostnameOverride,
  checkHostNetworkPorts,
} from './network.ts'
import { checkPodLevel } from './pod-level.ts'
import { checkPodClaims, checkRequirements } from './resources.ts'
import { checkGates, checkSpreadConstraints, checkTolerations } from './scheduling.ts'
import { checkHostUsers, checkPodSecurityContext } from './security.ts'
import { checkVolumes, type Volumes } from './volumes.ts'
import type { EmptyFields } from '../../../../shape/empty-fields.ts'

const maxInt32 = 2147483647

const noVolumes: Volumes = new Map()
const noClaims: ReadonlySet<string> = new Set()

/** `podName` is '' in a template. `isPod` is false in a template: some values are only rejected in pods. */
export function checkPodSpec(
  errors: FieldError[],
  field: string,
  spec: JsonObject,
  podName: string,
  isPod: boolean,
  empty?: EmptyFields,
): void {
  const grace = maybeInt(spec.terminationGracePeriodSeconds)
  if (grace === undefined) errors.push(fieldError.required(`${field}.terminationGracePeriodSeconds`))
  // Most specs have few of these lists, and skipping a missing list is faster than validating an empty one.
  const volumes =
    spec.volumes === undefined
      ? noVolumes
      : checkVolumes(errors, `${field}.volumes`, items(spec.volumes), podName, isPod)
  const claims =
    spec.resourceClaims === undefined
      ? noClaims
      : checkPodClaims(errors, `${field}.resourceClaims`, items(spec.resourceClaims))
  const pod: PodContext = {
    volumes,
    claims,
    grace,
    restartPolicy: text(spec.restartPolicy),
    hostUsers: spec.hostUsers !== false,
    os: text(struct(spec.os)?.name),
    empty,
  }
  const containers = items(spec.containers)
  checkContainers(errors, `${field}.containers`, containers, pod)
  if (spec.initContainers !== undefined)
    checkInitContainers(errors, `${field}.initContainers`, items(spec.initContainers), containers, pod)
  if (spec.ephemeralContainers !== undefined)
    checkEphemeralContainers(errors, `${field}.ephemeralContainers`, spec, pod)
  if (spec.resources !== undefined) checkPodLevel(errors, `${field}.resources`, spec, claims)
  checkHostNetworkPorts(errors, field, spec, isPod)
  checkOneOf(errors, `${field}.restartPolicy`, pod.restartPolicy, ['Always', 'OnFailure', 'Never'])
  checkDnsPolicy(errors, `${field}.dnsPolicy`, text(spec.dnsPolicy))
  if (spec.nodeSelector !== undefined) checkLabels(errors, `${field}.nodeSelector`, spec.nodeSelector)
  checkPodSecurityContext(errors, `${field}.securityContext`, spec)
  if (spec.affinity !== undefined) checkAffinity(errors, `${field}.affinity`, struct(spec.affinity))
  checkDnsConfig(errors, `${field}.dnsConfig`, spec)
  checkGates(errors, field, spec)
  if (spec.topologySpreadConstraints !== undefined) {
    checkSpreadConstraints(errors, `${field}.topologySpreadConstraints`, items(spec.topologySpreadConstraints))
  }
  checkHostUsers(errors, field, spec)
  checkHostnameOverride(errors, field, spec)
  checkNames(errors, field, spec)
  if (spec.preemptionPolicy !== undefined) {
    const policies = ['PreemptLowerPriority', 'Never']
    checkOneOf(errors, `${field}.preemptionPolicy`, text(spec.preemptionPolicy), policies)
  }
  if (spec.overhead !== undefined) {
    checkRequirements(errors, `${field}.overhead`, { limits: spec.overhead }, new Set())
  }
  checkOs(errors, `${field}.os`, struct(spec.os))
  checkFileRefs(errors, field, spec)
}

/** Names of other objects and of the host, in the order in which upstream validates them. */
function checkNames(errors: FieldError[], field: string, spec: JsonObject): void {
  const check = (name: string, value: Json | undefined, rule: (name: string) => readonly string[]) => {
    if (text(value) !== '') reject(errors, `${field}.${name}`, value, rule(text(value)))
  }
  check('serviceAccountName', spec.serviceAccountName, checkSubdomain)
  check('nodeName', spec.nodeName, checkSubdomain)
  const deadline = spec.activeDeadlineSeconds
  if (typeof deadline === 'number' && (deadline < 1 || deadline > maxInt32)) {
    errors.push(fieldError.invalid(`${field}.activeDeadlineSeconds`, deadline, inclusiveRange(1, maxInt32)))
  }
  check('hostname', spec.hostname, checkLabel)
  check('subdomain', spec.subdomain, checkLabel)
  if (spec.tolerations !== undefined) checkTolerations(errors, `${field}.tolerations`, items(spec.tolerations))
  if (spec.hostAliases !== undefined) checkHostAliases(errors, `${field}.hostAliases`, items(spec.hostAliases))
  check('priorityClassName', spec.priorityClassName, checkSubdomain)
  if (spec.runtimeClassName !== undefined) {
    reject(errors, `${field}.runtimeClassName`, spec.runtimeClassName, checkSubdomain(text(spec.runtimeClassName)))
  }
}

function checkOs(errors: FieldError[], field: string, os: JsonObject | undefined): void {
  if (os === undefined) return
  const name = text(os.name)
  if (name === '') errors.push(fieldError.required(`${field}.name`))
  else checkSupported(errors, field, name, ['linux', 'windows'])
}

/** fileKeyRef may only refer to emptyDir volumes. */
function checkFileRefs(errors: FieldError[], field: string, spec: JsonObject): void {
  let volumes: Map<string, JsonObject> | undefined
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [i, container] of items(spec[list]).entries()) {
      for (const [j, variable] of items(container.env).entries()) {
        const reference = struct(struct(variable.valueFrom)?.fileKeyRef)
        if (reference === undefined) continue
        const at = `${field}.${list}[${i}].env[${j}].valueFrom.fileKeyRef.volumeName`
        const name = text(reference.volumeName)
        // Of several with the same name, the last one.
        volumes ??= new Map(items(spec.volumes).map((volume) => [text(volume.name), volume]))
        const volume = volumes.get(name)
        if (volume === undefined) errors.push(fieldError.notFound(at, name))
        else if (volume.emptyDir === undefined) {
          errors.push(fieldError.invalid(at, name, 'referenced volume must be of type emptyDir'))
        }
      }
    }
  }
}
