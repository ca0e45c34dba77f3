/** Priority admission: a pod's class decides its number, and whether it may push others out. */
import { goQuote } from '../../../api/go-format.ts'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { apiError, type ApiError } from '../../../api/status.ts'
import type { WriteContext } from '../../registry/resource.ts'
import { fill, int, text } from '../shared/values.ts'

interface Priority {
  readonly name: string
  readonly value: number
  readonly preemptionPolicy: string
}

const group = 'scheduling.k8s.io'
const preempts = 'PreemptLowerPriority'
const systemClasses: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2000000000,
  'system-node-critical': 2000001000,
}

export function admitPriority(object: KubeObject, spec: JsonObject, context: WriteContext): void {
  const name = text(spec.priorityClassName)
  const priority = name === '' ? defaultPriority(context) : classPriority(object, name, context)
  const given = spec.priority
  if (typeof given === 'number' && given !== priority.value) {
    const message =
      `the integer value of priority (${given}) must not be provided in pod spec; ` +
      `priority admission controller computed ${priority.value} from the given PriorityClass name`
    throw refused(object, message)
  }
  if (priority.name !== '') spec.priorityClassName = priority.name
  spec.priority = priority.value
  const policy = text(spec.preemptionPolicy)
  if (policy !== '' && policy !== priority.preemptionPolicy) {
    const message =
      `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; ` +
      `priority admission controller computed ${priority.preemptionPolicy} from the given PriorityClass name`
    throw refused(object, message)
  }
  fill(spec, 'preemptionPolicy', priority.preemptionPolicy)
}

function refused(object: KubeObject, why: string): ApiError {
  return apiError.forbidden({ group: '', resource: 'pods' }, object.metadata.name ?? '', why)
}

function priorityOf(object: KubeObject): Priority {
  return {
    name: object.metadata.name ?? '', value: int(object.value),
    preemptionPolicy: text(object.preemptionPolicy) || preempts,
  }
}

function classPriority(object: KubeObject, name: string, context: WriteContext): Priority {
  const found = context.lookup(group, 'priorityclasses', '', name)
  if (found !== undefined) return priorityOf(found)
  const value = Object.hasOwn(systemClasses, name) ? systemClasses[name] : undefined
  if (value !== undefined) return { name, value, preemptionPolicy: preempts }
  throw refused(object, `no PriorityClass with name ${goQuote(name).slice(1, -1)} was found`)
}

/** The global default with the lowest value; 0 when no class is one. */
function defaultPriority(context: WriteContext): Priority {
  let found: Priority | undefined
  for (const object of context.lookupAll(group, 'priorityclasses', '')) {
    if (object.globalDefault !== true) continue
    const candidate = priorityOf(object)
    if (found === undefined || candidate.value < found.value) found = candidate
  }
  return found ?? { name: '', value: 0, preemptionPolicy: preempts }
}
