/**
 * Establishes a CRD: from a new CRD to one whose resources are served. Names are first come, first served within a
 * group; a CRD whose names are taken waits until they are free.
 *
 * Sequence: after every write or delete of a CRD, call {@link establish} for it (and, if it freed names, for the others
 * of its group) and write the status that it returns, until it returns none.
 */
import { equalJson, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { goQuote } from '../../../api/go-format.ts'
import { asObject, objectOf, stringsOf, textOf } from '../../../structural/reading.ts'
import { approvalCondition } from './approval.ts'
import {
  conditionIs,
  findDefinitionCondition,
  sameCondition,
  withDefinitionCondition,
  type DefinitionCondition,
} from './conditions.ts'

/** The field manager of these status updates. */
export const statusManager = 'kube-apiserver'

/**
 * The next status of the CRD, or undefined if it is up to date. One step at a time, like upstream's controllers: names
 * are accepted, then the CRD is established. `others` are all other CRDs; `now` in milliseconds.
 */
export function establish(crd: KubeObject, others: Iterable<KubeObject>, now: number): JsonObject | undefined {
  return nameStep(crd, others, now) ?? approvalStep(crd, now) ?? establishStep(crd, now)
}

function nameStep(crd: KubeObject, others: Iterable<KubeObject>, now: number): JsonObject | undefined {
  const spec = asObject(crd['spec'])
  const status = asObject(crd['status'])
  const requested = objectOf(spec, 'names')
  const accepted = objectOf(status, 'acceptedNames')
  if (equalJson(requested, accepted)) return undefined
  const { names, condition } = acceptNames(requested, accepted, takenNames(textOf(spec, 'group'), crd, others))
  if (equalJson(names, accepted) && sameCondition(condition, findDefinitionCondition(crd, 'NamesAccepted')))
    return undefined
  const conditions = withDefinitionCondition(status['conditions'], condition, now)
  return {
    ...status,
    conditions: withDefinitionCondition(conditions, establishedAfter(crd, condition), now),
    acceptedNames: names,
  }
}

interface Taken {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

/** All accepted names of the group, including those of the CRD itself: a name that it gives up is not free at once. */
function takenNames(group: string, crd: KubeObject, others: Iterable<KubeObject>): Taken {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  for (const other of [crd, ...others]) {
    if (textOf(asObject(other['spec']), 'group') !== group) continue
    const names = objectOf(asObject(other['status']), 'acceptedNames')
    for (const name of [textOf(names, 'plural'), textOf(names, 'singular'), ...stringsOf(names, 'shortNames')]) {
      resources.add(name)
    }
    kinds.add(textOf(names, 'kind')).add(textOf(names, 'listKind'))
  }
  return { resources, kinds }
}

function acceptNames(
  requested: JsonObject,
  accepted: JsonObject,
  taken: Taken,
): { names: JsonObject; condition: DefinitionCondition } {
  const names: JsonObject = { ...accepted }
  let conflict: { reason: string; message: string } | undefined
  for (const [name, used, reason] of [
    ['plural', taken.resources, 'PluralConflict'],
    ['singular', taken.resources, 'SingularConflict'],
    ['shortNames', taken.resources, 'ShortNamesConflict'],
    ['kind', taken.kinds, 'KindConflict'],
    ['listKind', taken.kinds, 'ListKindConflict'],
  ] as const) {
    const message = conflictOf(requested[name], accepted[name], used)
    if (message !== undefined) conflict = { reason, message }
    else copyName(names, requested, name)
  }
  copyName(names, requested, 'categories')
  const condition: DefinitionCondition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict }
  return { names: ordered(names), condition }
}

function copyName(names: JsonObject, requested: JsonObject, name: string): void {
  if (requested[name] === undefined) delete names[name]
  else names[name] = requested[name]
}

/** In the order of the Go type. */
function ordered(names: JsonObject): JsonObject {
  const result: JsonObject = {}
  for (const name of ['plural', 'singular', 'shortNames', 'kind', 'listKind', 'categories']) {
    if (names[name] !== undefined) result[name] = names[name]
  }
  return result
}

function conflictOf(
  requested: Json | undefined,
  accepted: Json | undefined,
  used: ReadonlySet<string>,
): string | undefined {
  if (equalJson(requested, accepted)) return undefined
  const own = new Set(Array.isArray(accepted) ? accepted : [])
  const clashes = (Array.isArray(requested) ? requested : [requested])
    .filter((name): name is string => typeof name === 'string' && !own.has(name) && used.has(name))
    .map((name) => `${goQuote(name)} is already in use`)
  if (clashes.length === 0) return undefined
  return clashes.length === 1 ? clashes[0] : `[${[...new Set(clashes)].join(', ')}]`
}

function establishedAfter(crd: KubeObject, naming: DefinitionCondition): DefinitionCondition {
  const old = findDefinitionCondition(crd, 'Established')
  if (old?.['status'] !== 'True' && naming.status === 'True') {
    return {
      type: 'Established',
      status: 'False',
      reason: 'Installing',
      message: 'the initial names have been accepted',
    }
  }
  if (old === undefined) {
    return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
  }
  return {
    type: 'Established',
    status: old['status'] === 'True' ? 'True' : 'False',
    reason: textOf(old, 'reason'),
    message: textOf(old, 'message'),
  }
}

function approvalStep(crd: KubeObject, now: number): JsonObject | undefined {
  const condition = approvalCondition(crd)
  if (condition === undefined) return undefined
  if (sameCondition(condition, findDefinitionCondition(crd, condition.type))) return undefined
  const status = asObject(crd['status'])
  return { ...status, conditions: withDefinitionCondition(status['conditions'], condition, now) }
}

function establishStep(crd: KubeObject, now: number): JsonObject | undefined {
  if (!conditionIs(crd, 'NamesAccepted', 'True') || conditionIs(crd, 'Established', 'True')) return undefined
  const status = asObject(crd['status'])
  const established: DefinitionCondition = {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  }
  return { ...status, conditions: withDefinitionCondition(status['conditions'], established, now) }
}
