/** `POST …/pods/NAME/eviction`: a delete that respects the pod's PodDisruptionBudget. */
import { cloneJson, isObject, setOwn, type JsonObject } from '../../api/json.ts'
import { labelSelectorFrom, type LabelSelector } from '../../api/label-selector-object.ts'
import type { KubeObject } from '../../api/object.ts'
import { fieldError } from '../../api/field-error.ts'
import { ApiError, apiError, type Status } from '../../api/status.ts'
import { timestamp } from '../../env/env.ts'
import { trackUpdate } from '../fields/track-update.ts'
import { Admission } from './admission.ts'
import { decodeBody } from './body.ts'
import { liveVersion, notFound, storageKey, writeContext, type RegistryCall } from './call.ts'
import { removeObject } from './delete.ts'
import { matchNamespace, withResourceVersion } from './metadata.ts'
import { deleteOptions, writeOptions, type DeleteOptions } from './options.ts'
import { actionBody, actionSucceeded } from './action-body.ts'
import { setPodCondition } from './pod-condition.ts'
import type { Resource } from '../contract/resource.ts'
import { trackContext } from './tracking.ts'
import { updateObject } from './update.ts'

const evictionType = actionBody('policy', 'v1', 'Eviction', 'io.k8s.api.policy.v1.Eviction')
const budgets = { group: 'policy', resource: 'poddisruptionbudget' }
const noQuery = new URLSearchParams()

/** More disrupted pods than this mean that the disruption controller does not confirm evictions. */
const maxDisruptedPods = 2000
/** Sent as retryAfterSeconds while the disruption controller has not observed the budget's generation yet. */
const retryWhenBehind = 10

const tooManyBudgets: Status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  code: 500,
}

export function evictPod(call: RegistryCall): Status {
  const { dryRun, fieldValidation } = writeOptions('CreateOptions', call.request.query)
  const { object: eviction } = decodeBody(call, evictionType, fieldValidation)
  matchNamespace(eviction.metadata, call.resource, call.namespace)
  const context = writeContext(call, dryRun)
  const admission = new Admission(call, 'CREATE', eviction, undefined, context)
  admission.mutate()
  if ((eviction.metadata.name ?? '') !== call.name)
    throw apiError.badRequest('name in URL does not match name in Eviction object')
  const options = optionsOf(call, eviction, dryRun)
  admission.validate()
  const pod = liveVersion(call)?.object
  if (pod === undefined) throw notFound(call)
  if (!needsBudget(pod)) return carryOut(call, options)
  const guarding = context
    .lookupAll('policy', 'poddisruptionbudgets', call.namespace)
    .filter((budget) => guards(budget, pod))
  if (guarding.length > 1) throw new ApiError(tooManyBudgets)
  const [budget] = guarding
  if (budget !== undefined && !mayGoUnhealthy(budget, pod)) takeFrom(call, budget, pod, options.dryRun)
  return carryOut(call, options)
}

function optionsOf(call: RegistryCall, eviction: KubeObject, dryRun: boolean): DeleteOptions {
  const raw = eviction['deleteOptions'] as JsonObject | undefined
  if (raw?.['ignoreStoreReadErrorWithClusterBreakingPotential'] === true) {
    const field = 'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential'
    const why = 'can not be set for pod eviction, try after removing the option'
    throw apiError.invalid('policy', 'Eviction', call.name, [fieldError.invalid(field, true, why)])
  }
  const options = deleteOptions(raw, noQuery)
  return { ...options, dryRun: options.dryRun || dryRun }
}

/** Pods that are not running (pending, finished or being deleted) need no budget. */
function needsBudget(pod: KubeObject): boolean {
  const phase = structOf(pod, 'status')['phase']
  return (
    phase !== 'Succeeded' && phase !== 'Failed' && phase !== 'Pending' && pod.metadata.deletionTimestamp === undefined
  )
}

function guards(budget: KubeObject, pod: KubeObject): boolean {
  const selector = structOf(budget, 'spec')['selector'] as LabelSelector | undefined
  return labelSelectorFrom(selector).matches(pod.metadata.labels ?? {})
}

/** Whether the pod is not ready and can be evicted without taking from the budget. */
function mayGoUnhealthy(budget: KubeObject, pod: KubeObject): boolean {
  const conditions = structOf(pod, 'status')['conditions']
  const isReady =
    Array.isArray(conditions) &&
    conditions.some(
      (condition) => isObject(condition) && condition['type'] === 'Ready' && condition['status'] === 'True',
    )
  if (isReady) return false
  if (structOf(budget, 'spec')['unhealthyPodEvictionPolicy'] === 'AlwaysAllow') return true
  const status = structOf(budget, 'status')
  return count(status, 'currentHealthy') >= count(status, 'desiredHealthy') && count(status, 'desiredHealthy') > 0
}

/** Takes one disruption from the budget, or throws. */
function takeFrom(call: RegistryCall, budget: KubeObject, pod: KubeObject, dryRun: boolean): void {
  const name = budget.metadata.name as string
  const status = structOf(budget, 'status')
  if (count(status, 'observedGeneration') < (budget.metadata.generation ?? 0)) {
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, retryWhenBehind)
  }
  const allowed = count(status, 'disruptionsAllowed')
  if (allowed < 0) throw apiError.forbidden(budgets, name, 'pdb disruptions allowed is negative')
  if (Object.keys(structIn(status, 'disruptedPods')).length > maxDisruptedPods) {
    throw apiError.forbidden(
      budgets,
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    )
  }
  if (allowed === 0) throw tooMany(whyNot(name, status), 0)
  if (dryRun) return
  const resource = call.backend.catalog.findAnyVersion('policy', 'poddisruptionbudgets') as Resource
  const ofBudget: RegistryCall = {
    ...call,
    resource,
    name,
    subresource: 'status',
    request: { ...call.request, headers: { 'user-agent': 'kube-apiserver' } },
  }
  const live = liveVersion(ofBudget)
  if (live === undefined) throw notFound(ofBudget)
  const next = cloneJson(live.object)
  const now = timestamp(call.backend.env.now())
  const after = (next['status'] ??= {}) as JsonObject
  after['disruptionsAllowed'] = allowed - 1
  if (allowed === 1) closeBudget(after, now)
  setOwn((after['disruptedPods'] ??= {}) as JsonObject, pod.metadata.name as string, now)
  trackUpdate(live.object, next, 'kube-apiserver', trackContext(ofBudget))
  updateObject(ofBudget, writeOptions('UpdateOptions', noQuery), live, { object: next, unknown: [] })
}

/** Sets DisruptionAllowed to False, until the disruption controller counts again. */
function closeBudget(status: JsonObject, now: string): void {
  const conditions = (status['conditions'] ??= []) as JsonObject[]
  const type = 'DisruptionAllowed'
  const old = conditions.find((condition) => condition['type'] === type)
  const next: JsonObject = { type, status: 'False' }
  if (count(status, 'observedGeneration') !== 0) next['observedGeneration'] = count(status, 'observedGeneration')
  next['lastTransitionTime'] = old?.['status'] === 'False' ? (old['lastTransitionTime'] ?? null) : now
  next['reason'] = 'InsufficientPods'
  next['message'] = ''
  if (old === undefined) conditions.push(next)
  else conditions[conditions.indexOf(old)] = next
}

function whyNot(name: string, status: JsonObject): string {
  const conditions = Array.isArray(status['conditions']) ? (status['conditions'] as JsonObject[]) : []
  const condition = conditions.find(({ type }) => type === 'DisruptionAllowed')
  const message = condition?.['status'] === 'False' ? String(condition['message'] ?? '') : ''
  const start = `The disruption budget ${name}`
  if (message !== '' && condition?.['reason'] === 'SyncFailed') {
    return `${start} does not allow evicting pods currently because it failed sync: ${message}`
  }
  const desired = count(status, 'desiredHealthy')
  const healthy = count(status, 'currentHealthy')
  if (healthy <= desired) return `${start} needs ${desired} healthy pods and has ${healthy} currently`
  if (message !== '')
    return `${start} does not allow evicting pods currently (${condition?.['reason'] as string}): ${message}`
  return `${start} does not allow evicting pods currently`
}

function tooMany(message: string, retryAfterSeconds: number): ApiError {
  const details = { causes: [{ reason: 'DisruptionBudget', message }] }
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: 'TooManyRequests',
    details: retryAfterSeconds > 0 ? { ...details, retryAfterSeconds } : details,
    code: 429,
  })
}

/** Sets the DisruptionTarget condition and deletes the pod. */
function carryOut(call: RegistryCall, options: DeleteOptions): Status {
  const ofPod: RegistryCall = { ...call, subresource: '', isAdmitted: true }
  let { preconditions } = options
  if (!options.dryRun) {
    const { store, env } = call.backend
    const key = storageKey(call.resource, call.namespace, call.name)
    const live = store.get(key)
    if (live === undefined) throw apiError.notFound({ group: '', resource: 'pods' }, call.name)
    checkPreconditions(call, live.object, options)
    const pod = cloneJson(live.object)
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    }
    setPodCondition((pod['status'] ??= {}) as JsonObject, condition, timestamp(env.now()))
    const stored = store.put(key, live.revision, (revision) => withResourceVersion(pod, revision))
    if (preconditions.resourceVersion !== undefined) {
      preconditions = { ...preconditions, resourceVersion: stored?.object.metadata.resourceVersion ?? '' }
    }
  }
  removeObject(ofPod, call.namespace, call.name, { ...options, preconditions })
  return actionSucceeded
}

function checkPreconditions(call: RegistryCall, pod: KubeObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions
  const kind = { group: '', resource: 'Pod' }
  if (uid !== undefined && uid !== '' && uid !== pod.metadata.uid) {
    const why =
      `the UID in the precondition (${uid}) does not match the UID in record (${pod.metadata.uid}). The object ` +
      'might have been deleted and then recreated'
    throw apiError.conflict(kind, call.name, why)
  }
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== pod.metadata.resourceVersion) {
    const why =
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in ` +
      `record (${pod.metadata.resourceVersion}). The object might have been modified`
    throw apiError.conflict(kind, call.name, why)
  }
}

function structOf(object: KubeObject, field: string): JsonObject {
  const value = object[field]
  return isObject(value) ? value : {}
}

function structIn(parent: JsonObject, field: string): JsonObject {
  const value = parent[field]
  return isObject(value) ? value : {}
}

function count(parent: JsonObject, field: string): number {
  const value = parent[field]
  return typeof value === 'number' ? value : 0
}
