/** Oracles that hold for every operator at every write. */
import type { ApiObject, Live } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import type { Condition } from '../controller/conditions.ts'
import type { Kind } from '../schema/kind.ts'
import { kindText, type Oracle } from './explore-changes.ts'

interface Status {
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
}

const statusOf = (object: KubeObject | undefined): Status => (object?.['status'] ?? {}) as Status
const nameOf = (object: KubeObject): string => `${object.kind ?? ''} ${object.metadata.name ?? ''}`
const generationOf = ({ metadata }: KubeObject): number => metadata.generation ?? 0

/** `observedGeneration` never exceeds the generation and never decreases. */
const observedGeneration: Oracle = {
  name: 'observed generation',
  change: ({ object, previous, type }) => {
    const observed = statusOf(object).observedGeneration
    if (observed === undefined || type === 'delete') return undefined
    if (observed > generationOf(object))
      return `${nameOf(object)} has observed ${observed}, and its generation is ${generationOf(object)}`
    const before = statusOf(previous).observedGeneration ?? observed
    return observed < before ? `${nameOf(object)} went back from ${before} to ${observed}` : undefined
  },
}

/** `lastTransitionTime` changes only together with the status of its condition, and each type occurs once. */
const conditions: Oracle = {
  name: 'conditions',
  change: ({ object, previous, by }) => {
    if (by !== 'operator') return undefined
    const now = statusOf(object).conditions ?? []
    const twice = now.find(({ type }, index) => now.findIndex((other) => other.type === type) !== index)
    if (twice !== undefined) return `${nameOf(object)} has two of type ${twice.type}`
    for (const before of statusOf(previous).conditions ?? []) {
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

/** The default oracles. */
export const standardOracles: readonly Oracle[] = [observedGeneration, conditions, owners]

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
