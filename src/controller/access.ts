/** The API access of a program, as values: the source of generated RBAC, which tests compare with actual use. */
import type { Kind } from '../schema/kind.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** The objects of a permission. */
export interface AccessTarget {
  readonly kind: Kind
  /** `status`, `eviction`: only the subresource. Default: the object itself. */
  readonly subresource?: string | undefined
  /**
   * Only objects with these names. The name of an object that is created is unknown to the authorizer. Default: all.
   */
  readonly names?: readonly string[] | undefined
}

export interface Access extends AccessTarget {
  readonly verbs: readonly Verb[]
}

/** Reading is one permission: an account that may list objects may get and watch them, too. */
export const reading: readonly Verb[] = ['get', 'list', 'watch']

/** The targets, each with these verbs. */
export function accessTo(verbs: Verb | readonly Verb[], targets: readonly (Kind | AccessTarget)[]): readonly Access[] {
  const list = typeof verbs === 'string' ? [verbs] : verbs
  return targets.map((target) => ({ ...(isTarget(target) ? target : { kind: target }), verbs: list }))
}

function isTarget(target: Kind | AccessTarget): target is AccessTarget {
  return typeof target.kind !== 'string'
}
