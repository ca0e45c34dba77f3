/** Table cells of pods: STATUS and RESTARTS of `kubectl get pods` are computed from the states of all containers. */
import type { Json, JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { ageText } from '../../../api/age.ts'
import { int, items, struct, text } from '../shared/values.ts'
import { ageCell, conditionTrue, nameCell, orElse } from './format.ts'

interface Summary {
  reason: string
  ready: number
  total: number
  restarts: number
  /** When a container last terminated, as a timestamp; '' if none has. */
  lastRestart: string
}

export function podCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const status = struct(object.status)
  const summary = summarise(object, spec, status)
  const restarts =
    summary.restarts !== 0 && summary.lastRestart !== ''
      ? `${summary.restarts} (${ageText(summary.lastRestart, now)} ago)`
      : String(summary.restarts)
  return [
    nameCell(object),
    `${summary.ready}/${summary.total}`,
    summary.reason,
    restarts,
    ageCell(object, now),
    orElse(items(status?.podIPs)[0]?.ip, '<none>'),
    orElse(spec?.nodeName, '<none>'),
    orElse(status?.nominatedNodeName, '<none>'),
    readinessGates(spec, status),
  ]
}

function summarise(object: KubeObject, spec: JsonObject | undefined, status: JsonObject | undefined): Summary {
  const phase = text(status?.phase)
  const summary: Summary = {
    reason: text(status?.reason) || phase,
    ready: 0,
    total: items(spec?.containers).length,
    restarts: 0,
    lastRestart: '',
  }
  for (const condition of items(status?.conditions)) {
    if (condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated') {
      summary.reason = 'SchedulingGated'
    }
  }
  const sidecars = new Set<string>()
  for (const container of items(spec?.initContainers)) {
    if (container.restartPolicy !== 'Always') continue
    sidecars.add(text(container.name))
    summary.total++
  }
  const pending = summariseInit(summary, sidecars, spec, status)
  if (pending === undefined || conditionTrue(status?.conditions, 'Initialized')) {
    const seen = items(status?.initContainerStatuses).slice(0, pending === undefined ? undefined : pending + 1)
    summariseContainers(
      summary,
      seen.filter(({ name }) => sidecars.has(text(name))),
      status,
    )
  }
  if (object.metadata.deletionTimestamp !== undefined) {
    if (status?.reason === 'NodeLost') summary.reason = 'Unknown'
    else if (phase !== 'Succeeded' && phase !== 'Failed') summary.reason = 'Terminating'
  }
  return summary
}

/**
 * Summarises init containers up to the first one that is not finished or, for sidecars, not started. Returns its index.
 */
function summariseInit(
  summary: Summary,
  sidecars: ReadonlySet<string>,
  spec: JsonObject | undefined,
  status: JsonObject | undefined,
): number | undefined {
  for (const [i, container] of items(status?.initContainerStatuses).entries()) {
    countRestarts(summary, container)
    const state = struct(container.state)
    const terminated = struct(state?.terminated)
    if (terminated !== undefined && int(terminated.exitCode) === 0) continue
    if (sidecars.has(text(container.name)) && container.started === true) {
      if (container.ready === true) summary.ready++
      continue
    }
    const waiting = text(struct(state?.waiting)?.reason)
    if (terminated !== undefined) summary.reason = `Init:${endReason(terminated)}`
    else if (waiting !== '' && waiting !== 'PodInitializing') summary.reason = `Init:${waiting}`
    else summary.reason = `Init:${i}/${items(spec?.initContainers).length}`
    return i
  }
  return undefined
}

function summariseContainers(summary: Summary, sidecars: readonly JsonObject[], status: JsonObject | undefined): void {
  summary.restarts = 0
  summary.lastRestart = ''
  for (const container of sidecars) countRestarts(summary, container)
  let running = false
  let failure = ''
  const containers = items(status?.containerStatuses)
  for (let i = containers.length - 1; i >= 0; i--) {
    const container = containers[i] as JsonObject
    countRestarts(summary, container)
    const state = struct(container.state)
    const waiting = text(struct(state?.waiting)?.reason)
    const terminated = struct(state?.terminated)
    if (waiting !== '') {
      summary.reason = waiting
    } else if (terminated !== undefined) {
      summary.reason = endReason(terminated)
      if (int(terminated.exitCode) !== 0) failure = summary.reason
    } else if (container.ready === true && struct(state?.running) !== undefined) {
      running = true
      summary.ready++
    }
  }
  if (summary.reason !== 'Completed') return
  const isReady = items(status?.conditions).some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  )
  if (running && isReady) summary.reason = 'Running'
  else if (failure !== '') summary.reason = failure
  else if (running) summary.reason = 'NotReady'
}

function endReason(terminated: JsonObject): string {
  const reason = text(terminated.reason)
  if (reason !== '') return reason
  const signal = int(terminated.signal)
  return signal === 0 ? `ExitCode:${int(terminated.exitCode)}` : `Signal:${signal}`
}

function countRestarts(summary: Summary, container: JsonObject): void {
  summary.restarts += int(container.restartCount)
  const ended = text(struct(struct(container.lastState)?.terminated)?.finishedAt)
  if (ended > summary.lastRestart) summary.lastRestart = ended
}

function readinessGates(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const gates = items(spec?.readinessGates)
  if (gates.length === 0) return '<none>'
  const open = gates.filter((gate) => conditionTrue(status?.conditions, text(gate.conditionType))).length
  return `${open}/${gates.length}`
}
