/** FlowSchema and PriorityLevelConfiguration: priority and concurrency of requests. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { notSupportedStruct, reject } from '../shared/errors.ts'
import { inclusiveRange } from '../shared/formats.ts'
import { fill, fillZero, int, items, maybeInt, specOf, struct, text } from '../shared/values.ts'
import { checkFlowRule } from './subjects.ts'

const exemptName = 'exempt'
const maxMatchingPrecedence = 10_000
const maxQueues = 10_000_000

function validateSchema(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const precedence = int(spec.matchingPrecedence)
  const field = 'spec.matchingPrecedence'
  if (precedence <= 0) errors.push(fieldError.invalid(field, precedence, 'must be a positive value'))
  if (precedence > maxMatchingPrecedence) {
    errors.push(fieldError.invalid(field, precedence, `must not be greater than ${maxMatchingPrecedence}`))
  }
  if (precedence === 1 && object.metadata.name !== exemptName) {
    const message = "only the schema named 'exempt' may have matchingPrecedence 1"
    errors.push(fieldError.invalid(field, precedence, message))
  }
  const method = struct(spec.distinguisherMethod)
  if (method !== undefined && method.type !== 'ByNamespace' && method.type !== 'ByUser') {
    const shown = { Type: text(method.type) }
    errors.push(notSupportedStruct('spec.distinguisherMethod.type', shown, ['ByNamespace', 'ByUser']))
  }
  const level = text(struct(spec.priorityLevelConfiguration)?.name)
  const at = 'spec.priorityLevelConfiguration.name'
  if (level === '') errors.push(fieldError.required(at, 'must reference a priority level'))
  else reject(errors, at, level, checkSubdomain(level))
  for (const [i, rule] of items(spec.rules).entries()) checkFlowRule(errors, `spec.rules[${i}]`, rule)
  return errors
}

export const flowSchema: KindStrategy = {
  default: (object) => fillZero(specOf(object), 'matchingPrecedence', 1000),
  validate: validateSchema,
  validateUpdate: validateSchema,
  validateStatusUpdate: validateStatus,
}

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  const exempt = struct(spec.exempt)
  if (exempt !== undefined) {
    fill(exempt, 'nominalConcurrencyShares', 0)
    fill(exempt, 'lendablePercent', 0)
  }
  const limited = struct(spec.limited)
  if (limited === undefined) return
  fill(limited, 'nominalConcurrencyShares', 30)
  fill(limited, 'lendablePercent', 0)
  const queuing = struct(struct(limited.limitResponse)?.queuing)
  if (queuing === undefined) return
  fillZero(queuing, 'handSize', 8)
  fillZero(queuing, 'queues', 64)
  fillZero(queuing, 'queueLengthLimit', 50)
}

function validateLevel(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const type = text(spec.type)
  if ((object.metadata.name === exemptName) !== (type === 'Exempt')) {
    errors.push(fieldError.invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"))
  }
  const exempt = struct(spec.exempt)
  const limited = struct(spec.limited)
  if (type === 'Exempt') {
    if (limited !== undefined) {
      errors.push(fieldError.forbidden('spec.limited', 'must be nil if the type is not Limited'))
    }
    if (exempt !== undefined) checkShares(errors, 'spec.exempt', exempt)
  } else if (type === 'Limited') {
    if (exempt !== undefined) {
      errors.push(fieldError.forbidden('spec.exempt', 'must be nil if the type is Limited'))
    }
    if (limited === undefined) {
      errors.push(fieldError.required('spec.limited', 'must not be empty when type is Limited'))
    } else {
      checkShares(errors, 'spec.limited', limited)
    }
  } else {
    errors.push(fieldError.notSupported('spec.type', type, ['Exempt', 'Limited']))
  }
  return errors
}

function checkShares(errors: FieldError[], field: string, shares: JsonObject): void {
  const nominal = int(shares.nominalConcurrencyShares)
  if (nominal < 0) {
    errors.push(fieldError.invalid(`${field}.nominalConcurrencyShares`, nominal, 'must be a non-negative integer'))
  }
  const response = struct(shares.limitResponse)
  if (response !== undefined) checkResponse(errors, `${field}.limitResponse`, response)
  const lendable = int(shares.lendablePercent)
  if (lendable < 0 || lendable > 100) {
    errors.push(fieldError.invalid(`${field}.lendablePercent`, lendable, inclusiveRange(0, 100)))
  }
  const borrowing = maybeInt(shares.borrowingLimitPercent)
  if (borrowing !== undefined && borrowing < 0) {
    const message = 'if specified, must be a non-negative integer'
    errors.push(fieldError.invalid(`${field}.borrowingLimitPercent`, borrowing, message))
  }
}

function checkResponse(errors: FieldError[], field: string, response: JsonObject): void {
  const queuing = struct(response.queuing)
  const at = `${field}.queuing`
  if (response.type === 'Reject') {
    if (queuing === undefined) return
    errors.push(fieldError.forbidden(at, 'must be nil if limited.limitResponse.type is not Limited'))
  } else if (response.type !== 'Queue') {
    errors.push(fieldError.notSupported(`${field}.type`, text(response.type), ['Queue', 'Reject']))
  } else if (queuing === undefined) {
    errors.push(fieldError.required(at, 'must not be empty if limited.limitResponse.type is Limited'))
  } else {
    checkQueuing(errors, at, queuing)
  }
}

function checkQueuing(errors: FieldError[], field: string, queuing: JsonObject): void {
  const [limit, queues, hand] = [int(queuing.queueLengthLimit), int(queuing.queues), int(queuing.handSize)]
  if (limit <= 0) errors.push(fieldError.invalid(`${field}.queueLengthLimit`, limit, 'must be positive'))
  if (queues <= 0) errors.push(fieldError.invalid(`${field}.queues`, queues, 'must be positive'))
  else if (queues > maxQueues) {
    errors.push(fieldError.invalid(`${field}.queues`, queues, `must not be greater than ${maxQueues}`))
  }
  if (hand <= 0) errors.push(fieldError.invalid(`${field}.handSize`, hand, 'must be positive'))
  else if (hand > queues) {
    errors.push(fieldError.invalid(`${field}.handSize`, hand, `should not be greater than queues (${queues})`))
  }
}

/** Conditions must have a type, and each type at most once. */
function validateStatus(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, condition] of items(struct(object.status)?.conditions).entries()) {
    const type = text(condition.type)
    if (seen.has(type)) errors.push(fieldError.duplicate(`status.conditions[${i}].type`, type))
    seen.add(type)
    if (type === '') errors.push(fieldError.required(`status.conditions[${i}].type`))
  }
  return errors
}

export const priorityLevelConfiguration: KindStrategy = {
  default: setDefaults,
  validate: validateLevel,
  validateUpdate: validateLevel,
  validateStatusUpdate: validateStatus,
}
