/** PolicyRule: what a rule allows, whether rules cover the rights of others, and rules in messages. */
import { goQuote } from '../../api/go-format.ts'
import type { RequestInfo, ResourceRequest } from '../registry/request-info.ts'

/** As stored: every list may be absent. */
export interface PolicyRule {
  readonly verbs?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export function ruleAllows(rule: PolicyRule, request: RequestInfo): boolean {
  if (!includes(rule.verbs, request.verb)) return false
  if (!request.isResource) return urlAllowed(rule.nonResourceURLs, request.path)
  if (!includes(rule.apiGroups, request.group)) return false
  return resourceAllowed(rule.resources, request) && nameAllowed(rule.resourceNames, request.name)
}

function includes(values: readonly string[] | undefined, wanted: string): boolean {
  return values !== undefined && (values.includes(wanted) || values.includes('*'))
}

function resourceAllowed(values: readonly string[] | undefined, { resource, subresource }: ResourceRequest): boolean {
  if (values === undefined) return false
  if (values.includes('*')) return true
  if (subresource === '') return values.includes(resource)
  return values.includes(`${resource}/${subresource}`) || values.includes(`*/${subresource}`)
}

function nameAllowed(values: readonly string[] | undefined, name: string): boolean {
  return values === undefined || values.length === 0 || values.includes(name)
}

function urlAllowed(values: readonly string[] | undefined, path: string): boolean {
  return values !== undefined && values.some((value) => urlCovers(value, path))
}

/** Only trailing stars are wildcards; several count as one. */
function urlCovers(pattern: string, path: string): boolean {
  if (pattern === path) return true
  let end = pattern.length
  while (end > 0 && pattern[end - 1] === '*') end--
  return end < pattern.length && path.startsWith(pattern.slice(0, end))
}

/**
 * The wanted rights that none of the owned rules covers, each with one verb, one resource or URL, and at most one name.
 */
export function missingRights(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const missing: PolicyRule[] = []
  for (const rule of wanted) {
    for (const right of singleRights(rule)) if (!owned.some((owner) => covers(owner, right))) missing.push(right)
  }
  return missing
}

/** A rule with at most one value in each list. */
interface SingleRight {
  readonly verbs: readonly [string]
  readonly apiGroups?: readonly [string]
  readonly resources?: readonly [string]
  readonly resourceNames?: readonly [string]
  readonly nonResourceURLs?: readonly [string]
}

function* singleRights(rule: PolicyRule): Iterable<SingleRight> {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        if (resourceNames.length === 0) yield { apiGroups: [group], resources: [resource], verbs: [verb] }
        for (const name of resourceNames)
          yield { apiGroups: [group], resources: [resource], verbs: [verb], resourceNames: [name] }
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) yield { nonResourceURLs: [url], verbs: [verb] }
}

function covers(owner: PolicyRule, right: SingleRight): boolean {
  if (!includes(owner.verbs, right.verbs[0])) return false
  const names = owner.resourceNames ?? []
  if (right.nonResourceURLs !== undefined) {
    const [url] = right.nonResourceURLs
    return names.length === 0 && (owner.nonResourceURLs ?? []).some((pattern) => urlCovers(pattern, url))
  }
  const [name] = right.resourceNames ?? []
  if (names.length > 0 && (name === undefined || !names.includes(name))) return false
  const [group = ''] = right.apiGroups ?? []
  const [resource = ''] = right.resources ?? []
  return includes(owner.apiGroups, group) && resourceCovered(owner.resources ?? [], resource)
}

function resourceCovered(owned: readonly string[], resource: string): boolean {
  if (owned.includes('*') || owned.includes(resource)) return true
  const slash = resource.indexOf('/')
  return slash >= 0 && owned.includes(`*${resource.slice(slash)}`)
}

/** Missing rights for a message: one line for each resource and name with all its verbs, sorted. */
export function describeRights(rights: readonly PolicyRule[]): string {
  const byTarget = new Map<string, PolicyRule & { verbs: string[] }>()
  const lines = new Set<string>()
  for (const right of rights) {
    if ((right.nonResourceURLs?.length ?? 0) > 0) {
      lines.add(ruleText(right))
      continue
    }
    const target = JSON.stringify([right.apiGroups, right.resources, right.resourceNames])
    const known = byTarget.get(target)
    if (known === undefined) byTarget.set(target, { ...right, verbs: [...(right.verbs ?? [])] })
    else known.verbs.push(...(right.verbs ?? []))
  }
  for (const right of byTarget.values()) lines.add(ruleText(right))
  return [...lines].sort(byBytes).join('\n')
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

const shown = [
  ['APIGroups', 'apiGroups'],
  ['Resources', 'resources'],
  ['NonResourceURLs', 'nonResourceURLs'],
  ['ResourceNames', 'resourceNames'],
  ['Verbs', 'verbs'],
] as const

function ruleText(rule: PolicyRule): string {
  const parts: string[] = []
  for (const [title, field] of shown) {
    const values = rule[field]
    if (values !== undefined && values.length > 0) parts.push(`${title}:${quotedList(values)}`)
  }
  return `{${parts.join(', ')}}`
}

/** A list of strings as messages show it: `["a" "b"]`. */
export function quotedList(values: readonly string[]): string {
  return `[${values.map(goQuote).join(' ')}]`
}
