/**
 * PodSecurity: enforces the level that the labels of a namespace set. Violating pods are rejected or cause warnings,
 * workloads with violating templates cause warnings, and so does a stricter label if existing pods violate it. The
 * audit level only adds annotations to the audit log.
 */
import { fieldErrorMessage } from '../../../api/field-error.ts'
import { goQuote } from '../../../api/go-format.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { apiError } from '../../../api/status.ts'
import type { AdmissionRequest, AdmissionTarget } from '../../registry/admission.ts'
import { items, struct, text } from '../../resources/shared/values.ts'
import { on, type AdmissionPlugin } from '../plugin.ts'
import { checkedPod, type CheckedPod } from './check.ts'
import { violations, violationsText } from './evaluate.ts'
import { equalLevels, levels, levelVersionText, policyOf, type LevelVersion, type Policy } from './policy.ts'

/** At most this many pods of a namespace are checked. */
const maxPods = 3000

function namespacePolicy({ context, namespace }: AdmissionRequest): Policy {
  const found = context.lookup('', 'namespaces', '', namespace)
  if (found === undefined) {
    throw apiError.internal(`Internal error occurred: failed to lookup namespace ${goQuote(namespace)}`)
  }
  return policyOf(found.metadata.labels)
}

function checkPod(request: AdmissionRequest): void {
  const policy = namespacePolicy(request)
  const { enforce, audit, warn } = policy
  const entry = request.context.audit
  if (policy.errors.length === 0 && [enforce, audit, warn].every(({ level }) => level === 'privileged')) {
    entry?.annotate(`${annotationPrefix}enforce-policy`, 'privileged:latest')
    return
  }
  const pod = request.object as KubeObject
  if (request.operation === 'UPDATE' && !isSignificant(pod, request.old as KubeObject)) return
  const checked = checkedPod(pod.metadata.annotations, struct(pod.spec) ?? {})
  entry?.annotate(`${annotationPrefix}enforce-policy`, levelVersionText(enforce))
  annotate(request, policy, checked)
  const found = violations(enforce, checked)
  if (found.length > 0) {
    const why = `violates PodSecurity ${goQuote(levelVersionText(enforce))}: ${violationsText(found)}`
    throw apiError.forbidden({ group: '', resource: 'pods' }, request.name, why)
  }
  warnOf(request, warn, checked)
}

const annotationPrefix = 'pod-security.kubernetes.io/'

/** Adds to the audit log what the audit level finds, and invalid labels of the namespace. */
function annotate({ context }: AdmissionRequest, { audit, errors }: Policy, pod: CheckedPod): void {
  if (context.audit === undefined) return
  if (errors.length > 0) {
    const texts = [...new Set(errors.map(fieldErrorMessage))]
    const why = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
    context.audit.annotate(`${annotationPrefix}error`, `Failed to parse policy: ${why}`)
  }
  const found = violationWarning(audit, pod)
  if (found !== undefined) context.audit.annotate(`${annotationPrefix}audit-violations`, found)
}

function warnOf({ context }: AdmissionRequest, policy: LevelVersion, pod: CheckedPod): void {
  const found = violationWarning(policy, pod)
  if (found !== undefined) context.warn(found)
}

function violationWarning(policy: LevelVersion, pod: CheckedPod): string | undefined {
  const found = violations(policy, pod)
  if (found.length === 0) return undefined
  return `would violate PodSecurity ${goQuote(levelVersionText(policy))}: ${violationsText(found)}`
}

/** Only changed images and new containers make an update significant. */
function isSignificant(pod: KubeObject, old: KubeObject): boolean {
  const spec = struct(pod.spec) ?? {}
  const before = struct(old.spec) ?? {}
  for (const list of ['containers', 'initContainers'] as const) {
    const was = items(before[list])
    const now = items(spec[list])
    if (now.length !== was.length || now.some(({ image }, i) => text(image) !== text(was[i]?.image))) return true
  }
  const images = new Map(items(before.ephemeralContainers).map(({ name, image }) => [text(name), text(image)]))
  return items(spec.ephemeralContainers).some(({ name, image }) => images.get(text(name)) !== text(image))
}

function checkWorkload(request: AdmissionRequest): void {
  const policy = namespacePolicy(request)
  const { warn, audit, errors } = policy
  const isAudited = request.context.audit !== undefined && audit.level !== 'privileged'
  if (errors.length === 0 && warn.level === 'privileged' && !isAudited) return
  const template = templateOf(request.object as KubeObject, request.resource.plural)
  if (template === undefined) return
  const annotations = struct(template.metadata)?.annotations as Record<string, string> | undefined
  const checked = checkedPod(annotations, struct(template.spec) ?? {})
  annotate(request, policy, checked)
  warnOf(request, warn, checked)
}

function templateOf(object: KubeObject, plural: string): JsonObject | undefined {
  if (plural === 'podtemplates') return struct(object.template)
  const spec = struct(object.spec)
  if (plural === 'cronjobs') return struct(struct(struct(spec?.jobTemplate)?.spec)?.template)
  return struct(spec?.template)
}

function checkNamespace(request: AdmissionRequest): void {
  const { object, old, name } = request
  const policy = policyOf(object?.metadata.labels)
  const before = old === undefined ? undefined : policyOf(old.metadata.labels)
  if (policy.errors.length > 0 && (before === undefined || !sameErrors(policy, before))) {
    throw apiError.invalid('', 'Namespace', name, policy.errors)
  }
  if (before === undefined || policy.enforce.level === 'privileged' || equalLevels(policy.enforce, before.enforce))
    return
  const isRelaxed = levels.indexOf(policy.enforce.level) <= levels.indexOf(before.enforce.level)
  if (policy.enforce.version === before.enforce.version && isRelaxed) return
  warnOfPods(request, policy.enforce)
}

function sameErrors(a: Policy, b: Policy): boolean {
  return equalJson(a.errors, b.errors)
}

/** One warning for all pods with the same violations, under the name of the first. */
function warnOfPods({ context, name }: AdmissionRequest, enforce: LevelVersion): void {
  const pods = byImportance(context.lookupAll('', 'pods', name))
  const byReasons = new Map<string, string[]>()
  for (const pod of pods.slice(0, maxPods)) {
    const found = violations(enforce, checkedPod(pod.metadata.annotations, struct(pod.spec) ?? {}))
    if (found.length === 0) continue
    const reasons = found.map(({ reason }) => reason).join(', ')
    const names = byReasons.get(reasons)
    if (names === undefined) byReasons.set(reasons, [pod.metadata.name ?? ''])
    else names.push(pod.metadata.name ?? '')
  }
  if (pods.length > maxPods) {
    context.warn(
      `new PodSecurity enforce level only checked against the first ${maxPods} of ${pods.length} existing pods`,
    )
  }
  if (byReasons.size === 0) return
  const level = goQuote(levelVersionText(enforce))
  context.warn(`existing pods in namespace ${goQuote(name)} violate the new PodSecurity enforce level ${level}`)
  const texts = [...byReasons].map(([reasons, names]) => `${podsText(names)}: ${reasons}`)
  for (const warning of texts.sort()) context.warn(warning)
}

function podsText(names: string[]): string {
  const first = names.sort()[0] as string
  if (names.length === 1) return first
  return `${first} (and ${names.length - 1} other ${names.length === 2 ? 'pod' : 'pods'})`
}

/** One pod of each controller first, because its other pods are alike. */
function byImportance(pods: readonly KubeObject[]): KubeObject[] {
  const first: KubeObject[] = []
  const others: KubeObject[] = []
  const controllers = new Set<string>()
  for (const pod of pods) {
    const controller = pod.metadata.ownerReferences?.find((owner) => owner['controller'] === true)?.uid
    if (controller !== undefined && controllers.has(controller)) others.push(pod)
    else first.push(pod)
    if (controller !== undefined) controllers.add(controller)
  }
  return [...first, ...others]
}

const ignoredSubresources = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status'])

const workloads = new Set([
  'podtemplates',
  'replicationcontrollers',
  'replicasets.apps',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'cronjobs.batch',
])

const namespaces = on('', 'namespaces', ['CREATE', 'UPDATE'])

function concerns(target: AdmissionTarget): boolean {
  const { resource, subresource, operation } = target
  if (operation !== 'CREATE' && operation !== 'UPDATE') return false
  if (resource.group === '' && resource.plural === 'pods') return !ignoredSubresources.has(subresource)
  const name = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`
  return namespaces(target) || (subresource === '' && workloads.has(name))
}

export const podSecurity: AdmissionPlugin = {
  name: 'PodSecurity',
  validate: {
    concerns,
    run: (request) => {
      switch (request.resource.plural) {
        case 'pods':
          return checkPod(request)
        case 'namespaces':
          return checkNamespace(request)
        default:
          return checkWorkload(request)
      }
    },
  },
}
