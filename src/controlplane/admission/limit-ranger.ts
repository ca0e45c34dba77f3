/**
 * LimitRanger: fills in default requests and limits of containers, and rejects pods and claims outside the limit ranges
 * of their namespace.
 */
import { getOwn, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { thaw } from '../../api/recurring-part.ts'
import { integerValue, milliValue, parseQuantity, quantityText, type Quantity } from '../../api/quantity.ts'
import type { AdmissionRequest } from '../registry/admission.ts'
import { entries, items, specOf, struct, structOf, text } from '../resources/shared/values.ts'
import { readAmounts, zero, type ResourceAmounts } from '../resources/shared/amounts.ts'
import { on, rejected, type AdmissionPlugin, type PluginHook } from './plugin.ts'
import { specAmounts } from '../resources/shared/pod-spec/amounts.ts'

const annotation = 'kubernetes.io/limit-ranger'

function limitRanges({ context, namespace, old }: AdmissionRequest): readonly KubeObject[] {
  if (old?.metadata.deletionTimestamp !== undefined) return []
  return context.lookupAll('', 'limitranges', namespace)
}

function limitsOf(range: KubeObject, type: string): readonly JsonObject[] {
  return items(struct(range.spec)?.limits).filter((limit) => limit.type === type)
}

function fillDefaults(request: AdmissionRequest): void {
  const pod = request.object as KubeObject
  for (const range of limitRanges(request)) {
    const defaults = { limits: new Map<string, Json>(), requests: new Map<string, Json>() }
    for (const limit of limitsOf(range, 'Container')) {
      for (const [name, value] of entries(limit.default)) defaults.limits.set(name, value)
      for (const [name, value] of entries(limit.defaultRequest)) defaults.requests.set(name, value)
    }
    if (defaults.limits.size + defaults.requests.size === 0) continue
    const spec = specOf(pod)
    thaw(spec)
    const notes: string[] = []
    for (const [list, called] of [
      ['containers', 'container'],
      ['initContainers', 'init container'],
    ] as const) {
      for (const container of items(spec[list])) {
        for (const [which, word] of [
          ['requests', 'request'],
          ['limits', 'limit'],
        ] as const) {
          const filled = fillMissing(container, which, defaults[which])
          if (filled.length > 0) notes.push(`${filled.join(', ')} ${word} for ${called} ${text(container.name)}`)
        }
      }
    }
    if (notes.length === 0) continue
    setOwn((pod.metadata.annotations ??= {}), annotation, `LimitRanger plugin set: ${notes.join('; ')}`)
    // Some defaults of the pod depend on the resources of its containers, so defaulting runs again.
    request.resource.strategy.default?.(pod)
  }
}

/** Returns the sorted names of the resources that were filled in. */
function fillMissing(
  container: JsonObject,
  which: 'requests' | 'limits',
  defaults: ReadonlyMap<string, Json>,
): string[] {
  const present = struct(struct(container.resources)?.[which]) ?? {}
  const missing = [...defaults.keys()].filter((name) => getOwn(present, name) === undefined).sort()
  if (missing.length === 0) return missing
  const sorted: JsonObject = {}
  for (const name of [...Object.keys(present), ...missing].sort()) {
    setOwn(sorted, name, getOwn(present, name) ?? (defaults.get(name) as Json))
  }
  structOf(container, 'resources')[which] = sorted
  return missing
}

function checkPod(request: AdmissionRequest): void {
  const spec = specOf(request.object as KubeObject)
  check(request, (range) => {
    const problems: string[] = []
    for (const limit of items(struct(range.spec)?.limits)) {
      if (limit.type === 'Container') {
        for (const container of [...items(spec.containers), ...items(spec.initContainers)]) {
          const resources = struct(container.resources)
          checkLimit(problems, limit, readAmounts(resources?.requests), readAmounts(resources?.limits))
        }
      } else if (limit.type === 'Pod') {
        checkLimit(problems, limit, specAmounts(spec, 'requests'), specAmounts(spec, 'limits'))
      }
    }
    return problems
  })
}

function checkClaim(request: AdmissionRequest): void {
  const requests = readAmounts(struct(specOf(request.object as KubeObject).resources)?.requests)
  check(request, (range) => {
    const problems: string[] = []
    for (const limit of limitsOf(range, 'PersistentVolumeClaim')) {
      for (const bound of boundsOf(limit, 'min')) checkMin(problems, bound, requests, new Map())
      for (const bound of boundsOf(limit, 'max')) {
        const request = requests.get(bound.name)
        const what = `maximum ${bound.name} usage per ${bound.type} is ${quantityText(bound.amount)}`
        if (request === undefined) problems.push(`${what}.  No request is specified`)
        else if (compare(request, bound.amount) > 0) problems.push(`${what}, but request is ${quantityText(request)}`)
      }
    }
    return problems
  })
}

/** The first violated range decides. All its violations are reported, without duplicates. */
function check(request: AdmissionRequest, problemsBy: (range: KubeObject) => string[]): void {
  for (const range of limitRanges(request)) {
    const problems = [...new Set(problemsBy(range))]
    if (problems.length === 0) continue
    throw rejected(request, problems.length === 1 ? (problems[0] as string) : `[${problems.join(', ')}]`)
  }
}

interface Bound {
  readonly name: string
  readonly type: string
  readonly amount: Quantity
}

function boundsOf(limit: JsonObject, field: 'min' | 'max' | 'maxLimitRequestRatio'): Bound[] {
  const type = text(limit.type)
  return entries(limit[field]).map(([name, value]) => ({ name, type, amount: parseQuantity(text(value)) }))
}

function checkLimit(problems: string[], limit: JsonObject, requests: ResourceAmounts, limits: ResourceAmounts): void {
  for (const bound of boundsOf(limit, 'min')) checkMin(problems, bound, requests, limits)
  for (const bound of boundsOf(limit, 'max')) checkMax(problems, bound, requests, limits)
  for (const bound of boundsOf(limit, 'maxLimitRequestRatio')) checkRatio(problems, bound, requests, limits)
}

function checkMin(
  problems: string[],
  { name, type, amount }: Bound,
  requests: ResourceAmounts,
  limits: ResourceAmounts,
): void {
  const what = `minimum ${name} usage per ${type} is ${quantityText(amount)}`
  const request = requests.get(name)
  const limit = limits.get(name)
  if (request === undefined) problems.push(`${what}.  No request is specified`)
  else if (compare(request, amount) < 0) problems.push(`${what}, but request is ${quantityText(request)}`)
  else if (limit !== undefined && compare(limit, amount) < 0)
    problems.push(`${what}, but limit is ${quantityText(limit)}`)
}

function checkMax(
  problems: string[],
  { name, type, amount }: Bound,
  requests: ResourceAmounts,
  limits: ResourceAmounts,
): void {
  const what = `maximum ${name} usage per ${type} is ${quantityText(amount)}`
  const request = requests.get(name)
  const limit = limits.get(name)
  if (limit === undefined) problems.push(`${what}.  No limit is specified`)
  else if (compare(limit, amount) > 0) problems.push(`${what}, but limit is ${quantityText(limit)}`)
  else if (request !== undefined && compare(request, amount) > 0) {
    problems.push(`${what}, but request is ${quantityText(request)}`)
  }
}

function checkRatio(
  problems: string[],
  { name, type, amount }: Bound,
  requests: ResourceAmounts,
  limits: ResourceAmounts,
): void {
  const what = `${name} max limit to request ratio per ${type} is ${quantityText(amount)}`
  const request = requests.get(name) ?? zero
  const limit = limits.get(name) ?? zero
  if (request.unscaled === 0n) problems.push(`${what}, but no request is specified or request is 0`)
  else if (limit.unscaled === 0n) problems.push(`${what}, but no limit is specified or limit is 0`)
  else {
    const fine = [request, limit, amount].every(isFine)
    const ratio = fine
      ? Number(milliValue(limit)) / Number(milliValue(request))
      : Number(integerValue(limit)) / Number(integerValue(request))
    const exceeds = isFine(amount) ? ratio * 1000 > Number(milliValue(amount)) : ratio > Number(integerValue(amount))
    if (exceeds) problems.push(`${what}, but provided ratio is ${ratio.toFixed(6)}`)
  }
}

const maxMilli = (2n ** 63n - 1n) / 1000n

/** True if the amount in thousandths fits an int64. */
function isFine(amount: Quantity): boolean {
  return integerValue(amount) <= maxMilli
}

/** Compares thousandths if both amounts allow it, otherwise whole units. */
function compare(a: Quantity, b: Quantity): number {
  const value = isFine(a) && isFine(b) ? milliValue : integerValue
  const difference = value(a) - value(b)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

const newPods = on('', 'pods', ['CREATE'])
const resizedPods = on('', 'pods', ['UPDATE'], ['resize'])
const claims = on('', 'persistentvolumeclaims', ['CREATE', 'UPDATE'])
const concernsPod: PluginHook['concerns'] = (target) => newPods(target) || resizedPods(target)

export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',
  mutate: { concerns: concernsPod, run: fillDefaults },
  validate: {
    concerns: (target) => concernsPod(target) || claims(target),
    run: (request) => {
      if (request.resource.plural === 'pods') checkPod(request)
      else checkClaim(request)
    },
  },
}
