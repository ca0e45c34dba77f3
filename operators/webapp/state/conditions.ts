/**
 * The conditions of an app. Those that are abnormal when true (Reconciling, Stalled, Degraded, DriftDetected, Paused)
 * are there only while they are true; at most one of Reconciling and Stalled is.
 */
import { withCondition } from 'coxswain/controller'
import type { Condition, ConditionUpdate } from 'coxswain'
import type { DeepReadonly } from 'coxswain/api'
import { driftText, type Facts } from './facts.ts'
import { missingText, type Assessment } from './assessment.ts'
import { references } from '../config/references.ts'

/** True means that something is not as it should be. */
export const abnormal: ReadonlySet<string> = new Set(['Reconciling', 'Stalled', 'Degraded', 'DriftDetected', 'Paused'])

type Conditions = readonly DeepReadonly<Condition>[]

/** All that are to be there, Ready first. */
export function conditionsOf(facts: Facts, found: Assessment): readonly ConditionUpdate[] {
  const { app, drift } = facts
  const { state, reason, message, rollout, issue } = found
  const is = (wanted: Assessment['state'], type: string): ConditionUpdate[] =>
    state === wanted ? [{ type, status: true, reason, message }] : []
  // While a roll-out has trouble, that is what a user wants to read first.
  const why = state === 'Reconciling' && issue !== undefined ? issue.reason : reason
  return [
    { type: 'Ready', status: state === 'Ready', reason: why, message },
    ...(rollout === undefined ? [] : available(facts, found)),
    ...(rollout === undefined ? [] : [progressing(found)]),
    ...is('Reconciling', 'Reconciling'),
    ...is('Stalled', 'Stalled'),
    ...is('Degraded', 'Degraded'),
    ...(app.spec.suspend
      ? [{ type: 'Paused', status: true, reason: 'Suspended', message: 'spec.suspend is true' }]
      : []),
    ...(drift.length > 0
      ? [{ type: 'DriftDetected', status: true, reason: 'Drifted', message: drift.map(driftText).join('; ') }]
      : []),
    ...configResolved(facts),
    ...(rollout === undefined ? [] : reachable(facts)),
  ]
}

function available({ service }: Facts, { rollout }: Assessment): ConditionUpdate[] {
  const isAvailable = rollout?.isAvailable === true
  return [
    {
      type: 'Available',
      status: isAvailable,
      reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    },
    { type: 'ServiceReady', status: service !== undefined, reason: service === undefined ? 'NotMade' : 'Made' },
  ]
}

function progressing({ state, reason, rollout }: Assessment): ConditionUpdate {
  if (state === 'Reconciling') return { type: 'Progressing', status: true, reason }
  const finalReason = rollout?.isComplete === true ? 'Complete' : state === 'Stalled' ? reason : 'Halted'
  return { type: 'Progressing', status: false, reason: finalReason }
}

function configResolved({ app, config }: Facts): ConditionUpdate[] {
  if (references(app.spec).length === 0) return []
  const isResolved = config.missing.length === 0
  return [
    {
      type: 'ConfigResolved',
      status: isResolved,
      reason: isResolved ? 'Found' : 'Missing',
      message: missingText(config.missing),
    },
  ]
}

function reachable({ app, ingress }: Facts): ConditionUpdate[] {
  if (app.spec.ingress === undefined) return []
  const address = ingress?.status?.loadBalancer?.ingress?.[0]
  const reason = ingress === undefined ? 'NotMade' : address === undefined ? 'NoAddressYet' : 'HasAddress'
  return [
    { type: 'IngressReady', status: reason === 'HasAddress', reason, message: address?.hostname ?? address?.ip ?? '' },
  ]
}

/** The list with these conditions and no others; the same list when nothing differs. */
export function conditionList(
  before: Conditions,
  updates: readonly ConditionUpdate[],
  generation: number | undefined,
  now: string,
): Conditions {
  const types = new Set(updates.map(({ type }) => type))
  const kept = before.filter(({ type }) => types.has(type))
  const next = updates.reduce<Conditions>((list, update) => withCondition(list, update, generation, now), kept)
  return next.length === before.length && next.every((condition, index) => condition === before[index]) ? before : next
}
