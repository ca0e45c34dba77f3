/** Creation of pods: defaults that templates do not get, and the initial status. */
import { cloneJson, getOwn, setOwn, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { factOf, isDefaulted, internPart } from '../../../api/recurring-part.ts'
import { timestamp } from '../../../env/env.ts'
import { defaultPodSpec } from '../shared/pod-spec/defaults.ts'
import { defaultPodLevel } from '../shared/pod-spec/pod-level.ts'
import { entries, fill, int, items, size, specOf, struct, structOf, text } from '../shared/values.ts'
import type { WriteContext } from '../../contract/resource.ts'
import { qosClass } from '../shared/qos.ts'

export function setPodDefaults(object: KubeObject): void {
  const spec = specOf(object)
  if (!isDefaulted(spec)) defaultSpec(spec)
  joinAddresses(struct(object.status))
}

function defaultSpec(spec: JsonObject): void {
  for (const container of items(spec.containers)) defaultRequests(container)
  for (const container of items(spec.initContainers)) defaultRequests(container)
  defaultPodLevel(spec)
  fill(spec, 'enableServiceLinks', true)
  if (int(spec.terminationGracePeriodSeconds) < 0) spec.terminationGracePeriodSeconds = 1
  if (spec.hostNetwork === true) {
    for (const container of [...items(spec.containers), ...items(spec.initContainers)]) {
      for (const port of items(container.ports)) {
        if (int(port.hostPort) === 0) port.hostPort = int(port.containerPort)
      }
    }
  }
  defaultPodSpec(spec)
}

/** A missing request defaults to the limit. */
function defaultRequests(container: JsonObject): void {
  const resources = struct(container.resources)
  if (resources !== undefined && size(resources.limits) > 0) defaultFromLimits(resources)
}

function defaultFromLimits(resources: JsonObject): void {
  for (const [name, limit] of entries(resources.limits)) {
    const requests = structOf(resources, 'requests')
    if (getOwn(requests, name) === undefined) setOwn(requests, name, limit)
  }
}

/** podIP is the first of podIPs. Copies the one that was set to the other. */
function joinAddresses(status: JsonObject | undefined): void {
  if (status === undefined) return
  const ip = text(status.podIP)
  const first = text(items(status.podIPs)[0]?.ip)
  if (ip !== '' && ip !== first) status.podIPs = [{ ip }]
  else if (ip === '' && first !== '') status.podIP = first
}

export function preparePodForCreate(object: KubeObject, context: WriteContext): void {
  mergeLabelKeys(object, specOf(object))
  const spec = internPart(specOf(object))
  object.spec = spec
  const status: JsonObject = { phase: 'Pending', qosClass: factOf(spec, qosClass) ?? qosClass(spec) }
  if (items(spec.schedulingGates).length > 0) {
    status.conditions = [
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: timestamp(context.env.now()),
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ]
  }
  object.status = status
}

/** Resolves matchLabelKeys and mismatchLabelKeys to expressions with the values of the pod's labels. */
function mergeLabelKeys(object: KubeObject, spec: JsonObject): void {
  for (const field of ['affinity', 'topologySpreadConstraints'] as const) {
    if (spec[field] !== undefined && Object.isFrozen(spec[field])) spec[field] = cloneJson(spec[field])
  }
  const affinity = struct(spec.affinity)
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const given = struct(affinity?.[kind])
    for (const term of items(given?.requiredDuringSchedulingIgnoredDuringExecution)) mergeTerm(object, term)
    for (const weighted of items(given?.preferredDuringSchedulingIgnoredDuringExecution)) {
      const term = struct(weighted.podAffinityTerm)
      if (term !== undefined) mergeTerm(object, term)
    }
  }
  for (const constraint of items(spec.topologySpreadConstraints)) mergeTerm(object, constraint)
}

function mergeTerm(object: KubeObject, term: JsonObject): void {
  const selector = struct(term.labelSelector)
  if (selector === undefined) return
  const labels = object.metadata.labels ?? {}
  for (const [field, operator] of [
    ['matchLabelKeys', 'In'],
    ['mismatchLabelKeys', 'NotIn'],
  ] as const) {
    const keys = term[field]
    if (!Array.isArray(keys)) continue
    for (const key of keys) {
      const name = text(key)
      if (!Object.hasOwn(labels, name)) continue
      const expressions = cloneJson(selector.matchExpressions)
      const added = { key: name, operator, values: [labels[name] as string] }
      selector.matchExpressions = Array.isArray(expressions) ? [...expressions, added] : [added]
    }
  }
}
