/** Priority: sets the priority and the preemption policy of a pod from its PriorityClass. */
import type { KubeObject } from '../../api/object.ts'
import type { AdmissionRequest } from '../registry/admission.ts'
import type { WriteContext } from '../contract/resource.ts'
import { int, specOf, struct, text } from '../resources/shared/values.ts'
import { on, rejected, type AdmissionPlugin } from './plugin.ts'

interface Priority {
  readonly name: string
  readonly value: number
  /** '' if the class does not set it. */
  readonly preemptionPolicy: string
}

const group = 'scheduling.k8s.io'
const preempts = 'PreemptLowerPriority'
/** Resolved even if the PriorityClass objects do not exist. */
const systemClasses: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2000000000],
  ['system-node-critical', 2000001000],
])

function admitPod(request: AdmissionRequest): void {
  const object = request.object as KubeObject
  if (request.operation === 'UPDATE') keepPriority(object, request.old as KubeObject)
  else setPriority(request, object)
}

/** Keeps the computed values, so that an update may leave them out. */
function keepPriority(object: KubeObject, old: KubeObject): void {
  const spec = specOf(object)
  const before = struct(old.spec)
  for (const field of ['priority', 'preemptionPolicy'] as const) {
    const value = before?.[field]
    if (spec[field] === undefined && value !== undefined) spec[field] = value
  }
}

function setPriority(request: AdmissionRequest, object: KubeObject): void {
  const spec = specOf(object)
  const name = text(spec.priorityClassName)
  const priority = name === '' ? defaultPriority(request.context) : classPriority(request, name)
  const given = spec.priority
  if (typeof given === 'number' && given !== priority.value) {
    throw rejected(
      request,
      `the integer value of priority (${given}) must not be provided in pod spec; ` +
        `priority admission controller computed ${priority.value} from the given PriorityClass name`,
    )
  }
  if (name === '' && priority.name !== '') spec.priorityClassName = priority.name
  spec.priority = priority.value
  if (priority.preemptionPolicy === '') return
  const policy = spec.preemptionPolicy
  if (policy !== undefined && policy !== priority.preemptionPolicy) {
    throw rejected(
      request,
      `the string value of PreemptionPolicy (${text(policy)}) must not be provided in pod spec; ` +
        `priority admission controller computed ${priority.preemptionPolicy} from the given PriorityClass name`,
    )
  }
  spec.preemptionPolicy = priority.preemptionPolicy
}

function priorityOf(object: KubeObject): Priority {
  return {
    name: object.metadata.name ?? '',
    value: int(object.value),
    preemptionPolicy: text(object.preemptionPolicy),
  }
}

function classPriority(request: AdmissionRequest, name: string): Priority {
  const found = request.context.lookup(group, 'priorityclasses', '', name)
  if (found !== undefined) return priorityOf(found)
  const value = systemClasses.get(name)
  if (value !== undefined) return { name, value, preemptionPolicy: preempts }
  throw rejected(request, `no PriorityClass with name ${name} was found`)
}

function defaultPriority(context: WriteContext): Priority {
  const found = defaultClass(context)
  return found === undefined ? { name: '', value: 0, preemptionPolicy: preempts } : priorityOf(found)
}

/** The global default. If there are several, the one with the lowest value. */
function defaultClass(context: WriteContext): KubeObject | undefined {
  let found: KubeObject | undefined
  for (const object of context.lookupAll(group, 'priorityclasses', '')) {
    if (object.globalDefault !== true) continue
    if (found === undefined || int(object.value) < int(found.value)) found = object
  }
  return found
}

function checkClass(request: AdmissionRequest): void {
  const object = request.object as KubeObject
  if (object.globalDefault !== true) return
  const present = defaultClass(request.context)?.metadata.name
  if (present === undefined || (request.operation === 'UPDATE' && present === object.metadata.name)) return
  throw rejected(request, `PriorityClass ${present} is already marked as default. Only one default can exist`)
}

export const priority: AdmissionPlugin = {
  name: 'Priority',
  mutate: { concerns: on('', 'pods', ['CREATE', 'UPDATE']), run: admitPod },
  validate: { concerns: on(group, 'priorityclasses', ['CREATE', 'UPDATE']), run: checkClass },
}
