/** Oracles that hold for every operator at every write. */
import type { ApiObject, Live } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import type { Kind } from '../schema/kind.ts'
import { isPassing, kindText, type Oracle } from './changes.ts'
import { foreignObjects } from './foreign-objects.ts'
import { contradictions, kstatusOf } from '../controller/kstatus.ts'
import { finalizers, leftovers, orphans } from './left-objects.ts'
import { lostField } from './lost-updates.ts'
import { reportedRaces } from './reported-races.ts'

const nameOf = (object: KubeObject): string => `${object.kind ?? ''} ${object.metadata.name ?? ''}`
const generationOf = ({ metadata }: KubeObject): number => metadata.generation ?? 0

/** `observedGeneration` never exceeds the generation and never decreases. */
const observedGeneration: Oracle = {
  name: 'observed generation',
  change: ({ object, previous, type }) => {
    const observed = kstatusOf(object).observedGeneration
    if (observed === undefined || type === 'delete') return undefined
    if (observed > generationOf(object))
      return `${nameOf(object)} has observed ${observed}, and its generation is ${generationOf(object)}`
    const before = kstatusOf(previous).observedGeneration ?? observed
    return observed < before ? `${nameOf(object)} went back from ${before} to ${observed}` : undefined
  },
}

/** `lastTransitionTime` changes only together with the status of its condition. */
const conditions: Oracle = {
  name: 'conditions',
  change: ({ object, previous, by }) => {
    if (by !== 'operator') return undefined
    const now = kstatusOf(object).conditions ?? []
    for (const before of kstatusOf(previous).conditions ?? []) {
      const after = now.find(({ type }) => type === before.type)
      if (
        after !== undefined &&
        after.status === before.status &&
        after.lastTransitionTime !== before.lastTransitionTime
      ) {
        return `${before.type} of ${nameOf(object)} is still ${after.status}, but its lastTransitionTime changed`
      }
    }
    return undefined
  },
}

/** Objects that the operator writes have owners that exist or have existed. */
const owners: Oracle = {
  name: 'owners',
  change: ({ object, by, type }, world) => {
    if (by !== 'operator' || type === 'delete') return undefined
    const unknown = object.metadata.ownerReferences?.find(({ uid }) => !world.hasExisted(uid))
    return unknown === undefined
      ? undefined
      : `${nameOf(object)} has the owner ${unknown.kind} ${unknown.name} with a uid that never existed`
  },
}

/** The status that the operator writes of its own kinds does not contradict itself. */
const kstatus: Oracle = {
  name: 'kstatus',
  change: ({ object, by, type }, world) => {
    if (by !== 'operator' || type === 'delete') return undefined
    const isOwn = world.operator.kinds.some((kind) => 'crd' in kind && kindText(kind) === kindText(object))
    const found = isOwn ? contradictions(object) : []
    return found.length === 0 ? undefined : `${nameOf(object)} ${found.join(', and ')}`
  },
}

/** The operator changes or removes a field of another field manager by server-side apply only, which asks for it. */
const lostUpdates: Oracle = {
  name: 'lost updates',
  change: ({ object, previous, by, type, isApply }, world) => {
    if (by !== 'operator' || type === 'create' || isApply || previous === undefined) return undefined
    // Leases change hands.
    if (isPassing(object)) return undefined
    // An object ends with its last finalizer, whoever has put it there.
    const after = type === 'delete' ? { ...previous, metadata: { ...previous.metadata, finalizers: [] } } : object
    const lost = lostField(previous, after, world.operator.managers)
    return lost === undefined
      ? undefined
      : `the operator overwrote ${lost.field} of ${nameOf(object)}, which belongs to ${lost.manager}`
  },
}

/** The default oracles. To leave one out: `standardOracles.filter(({ name }) => name !== 'leftovers')`. */
export const standardOracles: readonly Oracle[] = [
  observedGeneration,
  conditions,
  kstatus,
  owners,
  reportedRaces,
  lostUpdates,
  foreignObjects,
  orphans,
  leftovers,
  finalizers,
]

/**
 * For operators with a finalizer: when an object of `kind` is gone, none of these children that it controls is left.
 */
export function childrenGoFirst(kind: Kind, ...children: readonly Kind[]): Oracle {
  return {
    name: 'children go first',
    change: ({ type, object }, world) => {
      if (type !== 'delete' || kindText(object) !== kindText(kind)) return undefined
      const left = children.flatMap((child) =>
        world
          .objects<ApiObject>(child)
          .filter(
            (each) =>
              each.metadata.ownerReferences?.some(
                ({ uid, controller }) => controller === true && uid === object.metadata.uid,
              ) === true,
          )
          .map(({ metadata }) => `${child.kind} ${metadata.name}`),
      )
      return left.length === 0 ? undefined : `${nameOf(object)} is gone, and ${left.join(', ')} is still there`
    },
  }
}

/**
 * For state machines: the phase of an object of this kind changes along these edges only. '' in `edges` stands for an
 * undefined phase.
 */
export function declaredEdges<T extends ApiObject>(
  kind: Kind<T>,
  phaseOf: (object: Live<T>) => string | undefined,
  edges: Readonly<Record<string, readonly string[]>>,
): Oracle {
  const phase = (object: KubeObject | undefined): string =>
    object === undefined ? '' : (phaseOf(object as unknown as Live<T>) ?? '')
  return {
    name: 'edges',
    change: ({ type, object, previous }) => {
      if (type === 'delete' || kindText(object) !== kindText(kind)) return undefined
      const [from, to] = [phase(previous), phase(object)]
      return from === to || edges[from]?.includes(to) === true
        ? undefined
        : `${nameOf(object)} went from ${from || 'no phase'} to ${to || 'no phase'}, which is not declared`
    },
  }
}
