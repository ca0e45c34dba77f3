/** Table cells of workloads: apps, batch, replication controllers, pod templates, disruption budgets, autoscalers. */
import type { Json, JsonObject } from '../../../api/json.ts'
import type { KubeObject, OwnerReference } from '../../../api/object.ts'
import { ageText, humanDuration } from '../../../api/age.ts'
import { int, items, size, struct, text } from '../shared/values.ts'
import {
  ageCell,
  conditionTrue,
  containerCells,
  formatLabels,
  formatSelector,
  nameCell,
  selectorText,
  someOf,
  templateSpec,
} from './format.ts'

export function deploymentCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const status = struct(object.status)
  return [
    nameCell(object),
    `${int(status?.readyReplicas)}/${int(spec?.replicas)}`,
    int(status?.updatedReplicas),
    int(status?.availableReplicas),
    ageCell(object, now),
    ...containerCells(templateSpec(spec)),
    selectorText(spec?.selector) ?? '<invalid>',
  ]
}

export function replicaSetCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  return [...replicas(object, now), ...containerCells(templateSpec(spec)), formatSelector(spec?.selector)]
}

export function replicationControllerCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  return [...replicas(object, now), ...containerCells(templateSpec(spec)), formatLabels(spec?.selector)]
}

function replicas(object: KubeObject, now: number): Json[] {
  const status = struct(object.status)
  return [
    nameCell(object),
    int(struct(object.spec)?.replicas),
    int(status?.replicas),
    int(status?.readyReplicas),
    ageCell(object, now),
  ]
}

export function statefulSetCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  return [
    nameCell(object),
    `${int(struct(object.status)?.readyReplicas)}/${int(spec?.replicas)}`,
    ageCell(object, now),
    ...containerCells(templateSpec(spec)),
  ]
}

export function daemonSetCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const status = struct(object.status)
  const podSpec = templateSpec(spec)
  return [
    nameCell(object),
    int(status?.desiredNumberScheduled),
    int(status?.currentNumberScheduled),
    int(status?.numberReady),
    int(status?.updatedNumberScheduled),
    int(status?.numberAvailable),
    formatLabels(podSpec?.nodeSelector),
    ageCell(object, now),
    ...containerCells(podSpec),
    formatSelector(spec?.selector),
  ]
}

export function controllerRevisionCells(object: KubeObject, now: number): Json[] {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true)
  return [
    nameCell(object),
    owner === undefined ? '<none>' : ownerText(owner),
    int(object.revision),
    ageCell(object, now),
  ]
}

/** `deployment.apps/web`. */
function ownerText(owner: OwnerReference): string {
  const slash = owner.apiVersion.indexOf('/')
  const group = slash < 0 ? '' : owner.apiVersion.slice(0, slash)
  return `${(group === '' ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`
}

export function podTemplateCells(object: KubeObject): Json[] {
  const template = struct(object.template)
  return [nameCell(object), ...containerCells(struct(template?.spec)), formatLabels(struct(template?.metadata)?.labels)]
}

export function jobCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const status = struct(object.status)
  return [
    nameCell(object),
    jobStatus(object, status),
    completions(spec, status),
    jobDuration(status, now),
    ageCell(object, now),
    ...containerCells(templateSpec(spec)),
    formatSelector(spec?.selector),
  ]
}

function jobStatus(object: KubeObject, status: JsonObject | undefined): string {
  const conditions = status?.conditions
  if (conditionTrue(conditions, 'Complete')) return 'Complete'
  if (conditionTrue(conditions, 'Failed')) return 'Failed'
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating'
  for (const type of ['Suspended', 'FailureTarget', 'SuccessCriteriaMet']) {
    if (conditionTrue(conditions, type)) return type
  }
  return 'Running'
}

function completions(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const succeeded = int(status?.succeeded)
  if (typeof spec?.completions === 'number') return `${succeeded}/${spec.completions}`
  const parallelism = int(spec?.parallelism)
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobDuration(status: JsonObject | undefined, now: number): string {
  const start = text(status?.startTime)
  if (start === '') return ''
  const end = text(status?.completionTime)
  return humanDuration((end === '' ? now : Date.parse(end)) - Date.parse(start))
}

export function cronJobCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const status = struct(object.status)
  const jobSpec = struct(struct(spec?.jobTemplate)?.spec)
  const suspend = spec?.suspend
  return [
    nameCell(object),
    text(spec?.schedule),
    typeof spec?.timeZone === 'string' ? spec.timeZone : '<none>',
    suspend === undefined ? '<unset>' : suspend === true ? 'True' : 'False',
    size(status?.active),
    text(status?.lastScheduleTime) === '' ? '<none>' : ageText(status?.lastScheduleTime, now),
    ageCell(object, now),
    ...containerCells(templateSpec(jobSpec)),
    formatSelector(jobSpec?.selector),
  ]
}

export function disruptionBudgetCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  return [
    nameCell(object),
    intOrNothing(spec?.minAvailable),
    intOrNothing(spec?.maxUnavailable),
    int(struct(object.status)?.disruptionsAllowed),
    ageCell(object, now),
  ]
}

function intOrNothing(value: Json | undefined): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : 'N/A'
}

export function autoscalerCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const status = struct(object.status)
  const target = struct(spec?.scaleTargetRef)
  return [
    nameCell(object),
    `${text(target?.kind)}/${text(target?.name)}`,
    metrics(spec, status),
    typeof spec?.minReplicas === 'number' ? String(spec.minReplicas) : '<unset>',
    int(spec?.maxReplicas),
    int(status?.currentReplicas),
    ageCell(object, now),
  ]
}

function metrics(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const specs = items(spec?.metrics)
  if (specs.length === 0) return '<none>'
  const current = items(status?.currentMetrics)
  return someOf(
    specs.map((metric, i) => metricText(metric, current[i])),
    2,
    ', ',
  )
}

const metricFields: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
}

function metricText(metric: JsonObject, status: JsonObject | undefined): string {
  const type = text(metric.type)
  const field = Object.hasOwn(metricFields, type) ? (metricFields[type] as string) : undefined
  if (field === undefined) return '<unknown type>'
  const source = struct(metric[field])
  const target = struct(source?.target)
  const seen = struct(status?.[field])
  const current = struct(seen?.current)
  const average = text(target?.averageValue)
  const currentOf = (field: string): string => (seen === undefined ? '<unknown>' : text(current?.[field]) || '<nil>')
  if (type === 'Pods') return `${currentOf('averageValue')}/${average}`
  if (type === 'External' || type === 'Object') {
    if (average !== '') return `${text(current?.averageValue) || '<unknown>'}/${average} (avg)`
    return `${currentOf('value')}/${text(target?.value)}`
  }
  const name = text(source?.name)
  if (average !== '') return `${name}: ${currentOf('averageValue')}/${average}`
  const used = percentOf(current?.averageUtilization, '<unknown>')
  return `${name}: ${used}/${percentOf(target?.averageUtilization, '<auto>')}`
}

function percentOf(value: unknown, absent: string): string {
  return typeof value === 'number' ? `${value}%` : absent
}
