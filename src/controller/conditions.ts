/** Conditions by the API conventions: one per type, and a transition time that changes only with the status. */

export type ConditionStatus = 'True' | 'False' | 'Unknown'

export interface Condition {
  type: string
  status: ConditionStatus
  reason: string
  message: string
  observedGeneration?: number
  lastTransitionTime: string
}

/** The fields of a condition that a reconcile sets; the others are filled in. */
export interface ConditionUpdate {
  readonly type: string
  readonly status: ConditionStatus | boolean
  /** CamelCase, for programs. */
  readonly reason: string
  /** A sentence, for people. Default ''. */
  readonly message?: string | undefined
}

type Conditions = readonly Readonly<Condition>[]

/** The list with this condition: replaced in place, or appended. The same list if nothing changed. */
export function withCondition(
  list: Conditions,
  update: ConditionUpdate,
  generation: number | undefined,
  now: string,
): Conditions {
  const status = typeof update.status === 'boolean' ? (update.status ? 'True' : 'False') : update.status
  const index = list.findIndex(({ type }) => type === update.type)
  const before = list[index]
  const next: Condition = {
    type: update.type,
    status,
    reason: update.reason,
    message: update.message ?? '',
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
  }
  if (before !== undefined && sameCondition(before, next)) return list
  return before === undefined ? [...list, next] : list.with(index, next)
}

export function withoutCondition(list: Conditions, type: string): Conditions {
  return list.some((condition) => condition.type === type) ? list.filter((condition) => condition.type !== type) : list
}

export function findCondition(list: Conditions | undefined, type: string): Readonly<Condition> | undefined {
  return list?.find((condition) => condition.type === type)
}

export function isConditionTrue(list: Conditions | undefined, type: string): boolean {
  return findCondition(list, type)?.status === 'True'
}

function sameCondition(a: Readonly<Condition>, b: Readonly<Condition>): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  )
}
