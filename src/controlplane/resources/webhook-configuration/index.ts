/** ValidatingWebhookConfiguration and MutatingWebhookConfiguration. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkLabel1035 } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkQualifiedDomain } from '../shared/domain-path.ts'
import { checkSupported, reject, sameMeaning } from '../shared/errors.ts'
import { checkLabelSelector } from '../shared/label-selector.ts'
import { fill, items, maybeInt, strings, struct, text } from '../shared/values.ts'
import { checkMatchConditions, withinStepLimit } from '../validating-admission-policy/expressions.ts'
import { checkClient } from './client.ts'
import { checkAdmissionRule } from './rules.ts'

function defaultWebhook(webhook: JsonObject, mutating: boolean): void {
  fill(webhook, 'failurePolicy', 'Fail')
  fill(webhook, 'matchPolicy', 'Equivalent')
  fill(webhook, 'namespaceSelector', {})
  fill(webhook, 'objectSelector', {})
  fill(webhook, 'timeoutSeconds', 10)
  if (mutating) fill(webhook, 'reinvocationPolicy', 'Never')
  for (const rule of items(webhook.rules)) fill(rule, 'scope', '*')
  const service = struct(struct(webhook.clientConfig)?.service)
  if (service !== undefined) fill(service, 'port', 443)
}

const reviewVersions = ['v1', 'v1beta1']

/** `hasKnownConditions`: an update leaves the match conditions of all webhooks as they are. */
function webhookErrors(object: KubeObject, hasKnownConditions: boolean): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [i, webhook] of items(object.webhooks).entries()) {
    const field = `webhooks[${i}]`
    checkWebhook(errors, field, webhook)
    if (!hasKnownConditions) {
      checkMatchConditions(errors, `${field}.matchConditions`, items(webhook.matchConditions), false)
    }
    checkReviewVersions(errors, `${field}.admissionReviewVersions`, strings(webhook.admissionReviewVersions))
    const name = text(webhook.name)
    if (name !== '' && names.has(name)) errors.push(fieldError.duplicate(`${field}.name`, name))
    names.add(name)
  }
  return errors
}

function checkWebhook(errors: FieldError[], field: string, webhook: JsonObject): void {
  checkQualifiedDomain(errors, `${field}.name`, text(webhook.name))
  for (const [i, rule] of items(webhook.rules).entries()) {
    checkAdmissionRule(errors, `${field}.rules[${i}]`, rule)
  }
  checkSupported(errors, `${field}.failurePolicy`, text(webhook.failurePolicy), ['Fail', 'Ignore'])
  checkSupported(errors, `${field}.matchPolicy`, text(webhook.matchPolicy), ['Equivalent', 'Exact'])
  const effects = text(webhook.sideEffects)
  if (effects === '') {
    errors.push(fieldError.required(`${field}.sideEffects`, 'must specify one of None, NoneOnDryRun'))
  } else checkSupported(errors, `${field}.sideEffects`, effects, ['None', 'NoneOnDryRun'])
  const timeout = maybeInt(webhook.timeoutSeconds)
  if (timeout !== undefined && (timeout < 1 || timeout > 30)) {
    const message = 'the timeout value must be between 1 and 30 seconds'
    errors.push(fieldError.invalid(`${field}.timeoutSeconds`, timeout, message))
  }
  checkLabelSelector(errors, `${field}.namespaceSelector`, webhook.namespaceSelector)
  checkLabelSelector(errors, `${field}.objectSelector`, webhook.objectSelector)
  const policy = webhook.reinvocationPolicy
  if (policy !== undefined) {
    checkSupported(errors, `${field}.reinvocationPolicy`, text(policy), ['IfNeeded', 'Never'])
  }
  checkClient(errors, `${field}.clientConfig`, struct(webhook.clientConfig) ?? {})
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const [webhooks, before] = [items(object.webhooks), items(old.webhooks)]
  const isSame =
    webhooks.length === before.length &&
    webhooks.every(({ matchConditions }, i) => sameMeaning(matchConditions, before[i]?.matchConditions))
  return withinStepLimit('webhooks', () => webhookErrors(object, isSame))
}

function checkReviewVersions(errors: FieldError[], field: string, versions: readonly string[]): void {
  if (versions.length === 0) {
    errors.push(fieldError.required(field, `must specify one of ${reviewVersions.join(', ')}`))
    return
  }
  const seen = new Set<string>()
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) {
      errors.push(fieldError.invalid(`${field}[${i}]`, version, 'duplicate version'))
      continue
    }
    seen.add(version)
    reject(errors, `${field}[${i}]`, version, checkLabel1035(version))
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    errors.push(fieldError.invalid(field, [...versions], `must include at least one of ${reviewVersions.join(', ')}`))
  }
}

function webhookRules(mutating: boolean): KindStrategy {
  return {
    default: (object) => {
      for (const webhook of items(object.webhooks)) defaultWebhook(webhook, mutating)
    },
    validate: (object) => withinStepLimit('webhooks', () => webhookErrors(object, false)),
    validateUpdate,
  }
}

export const validatingWebhookConfiguration: KindStrategy = webhookRules(false)
export const mutatingWebhookConfiguration: KindStrategy = webhookRules(true)
