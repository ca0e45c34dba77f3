/**
 * What holds of an app after every reconcile, beyond what the explorer checks of every operator (kstatus): the
 * invariants of Flux, and that the phase is a truth. Tests ask it after each write of a status; an empty list means
 * that all is well.
 */
import type { DeepReadonly } from 'coxswain/api'
import type { WebAppStatus } from '../schema/webapp.ts'
import { abnormal } from '../state/conditions.ts'
import { phaseOf } from '../state/phase.ts'

export interface Observed {
  readonly metadata: { readonly generation?: number | undefined; readonly deletionTimestamp?: string | undefined }
  readonly status?: DeepReadonly<WebAppStatus> | undefined
}

export function violations(app: Observed): readonly string[] {
  const { metadata, status = {} } = app
  const { conditions = [], observedGeneration = -1 } = status
  const generation = metadata.generation ?? 0
  const find = (type: string) => conditions.find((condition) => condition.type === type)
  const isTrue = (type: string): boolean => find(type)?.status === 'True'
  const ready = find('Ready')
  const rules: readonly (readonly [broken: boolean, rule: string])[] = [
    [ready === undefined, 'Ready is always there'],
    [isTrue('Ready') && [...abnormal].some(isTrue), 'nothing abnormal is true while Ready is'],
    [
      (isTrue('Reconciling') || isTrue('Stalled')) && ready?.status !== 'False',
      'while Reconciling or Stalled is true, Ready is false',
    ],
    [isTrue('Reconciling') && isTrue('Stalled'), 'Reconciling and Stalled are never true together'],
    [observedGeneration > generation, 'observedGeneration is no more than generation'],
    [observedGeneration < generation && isTrue('Ready'), 'of a generation that was not observed nothing is Ready'],
    [
      isTrue('Ready') && conditions.some((each) => each.observedGeneration !== observedGeneration),
      'when Ready is true, all conditions are of the observed generation',
    ],
    [ready?.status === 'Unknown' && !isTrue('Reconciling'), 'when Ready is unknown, Reconciling is true'],
    [
      [...abnormal].some((type) => find(type) !== undefined && !isTrue(type)),
      'what is abnormal is there only while it is true',
    ],
    [
      conditions.some((condition) => condition.observedGeneration === undefined),
      'every condition says of which generation it is',
    ],
    [new Set(conditions.map(({ type }) => type)).size < conditions.length, 'there is one condition of each type'],
    [conditions.some(({ reason }) => reason === ''), 'every condition has a reason'],
    [
      status.phase !== phaseOf(app) && status.phase !== phaseOf({ ...app, metadata: {} }),
      'the phase is a truth about the conditions',
    ],
  ]
  return rules.filter(([broken]) => broken).map(([, rule]) => rule)
}
