/** Seccomp checks of both levels: of the old annotations and of the security context. */
import { goQuote } from '../../../api/go-format.ts'
import type { JsonObject } from '../../../api/json.ts'
import { entry, struct, text } from '../../resources/shared/values.ts'
import {
  containersText,
  namesOf,
  plural,
  quoted,
  securityOf,
  settersText,
  sorted,
  type CheckedPod,
  type Violation,
} from './check.ts'

const ofPod = 'seccomp.security.alpha.kubernetes.io/pod'
const ofContainer = 'container.seccomp.security.alpha.kubernetes.io/'
const annotated = new Set(['runtime/default', 'docker/default'])
const types = new Set(['RuntimeDefault', 'Localhost'])

export function seccompAnnotations({ annotations, containers }: CheckedPod): Violation | undefined {
  const forbidden = new Set<string>()
  for (const key of [ofPod, ...containers.map(({ name }) => ofContainer + text(name))]) {
    const value = entry(annotations, key)
    if (value === undefined || annotated.has(value) || value.startsWith('localhost/')) continue
    forbidden.add(`${key}=${goQuote(value)}`)
  }
  if (forbidden.size === 0) return undefined
  return {
    reason: 'seccompProfile',
    detail: `forbidden ${plural(forbidden.size, 'annotation')} ${sorted(forbidden).join(', ')}`,
  }
}

function typeOf(security: JsonObject | undefined): string | undefined {
  const profile = struct(security?.seccompProfile)
  return profile === undefined ? undefined : text(profile.type)
}

/** A profile that is set must be an allowed one. */
export function seccompBaseline(pod: CheckedPod): Violation | undefined {
  const values = new Set<string>()
  const isBad = (security: JsonObject | undefined): boolean => {
    const type = typeOf(security)
    if (type === undefined || types.has(type)) return false
    values.add(type)
    return true
  }
  const byPod = isBad(pod.security)
  const setters = settersText(
    byPod,
    namesOf(pod, (container) => isBad(securityOf(container))),
  )
  if (setters === '') return undefined
  return {
    reason: 'seccompProfile',
    detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(sorted(values))}`,
  }
}

/** In addition to the baseline check, a profile must be set. */
export function seccompRestricted(pod: CheckedPod): Violation | undefined {
  const bad = seccompBaseline(pod)
  if (bad !== undefined || typeOf(pod.security) !== undefined) return bad
  const names = namesOf(pod, (container) => typeOf(securityOf(container)) === undefined)
  if (names.length === 0) return undefined
  return {
    reason: 'seccompProfile',
    detail:
      `pod or ${containersText(names)} must set securityContext.seccompProfile.type to "RuntimeDefault" or ` +
      '"Localhost"',
  }
}
