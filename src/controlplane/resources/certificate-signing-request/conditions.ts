/** The conditions of a CertificateSigningRequest: which subresource may set them, and that a decision is final. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { timestamp } from '../../../env/env.ts'
import type { SubresourceStrategy, WriteContext } from '../../contract/resource.ts'
import { checkSupported } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import { unifiedDiff } from '../shared/unified-diff.ts'
import { items, struct, structOf, text } from '../shared/values.ts'

const field = 'status.conditions'
const decisions = ['Approved', 'Denied'] as const
const lasting = [...decisions, 'Failed']

function conditionsOf(object: KubeObject): readonly JsonObject[] {
  return items(struct(object.status)?.conditions)
}

const ofType = (conditions: readonly JsonObject[], type: string) =>
  conditions.filter((condition) => text(condition.type) === type)

/** Sets the times that the client left out. */
export function stampConditions(object: KubeObject, old: KubeObject, context: WriteContext): void {
  const now = timestamp(context.env.now())
  const before = new Map<string, JsonObject>()
  for (const condition of conditionsOf(old)) {
    const key = JSON.stringify([condition.type, condition.status])
    if (!before.has(key)) before.set(key, condition)
  }
  for (const condition of conditionsOf(object) as JsonObject[]) {
    if (isUnset(condition.lastUpdateTime)) condition.lastUpdateTime = now
    if (!isUnset(condition.lastTransitionTime)) continue
    const same = before.get(JSON.stringify([condition.type, condition.status]))
    condition.lastTransitionTime = isUnset(same?.lastTransitionTime) ? now : (same?.lastTransitionTime as Json)
  }
}

const isUnset = (time: Json | undefined): boolean => time === undefined || time === null || time === ''

/** A status update keeps approvals and denials as they are. Validation rejects added or removed ones. */
export function keepDecisions(object: KubeObject, old: KubeObject): void {
  const status = struct(object.status)
  const conditions = [...conditionsOf(object)]
  for (const type of decisions) {
    const before = ofType(conditionsOf(old), type)
    const now = ofType(conditions, type)
    if (before.length !== now.length) continue
    let next = 0
    for (const [i, condition] of conditions.entries()) {
      if (text(condition.type) === type) conditions[i] = before[next++] as JsonObject
    }
  }
  if (status !== undefined && conditions.length > 0) status.conditions = conditions
}

const statuses = ['False', 'True', 'Unknown']

export function checkRequestConditions(errors: FieldError[], object: KubeObject, old: KubeObject | undefined): void {
  const conditions = conditionsOf(object)
  const before = old === undefined ? [] : conditionsOf(old)
  const hadBoth = decisions.every((type) => ofType(before, type).length > 0)
  const hadRepeats = new Set(before.map(({ type }) => text(type))).size < before.length
  const hadUntyped = before.some((other) => text(other.type) === '')
  const seen = new Set<string>()
  for (const [i, condition] of conditions.entries()) {
    const type = text(condition.type)
    if (type === '' && !hadUntyped) errors.push(fieldError.required(`${field}[${i}].type`))
    const status = text(condition.status)
    if (status === '') errors.push(fieldError.required(`${field}[${i}].status`))
    else checkSupported(errors, `${field}[${i}].status`, status, lasting.includes(type) ? ['True'] : statuses)
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined
    if (other !== undefined && seen.has(other) && !hadBoth) {
      errors.push(fieldError.invalid(field, type, 'Approved and Denied conditions are mutually exclusive'))
    }
    if (seen.has(type) && !hadRepeats) errors.push(fieldError.duplicate(`${field}[${i}].type`, type))
    seen.add(type)
  }
}

/** `mayDecide`: the approval subresource; `mayIssue`: the status subresource. */
export function checkChange(
  errors: FieldError[],
  object: KubeObject,
  old: KubeObject,
  { mayDecide, mayIssue }: { mayDecide: boolean; mayIssue: boolean },
): void {
  const now = conditionsOf(object)
  const before = conditionsOf(old)
  for (const type of lasting) {
    if (ofType(now, type).length < ofType(before, type).length) {
      errors.push(fieldError.forbidden(field, `updates may not remove a condition of type ${JSON.stringify(type)}`))
    }
  }
  for (const type of mayDecide ? [] : decisions) checkDecision(errors, type, ofType(now, type), ofType(before, type))
  const certificate = text(struct(object.status)?.certificate)
  const issued = text(struct(old.status)?.certificate)
  if (certificate === issued) return
  if (!mayIssue) errors.push(fieldError.forbidden('status.certificate', 'updates may not set certificate content'))
  else if (issued !== '')
    errors.push(fieldError.forbidden('status.certificate', 'updates may not modify existing certificate content'))
}

function checkDecision(
  errors: FieldError[],
  type: string,
  now: readonly JsonObject[],
  before: readonly JsonObject[],
): void {
  if (now.length < before.length) return
  if (now.length > before.length) {
    errors.push(fieldError.forbidden(field, `updates may not add a condition of type ${JSON.stringify(type)}`))
  } else if (!equalJson(now, before)) {
    const show = (list: readonly JsonObject[]) =>
      JSON.stringify(
        list.map((condition) => internalJson('CertificateSigningRequestCondition', condition)),
        undefined,
        1,
      )
    const diff = unifiedDiff(show(before), show(now))
    errors.push(
      fieldError.forbidden(field, `updates may not modify a condition of type ${JSON.stringify(type)}\n${diff}`),
    )
  }
}

/** The approval subresource changes only conditions. */
export function approvalRules(check: (object: KubeObject, old: KubeObject) => FieldError[]): SubresourceStrategy {
  return {
    resetPaths: [['spec'], ['status', 'certificate']],
    prepare(object, old, context) {
      stampConditions(object, old, context)
      const conditions = struct(object.status)?.conditions
      if (old.spec !== undefined) object.spec = old.spec
      object.status = { ...struct(old.status) }
      if (conditions === undefined) delete structOf(object, 'status').conditions
      else structOf(object, 'status').conditions = conditions
    },
    validate(object, old) {
      const errors = check(object, old)
      checkChange(errors, object, old, { mayDecide: true, mayIssue: false })
      return errors
    },
  }
}
