/**
 * A role's rules made ready for questions: found by resource, their lists as sets. Made once for each version of a
 * role, since every request of most users asks.
 */
import { isObject, type Json } from '../../api/json.ts'
import type { RequestInfo, ResourceRequest } from '../registry/request-info.ts'
import { ruleAllows, type PolicyRule } from './policy-rule.ts'

const none: readonly PolicyRule[] = []

/** The rules of a stored role; what is no rule is passed over. */
export function rulesIn(value: Json | undefined): readonly PolicyRule[] {
  if (!Array.isArray(value)) return none
  return value.every(isObject) ? value : value.filter(isObject)
}

interface ReadyRule {
  readonly rule: PolicyRule
  /** Undefined: all. */
  readonly verbs: ReadonlySet<string> | undefined
  readonly groups: ReadonlySet<string> | undefined
  readonly names: ReadonlySet<string> | undefined
}

class CompiledRole {
  /** By resource, or resource and subresource: `pods`, `pods/log`. */
  readonly #byResource = new Map<string, ReadyRule[]>()
  /** With a star among their resources. */
  readonly #wild: ReadyRule[] = []
  readonly #urls: PolicyRule[] = []

  constructor(rules: readonly PolicyRule[]) {
    for (const rule of rules) {
      if ((rule.nonResourceURLs?.length ?? 0) > 0) this.#urls.push(rule)
      const resources = rule.resources ?? []
      if (resources.length === 0) continue
      const ready: ReadyRule = {
        rule,
        verbs: setOf(rule.verbs),
        groups: setOf(rule.apiGroups),
        names:
          rule.resourceNames === undefined || rule.resourceNames.length === 0 ? undefined : new Set(rule.resourceNames),
      }
      if (resources.some((resource) => resource.startsWith('*'))) this.#wild.push(ready)
      for (const resource of resources) {
        const known = this.#byResource.get(resource)
        if (known === undefined) this.#byResource.set(resource, [ready])
        else known.push(ready)
      }
    }
  }

  allows(request: RequestInfo): boolean {
    if (!request.isResource) return this.#urls.some((rule) => ruleAllows(rule, request))
    const { resource, subresource } = request
    const exact = this.#byResource.get(subresource === '' ? resource : `${resource}/${subresource}`)
    if (exact !== undefined) for (const ready of exact) if (fits(ready, request)) return true
    for (const ready of this.#wild) if (fits(ready, request) && ruleAllows(ready.rule, request)) return true
    return false
  }
}

/** All but the resource. */
function fits({ verbs, groups, names }: ReadyRule, { verb, group, name }: ResourceRequest): boolean {
  return (
    (verbs === undefined || verbs.has(verb)) &&
    (groups === undefined || groups.has(group)) &&
    (names === undefined || names.has(name))
  )
}

function setOf(values: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return values?.includes('*') === true ? undefined : new Set(values)
}

interface Compiled {
  /** Those of the stored role that the rules were compiled from. */
  readonly rules: Json
  readonly role: CompiledRole
}

/** The roles of one authorizer, compiled. Holds one entry for each role that was asked for and is still there. */
export class CompiledRoles {
  readonly #byKey = new Map<string, Compiled>()

  /** `rules` are those of the role that is stored under `key` now, frozen with it; undefined when there is none. */
  allow(key: string, rules: Json | undefined, request: RequestInfo): boolean {
    let known = this.#byKey.get(key)
    if (known === undefined || known.rules !== rules) {
      if (!Array.isArray(rules) || rules.length === 0) {
        if (known !== undefined) this.#byKey.delete(key)
        return false
      }
      known = { rules, role: new CompiledRole(rulesIn(rules)) }
      this.#byKey.set(key, known)
    }
    return known.role.allows(request)
  }
}
