/** The interface of a check of the Pod Security Standards, and the helpers that many checks share. */
import type { JsonObject } from '../../../api/json.ts'
import { items, struct, text } from '../../resources/shared/values.ts'

/** A pod or a pod template. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: JsonObject
  /** The security context of the pod, not of its containers. */
  readonly security: JsonObject | undefined
  /** Init containers first, then containers, then ephemeral ones. */
  readonly containers: readonly JsonObject[]
}

export function checkedPod(annotations: Readonly<Record<string, string>> | undefined, spec: JsonObject): CheckedPod {
  return {
    annotations: annotations ?? {},
    spec,
    security: struct(spec.securityContext),
    containers: [...items(spec.initContainers), ...items(spec.containers), ...items(spec.ephemeralContainers)],
  }
}

export interface Violation {
  readonly reason: string
  readonly detail: string
}

export type PodCheck = (pod: CheckedPod) => Violation | undefined

export interface PodSecurityCheck {
  readonly id: string
  readonly level: 'baseline' | 'restricted'
  /** By the first minor version in which each form applies, ascending. */
  readonly versions: readonly (readonly [minor: number, check: PodCheck])[]
  /** The id of the baseline check that this one replaces. */
  readonly overrides?: string
}

export function securityOf(container: JsonObject): JsonObject | undefined {
  return struct(container.securityContext)
}

export function quoted(names: readonly string[]): string {
  return `"${names.join('", "')}"`
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return number === 1 ? one : many
}

export function sorted(values: ReadonlySet<string>): string[] {
  return [...values].sort()
}

/** The names of the matching containers. */
export function namesOf(pod: CheckedPod, isMeant: (container: JsonObject) => boolean): string[] {
  return pod.containers.filter(isMeant).map(({ name }) => text(name))
}

/** `container "a"`, `containers "a", "b"`. */
export function containersText(names: readonly string[]): string {
  return `${plural(names.length, 'container')} ${quoted(names)}`
}

/** `pod and containers "a", "b"`. Empty if neither is set. */
export function settersText(byPod: boolean, containers: readonly string[]): string {
  const setters = byPod ? ['pod'] : []
  if (containers.length > 0) setters.push(containersText(containers))
  return setters.join(' and ')
}

export function unlessWindows(check: PodCheck): PodCheck {
  return (pod) => (struct(pod.spec.os)?.name === 'windows' ? undefined : check(pod))
}

/** In a user namespace, root in the container is not root on the node. */
export function unlessOwnUsers(check: PodCheck): PodCheck {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod))
}
