/**
 * What a program asks of the API server, as values: what access rules (RBAC) are made from, and what tests compare
 * with.
 */
import type { Kind } from '../schema/kind.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** Objects that verbs are about. */
export interface AccessTarget {
  readonly kind: Kind
  /** `status`, `eviction`: that, and not the object itself. Default: the object. */
  readonly subresource?: string | undefined
  /** Only objects with these names. A server does not know the name of an object that is created. Default: all. */
  readonly names?: readonly string[] | undefined
}

export interface Access extends AccessTarget {
  readonly verbs: readonly Verb[]
}

/** Reading is one permission: an account that may list objects may get and watch them, too. */
export const reading: readonly Verb[] = ['get', 'list', 'watch']

/** The targets of a sentence, each with the verbs. */
export function accessTo(verbs: Verb | readonly Verb[], targets: readonly (Kind | AccessTarget)[]): readonly Access[] {
  const list = typeof verbs === 'string' ? [verbs] : verbs
  return targets.map((target) => ({ ...(isTarget(target) ? target : { kind: target }), verbs: list }))
}

function isTarget(target: Kind | AccessTarget): target is AccessTarget {
  return typeof target.kind !== 'string'
}
