/** Quota usage of pods: their number, and the requests and limits of their containers. */
import { checkQualifiedName } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { items, int, struct, text } from '../../resources/shared/values.ts'
import { count, readAmounts, type ResourceAmounts } from '../../resources/shared/amounts.ts'
import { hasPodLevelAmounts, heldAmounts } from '../../resources/shared/pod-spec/amounts.ts'
import type { Evaluator } from './evaluator.ts'
import { hasActiveDeadline, podScopeMatches } from './scopes.ts'

const computed = ['cpu', 'memory', 'ephemeral-storage']
const names = new Set([
  'count/pods',
  'pods',
  ...computed,
  ...computed.map((name) => `requests.${name}`),
  ...computed.map((name) => `limits.${name}`),
])
const deviceClass = 'deviceclass.resource.kubernetes.io/'

/** A quota on one of these requires every container to set it. */
const mustBeSpecified = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'])

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/')
}

export function isExtended(name: string): boolean {
  if (name.startsWith(deviceClass)) return true
  return !isNative(name) && !name.startsWith('requests.') && checkQualifiedName(`requests.${name}`).length === 0
}

function counts(name: string): boolean {
  if (names.has(name) || name.startsWith('hugepages-') || name.startsWith('requests.hugepages-')) return true
  return name.startsWith('requests.') && (!isNative(name) || name.startsWith(`requests.${deviceClass}`))
}

/** Requests and limits under the resource names that quotas use. */
function underQuotaNames(requests: ResourceAmounts, limits: ResourceAmounts): ResourceAmounts {
  const usage: ResourceAmounts = new Map([['pods', count(1)]])
  for (const name of computed) {
    const request = requests.get(name)
    const limit = limits.get(name)
    if (request !== undefined) usage.set(name, request).set(`requests.${name}`, request)
    if (limit !== undefined) usage.set(`limits.${name}`, limit)
  }
  for (const [name, request] of requests) {
    if (name.startsWith('hugepages-')) usage.set(name, request).set(`requests.${name}`, request)
    if (isExtended(name)) usage.set(`requests.${name}`, request)
  }
  return usage
}

function missing(required: readonly string[], pod: KubeObject): string | undefined {
  const spec = struct(pod.spec) ?? {}
  if (hasPodLevelAmounts(spec)) return undefined
  const containers = new Map<string, Set<string>>()
  for (const container of [...items(spec.containers), ...items(spec.initContainers)]) {
    const resources = struct(container.resources)
    const said = underQuotaNames(readAmounts(resources?.requests), readAmounts(resources?.limits))
    for (const name of required) {
      if (!mustBeSpecified.has(name) || said.has(name)) continue
      const silent = containers.get(name) ?? new Set()
      containers.set(name, silent.add(text(container.name)))
    }
  }
  if (containers.size === 0) return undefined
  const parts = [...containers.keys()]
    .sort()
    .map((name) => `${name} for: ${[...(containers.get(name) as Set<string>)].sort().join(',')}`)
  return `must specify ${parts.join('; ')}`
}

/** Pods that have ended, or are past their grace period, use nothing. */
function isCharged(pod: KubeObject, now: number): boolean {
  const phase = struct(pod.status)?.phase
  if (phase === 'Failed' || phase === 'Succeeded') return false
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true
  return now <= Date.parse(deletionTimestamp) + int(deletionGracePeriodSeconds) * 1000
}

export const podEvaluator: Evaluator = {
  handles: ({ subresource, operation }) => {
    if (subresource === '') return operation === 'CREATE' || operation === 'UPDATE'
    return subresource === 'resize' && operation === 'UPDATE'
  },
  affects: ({ operation, subresource, object, old }) =>
    operation === 'CREATE' ||
    subresource !== '' ||
    hasActiveDeadline(struct(object?.spec) ?? {}) !== hasActiveDeadline(struct(old?.spec) ?? {}),
  counts,
  matchesScope: podScopeMatches,
  problem: missing,
  usage(pod, now) {
    const usage: ResourceAmounts = new Map([['count/pods', count(1)]])
    if (!isCharged(pod, now)) return usage
    const content = pod
    for (const [name, amount] of underQuotaNames(heldAmounts(content, 'requests'), heldAmounts(content, 'limits'))) {
      usage.set(name, amount)
    }
    return usage
  },
}
