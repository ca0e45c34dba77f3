/** What a check of the pod security standards is, and the words that many of them share. */
import type { JsonObject } from '../../../api/json.ts'
import { items, struct, text } from '../../resources/shared/values.ts'

/** A pod, or the template of one. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: JsonObject
  /** The pod's own security context. */
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
  /** By the minor version from which on it holds, ascending. */
  readonly versions: readonly (readonly [minor: number, check: PodCheck])[]
  /** A baseline check that this one is stricter than. */
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

/** The names of the containers that something is said of. */
export function namesOf(pod: CheckedPod, isMeant: (container: JsonObject) => boolean): string[] {
  return pod.containers.filter(isMeant).map(({ name }) => text(name))
}

/** `container "a"`, `containers "a", "b"`. */
export function containersText(names: readonly string[]): string {
  return `${plural(names.length, 'container')} ${quoted(names)}`
}

/** `pod and containers "a", "b"`. Empty when nobody did it. */
export function settersText(byPod: boolean, containers: readonly string[]): string {
  const setters = byPod ? ['pod'] : []
  if (containers.length > 0) setters.push(containersText(containers))
  return setters.join(' and ')
}

export function unlessWindows(check: PodCheck): PodCheck {
  return (pod) => (struct(pod.spec.os)?.name === 'windows' ? undefined : check(pod))
}

/** Pods with users of their own cannot harm the node by what they do as root. */
export function unlessOwnUsers(check: PodCheck): PodCheck {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod))
}
