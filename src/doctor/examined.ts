/** The objects that findings are about, with their kinds, and how commands and messages name them. */
import { keyOf, keyText } from '../api/live-object.ts'
import type { KubeObject, ManagedFieldsEntry, OwnerReference } from '../api/object.ts'
import type { Kind } from '../schema/kind.ts'

export interface Examined {
  readonly kind: Kind
  readonly object: KubeObject
}

/** What was read about one object. Findings are functions of it. */
export interface ObjectFacts extends Examined {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Whether the kind has a status subresource. */
  readonly hasStatus: boolean
  readonly owners: readonly ExaminedOwner[]
  /** Objects that name this one as an owner, and the pods of those that are workloads. */
  readonly dependents: readonly Examined[]
  /** Events of the type Warning about the object and its dependents. */
  readonly warnings: readonly WarningEvent[]
  /** Workloads that may write objects of this kind. Undefined: it was not read. */
  readonly controllers: readonly ControllerWorkload[] | undefined
}

export interface ExaminedOwner {
  readonly reference: OwnerReference
  readonly state: 'exists' | 'gone' | 'replaced' | 'unknown'
}

export interface WarningEvent {
  /** `Pod default/web-1`. */
  readonly about: string
  readonly isAboutObject: boolean
  readonly reason: string
  readonly message: string
  /** Milliseconds since the epoch, of the last time. */
  readonly at: number
  readonly count: number
}

/** A Deployment or StatefulSet whose service account may write objects of a kind. */
export interface ControllerWorkload extends Examined {
  /** The leases that its pods hold or held. */
  readonly leases: readonly KubeObject[]
}

export function isBuiltIn({ group }: Pick<Kind, 'group'>): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io')
}

/** `Guestbook default/one`. */
export function nameOf({ kind, object }: Examined): string {
  return `${kind.kind} ${keyText(keyOf(object))}`
}

/** As kubectl takes it: `guestbooks.example.dev/one -n default`. */
export function kubectlName({ kind, object }: Examined): string {
  const { name = '', namespace } = object.metadata
  const resource = isBuiltIn(kind) ? kind.kind.toLowerCase() : `${kind.plural}.${kind.group}`
  return `${resource}/${name}${namespace === undefined ? '' : ` -n ${namespace}`}`
}

/** The managers that wrote a field, given by the path of its keys in `fieldsV1`. */
export function managersOf(object: KubeObject, ...path: readonly string[]): readonly ManagedFieldsEntry[] {
  return (object.metadata.managedFields ?? []).filter(({ fieldsV1 }) => {
    let place: unknown = fieldsV1
    for (const key of path) {
      if (place === null || typeof place !== 'object' || !Object.hasOwn(place, key)) return false
      place = (place as Record<string, unknown>)[key]
    }
    return true
  })
}
