/** The behavior annotation of autoscaling/v1: JSON with the names of upstream's internal fields. */
import type { Json, JsonObject } from '../../../api/json.ts'
import { items, struct } from '../shared/values.ts'

const directions = [
  ['ScaleUp', 'scaleUp'],
  ['ScaleDown', 'scaleDown'],
] as const
const ruleFields = [
  ['StabilizationWindowSeconds', 'stabilizationWindowSeconds'],
  ['SelectPolicy', 'selectPolicy'],
  ['Policies', 'policies'],
  ['Tolerance', 'tolerance'],
] as const
const policyFields = [
  ['Type', 'type'],
  ['Value', 'value'],
  ['PeriodSeconds', 'periodSeconds'],
] as const

export function behaviorText(behavior: JsonObject): string {
  const result: JsonObject = {}
  for (const [internal, name] of directions) {
    const rules = struct(behavior[name])
    result[internal] = rules === undefined ? null : internalRules(rules)
  }
  return JSON.stringify(result)
}

function internalRules(rules: JsonObject): JsonObject {
  const result: JsonObject = {}
  for (const [internal, name] of ruleFields) {
    const value = rules[name]
    result[internal] = name === 'policies' && value !== undefined ? items(value).map(internalPolicy) : (value ?? null)
  }
  return result
}

function internalPolicy(policy: JsonObject): JsonObject {
  return Object.fromEntries(
    policyFields.map(([internal, name]) => [internal, policy[name] ?? (name === 'type' ? '' : 0)]),
  )
}

export function behaviorFrom(internal: JsonObject): JsonObject {
  const behavior: JsonObject = {}
  for (const [from, name] of directions) {
    const rules = struct(internal[from])
    if (rules !== undefined) behavior[name] = rulesFrom(rules)
  }
  return behavior
}

function rulesFrom(internal: JsonObject): JsonObject {
  const rules: JsonObject = {}
  for (const [from, name] of ruleFields) {
    const value = internal[from]
    if (value === undefined || value === null) continue
    rules[name] =
      name === 'policies'
        ? items(value).map((policy) =>
            Object.fromEntries(policyFields.map(([old, field]) => [field, policy[old] as Json])),
          )
        : value
  }
  return rules
}
