/** Validation of the cluster IPs and IP families of a service, and of their changes. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkSupported, reject } from '../shared/errors.ts'
import { addressMessages, isAddress6 } from '../shared/ip.ts'
import { strings, text } from '../shared/values.ts'
import { headless, isHeadless } from './service-type.ts'

const families = ['IPv4', 'IPv6']
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack']

export function checkClusterIps(errors: FieldError[], spec: JsonObject, before: JsonObject | undefined): void {
  if (spec.type === 'ExternalName') return
  const field = 'spec.clusterIPs'
  const ips = strings(spec.clusterIPs)
  const shown = [...ips]
  const ip = text(spec.clusterIP)
  if (ip === '') {
    if (ips.length > 0) {
      errors.push(fieldError.invalid(field, shown, 'must be empty when `clusterIP` is not specified'))
    }
  } else if (ips.length === 0) {
    errors.push(fieldError.required(field))
  } else if (ips[0] !== ip) {
    errors.push(fieldError.invalid(field, shown, 'first value must match `clusterIP`'))
  }
  checkFamilies(errors, spec)
  if (!checkAddresses(errors, field, ips, new Set(strings(before?.clusterIPs)))) return
  if (ips.length > 1 && new Set(ips.map(isAddress6)).size < 2) {
    errors.push(fieldError.invalid(field, shown, 'may specify no more than one IP for each IP family'))
  }
  if (isHeadless(spec)) return
  for (const [i, family] of strings(spec.ipFamilies).slice(0, ips.length).entries()) {
    const address = ips[i] as string
    if ((family === 'IPv6') === isAddress6(address) || !families.includes(family)) continue
    const message = `expected an ${family} value as indicated by \`ipFamilies[${i}]\``
    errors.push(fieldError.invalid(`${field}[${i}]`, address, message))
  }
}

function checkFamilies(errors: FieldError[], spec: JsonObject): void {
  const seen = new Set<string>()
  for (const [i, family] of strings(spec.ipFamilies).entries()) {
    checkSupported(errors, `spec.ipFamilies[${i}]`, family, families)
    if (seen.has(family)) errors.push(fieldError.duplicate(`spec.ipFamilies[${i}]`, family))
    seen.add(family)
  }
  if (spec.ipFamilyPolicy !== undefined) {
    checkSupported(errors, 'spec.ipFamilyPolicy', text(spec.ipFamilyPolicy), policies)
  }
}

/** False if one of them is not an IP address. */
function checkAddresses(
  errors: FieldError[],
  field: string,
  ips: readonly string[],
  known: ReadonlySet<string>,
): boolean {
  let right = true
  for (const [i, ip] of ips.entries()) {
    if (i === 0 && ip === headless) {
      if (ips.length === 1) continue
      right = false
      errors.push(fieldError.invalid(field, [...ips], "'None' must be the first and only value"))
      continue
    }
    if (known.has(ip)) continue
    const messages = addressMessages(ip)
    reject(errors, `${field}[${i}]`, ip, messages)
    if (messages.length > 0) right = false
  }
  if (ips.length > 2) errors.push(fieldError.invalid(field, [...ips], 'may only hold up to 2 values'))
  return right
}

const fixed = 'may not change once set'

/** The first cluster IP and family are immutable. */
export function checkClusterIpsUpdate(errors: FieldError[], spec: JsonObject, before: JsonObject): void {
  if (spec.type === 'ExternalName' || before.type === 'ExternalName') return
  const wasHeadless = isHeadless(before)
  if (wasHeadless && isHeadless(spec)) return
  const ips = strings(spec.clusterIPs)
  const old = strings(before.clusterIPs)
  if (old.length === ips.length) {
    for (const [i, ip] of old.entries()) {
      if (ip !== ips[i]) errors.push(fieldError.invalid(`spec.clusterIPs[${i}]`, [...ips], fixed))
    }
  } else {
    if (ips.length === 0) {
      errors.push(fieldError.invalid('spec.clusterIPs[0]', [], 'primary clusterIP can not be unset'))
    } else if (old.length > 0 && ips[0] !== old[0]) {
      errors.push(fieldError.invalid('spec.clusterIPs[0]', [...ips], fixed))
    }
  }
  if (isHeadless(spec) || wasHeadless) return
  const nowFamilies = strings(spec.ipFamilies)
  const oldFamilies = strings(before.ipFamilies)
  if (nowFamilies.length === oldFamilies.length && nowFamilies.some((family, i) => family !== oldFamilies[i])) {
    errors.push(fieldError.invalid('spec.ipFamilies[0]', [...nowFamilies], fixed))
  }
}
