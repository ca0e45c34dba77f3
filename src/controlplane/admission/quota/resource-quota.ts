/**
 * ResourceQuota: rejects writes that would exceed a quota of the namespace. Other writes are added to the quota's
 * status at once, so that the next write sees them. A quota is enforced once a controller has filled in `hard` and
 * `used` of its status.
 */
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { compareQuantities } from '../../../api/quantity.ts'
import { ApiError } from '../../../api/status.ts'
import type { AdmissionRequest } from '../../registry/admission.ts'
import { struct } from '../../resources/shared/values.ts'
import {
  addAmounts,
  amountsText,
  equalAmounts,
  growth,
  pickAmounts,
  readAmounts,
  writeAmounts,
  type ResourceAmounts,
} from '../../resources/shared/amounts.ts'
import { rejected, type AdmissionPlugin, type AdmissionServices } from '../plugin.ts'
import { evaluatorFor, type Evaluator } from './evaluator.ts'
import { scopesOf } from './scopes.ts'

function enforce(services: AdmissionServices, request: AdmissionRequest): void {
  const evaluator = evaluatorFor(request.resource) as Evaluator
  if (evaluator.affects?.(request) === false) return
  const quotas = request.context.lookupAll('', 'resourcequotas', request.namespace)
  if (quotas.length === 0) return
  const matching = quotas.filter((quota) => concerns(request, evaluator, quota))
  if (matching.length === 0) return
  const charges = chargesOf(request, evaluator, matching)
  if (request.context.dryRun) return
  for (const { quota, used } of charges) {
    const failure = services.writeStatus('resourcequotas', charged(quota, used))
    if (failure !== undefined) throw new ApiError(failure)
  }
}

function hardOf(quota: KubeObject): JsonObject {
  return struct(struct(quota.status)?.hard) ?? {}
}

function matches(evaluator: Evaluator, quota: KubeObject, object: KubeObject): boolean {
  if (!Object.keys(hardOf(quota)).some((name) => evaluator.counts(name))) return false
  return scopesOf(struct(quota.spec) ?? {}).every((scope) => evaluator.matchesScope(scope, object))
}

/** Throws if the usage cannot be determined. */
function concerns(request: AdmissionRequest, evaluator: Evaluator, quota: KubeObject): boolean {
  const object = request.object as KubeObject
  if (!matches(evaluator, quota, object)) return false
  const names = Object.keys(hardOf(quota)).filter((name) => evaluator.counts(name))
  const problem = evaluator.problem?.(names, object)
  if (problem !== undefined) throw rejected(request, `failed quota: ${quota.metadata.name}: ${problem}`)
  const used = struct(struct(quota.status)?.used) ?? {}
  if (names.some((name) => !Object.hasOwn(used, name))) {
    throw rejected(request, `status unknown for quota: ${quota.metadata.name}, resources: ${names.sort().join(',')}`)
  }
  return true
}

interface Charge {
  readonly quota: KubeObject
  readonly used: ResourceAmounts
}

function chargesOf(request: AdmissionRequest, evaluator: Evaluator, quotas: readonly KubeObject[]): Charge[] {
  const { old } = request
  const usage = evaluator.usage(request.object as KubeObject, request.context.env.now())
  const negative = [...usage].filter(([, amount]) => amount.unscaled < 0n).map(([name]) => name)
  if (negative.length > 0)
    throw rejected(request, `quota usage is negative for resource(s): ${negative.sort().join(',')}`)
  const more = old === undefined ? usage : growth(usage, evaluator.usage(old, request.context.env.now()))
  const charges: Charge[] = []
  for (const quota of quotas) {
    const delta = old !== undefined && matches(evaluator, quota, old) ? more : usage
    const hard = readAmounts(hardOf(quota))
    const requested = pickAmounts(delta, (name) => hard.has(name) && (delta.get(name)?.unscaled ?? 0n) !== 0n)
    if (requested.size === 0) continue
    const before = readAmounts(struct(quota.status)?.used)
    const used = new Map(before)
    addAmounts(used, requested)
    if (request.subresource !== 'status') checkHard(request, quota, { requested, before, used, hard })
    if (!equalAmounts(before, used)) charges.push({ quota, used })
  }
  return charges
}

function checkHard(
  request: AdmissionRequest,
  quota: KubeObject,
  { requested, before, used, hard }: Record<'requested' | 'before' | 'used' | 'hard', ResourceAmounts>,
): void {
  const exceeded = new Set<string>()
  for (const [name, limit] of hard) {
    const total = requested.has(name) ? used.get(name) : undefined
    if (total !== undefined && compareQuantities(total, limit) > 0) exceeded.add(name)
  }
  if (exceeded.size === 0) return
  const shown = (amounts: ResourceAmounts) => amountsText(pickAmounts(amounts, (name) => exceeded.has(name)))
  throw rejected(
    request,
    `exceeded quota: ${quota.metadata.name}, requested: ${shown(requested)}, ` +
      `used: ${shown(before)}, limited: ${shown(hard)}`,
  )
}

function charged(quota: KubeObject, used: ResourceAmounts): KubeObject {
  return { ...quota, status: { ...struct(quota.status), used: writeAmounts(used) } }
}

export function resourceQuotaPlugin(services: AdmissionServices): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    validate: {
      concerns: (target) => evaluatorFor(target.resource)?.handles(target) === true,
      run: (request) => enforce(services, request),
    },
  }
}
