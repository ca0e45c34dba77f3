/**
 * The rules of a role, indexed by resource and with their lists as sets. Compiled once for each version of a role,
 * because most requests are authorized by RBAC.
 */
import { isObject, type Json } from '../../api/json.ts'
import type { RequestInfo, ResourceRequest } from '../registry/request-info.ts'
import { ruleAllows, type PolicyRule } from './policy-rule.ts'

const none: readonly PolicyRule[] = []

/** The rules of a stored role. Entries that are not objects are skipped. */
export function rulesIn(value: Json | undefined): readonly PolicyRule[] {
  if (!Array.isArray(value)) return none
  return value.every(isObject) ? value : value.filter(isObject)
}

interface ReadyRule {
  readonly rule: PolicyRule
  /** Undefined matches everything. */
  readonly verbs: ReadonlySet<string> | undefined
  readonly groups: ReadonlySet<string> | undefined
  readonly names: ReadonlySet<string> | undefined
}

class CompiledRole {
  /** By resource, or resource and subresource: `pods`, `pods/log`. */
  readonly #byResource = new Map<string, ReadyRule[]>()
  /** Rules with `*` in their resources. */
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

/** Whether everything except the resource matches. */
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
  /** The rules of the stored role that were compiled. */
  readonly rules: Json
  readonly role: CompiledRole
}

/** The compiled roles of one authorizer. Holds one entry for each role that was used and still exists. */
export class CompiledRoles {
  readonly #byKey = new Map<string, Compiled>()

  /** `rules` are those of the role now stored under `key`, frozen with it. Undefined if there is no role. */
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
