/**
 * What kstatus says of an object: whether it is as its spec wants it, and which statuses contradict themselves. Kinds
 * of the operator only: built-in kinds have rules of their own.
 */
import type { KubeObject } from '../api/object.ts'
import type { Condition } from './conditions.ts'

interface Status {
  readonly observedGeneration?: number
  readonly conditions?: readonly Partial<Condition>[]
}

/** The status of any object, as far as kstatus knows it. */
export function kstatusOf(object: KubeObject | undefined): Status {
  return (object?.['status'] ?? {}) as Status
}

/** Why the object is not ready; undefined if it is, or if it is being deleted. */
export function whyNotReady(object: KubeObject): string | undefined {
  const { generation = 0, deletionTimestamp } = object.metadata
  if (deletionTimestamp !== undefined) return undefined
  const { observedGeneration, conditions = [] } = kstatusOf(object)
  if (observedGeneration !== undefined && observedGeneration !== generation)
    return `its status is of generation ${observedGeneration}, and its spec of ${generation}`
  for (const condition of conditions) {
    if (saysNotReady(condition)) return conditionText(condition)
    if (condition.type === 'Ready') {
      const observed = condition.observedGeneration ?? generation
      if (observed !== generation) return `Ready is of generation ${observed}, and its spec of ${generation}`
    }
  }
  return undefined
}

/** Whether the condition alone says, by kstatus, that the object is not ready. */
export function saysNotReady({ type, status }: Partial<Condition>): boolean {
  if (type === 'Stalled' || type === 'Reconciling') return status === 'True'
  return type === 'Ready' && status !== 'True'
}

/** Contradictions in a status that an operator wrote. */
export function contradictions(object: KubeObject): readonly string[] {
  const { conditions = [] } = kstatusOf(object)
  const { generation = 0 } = object.metadata
  const isTrue = (wanted: string): boolean =>
    conditions.some(({ type, status }) => type === wanted && status === 'True')
  const types = conditions.map(({ type }) => type)
  const twice = types.find((type, index) => types.indexOf(type) !== index)
  const silent = conditions.find(({ reason = '' }) => reason === '')
  const ahead = conditions.find(({ observedGeneration = generation }) => observedGeneration > generation)
  const rules: readonly (readonly [isBroken: boolean, problem: string])[] = [
    [isTrue('Ready') && isTrue('Reconciling'), 'is Ready and Reconciling'],
    [isTrue('Ready') && isTrue('Stalled'), 'is Ready and Stalled'],
    [isTrue('Reconciling') && isTrue('Stalled'), 'is Reconciling and Stalled'],
    [twice !== undefined, `has two conditions of type ${twice ?? ''}`],
    [silent !== undefined, `has a condition ${silent?.type ?? ''} without a reason`],
    [ahead !== undefined, `has a condition ${ahead?.type ?? ''} of a generation that does not exist yet`],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem)
}

/** `Ready is False (NoDatabase: the database is down)`. */
export function conditionText({ type, status, reason = '', message = '' }: Partial<Condition>): string {
  const why = [reason, message].filter((text) => text !== '').join(': ')
  return `${type} is ${status}${why === '' ? '' : ` (${why})`}`
}
