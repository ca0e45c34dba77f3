/** Warnings about pod specs: valid, but probably not what the author wants. */
import { goQuote } from '../../../api/go-format.ts'
import type { Json, JsonObject } from '../../../api/json.ts'
import { checkLabelValue } from '../../../api/names.ts'
import { milliValue, parseQuantity } from '../../../api/quantity.ts'
import { factOf } from '../../../api/recurring-part.ts'
import { WarningList } from '../../contract/warnings.ts'
import { addressWarnings } from './ip.ts'
import { deprecatedLabel } from './node-labels.ts'
import { entries, entry, int, items, strings, struct, text } from './values.ts'
import { EarlierPorts } from './earlier-ports.ts'
import { warnOverlappingPaths } from './volume-warnings.ts'

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
}

const deprecatedVolumes: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
}

/** `path` is '' for a pod and ends with a dot for a template: `spec.template.`. */
export function podWarnings(spec: JsonObject, metadata: JsonObject | undefined, path: string): string[] {
  return factOf(spec, isSilent) === true ? annotationWarnings(metadata, path) : allWarnings(spec, metadata, path)
}

/** Whether a spec has no warnings. */
function isSilent(spec: JsonObject): boolean {
  return allWarnings(spec, undefined, '').length === 0
}

function annotationWarnings(metadata: JsonObject | undefined, path: string): string[] {
  const warnings: string[] = []
  for (const key in deprecatedAnnotations) {
    if (entry(metadata?.annotations, key) === undefined) continue
    warnings.push(`${path}metadata.annotations[${key}]: ${deprecatedAnnotations[key]}`)
  }
  return warnings
}

function allWarnings(spec: JsonObject, metadata: JsonObject | undefined, path: string): string[] {
  const warnings = new WarningList()
  const at = `${path}spec`
  for (const [key] of entries(spec.nodeSelector)) {
    const message = deprecatedLabel(key)
    if (message !== undefined) warnings.push(`${at}.nodeSelector[${key}]: ${message}`)
  }
  const affinity = struct(spec.affinity)
  if (affinity !== undefined) warnNodeAffinity(warnings, `${at}.affinity.nodeAffinity`, struct(affinity.nodeAffinity))
  for (const [i, constraint] of items(spec.topologySpreadConstraints).entries()) {
    const key = text(constraint.topologyKey)
    const message = deprecatedLabel(key)
    if (message !== undefined) warnings.push(`${at}.topologySpreadConstraints[${i}].topologyKey: ${key} is ${message}`)
    if (constraint.labelSelector !== undefined) continue
    warnings.push(
      `${at}.topologySpreadConstraints[${i}].labelSelector: a null labelSelector results in matching no pod`,
    )
  }
  for (const warning of annotationWarnings(metadata, path)) warnings.push(warning)
  for (const [i, volume] of items(spec.volumes).entries()) {
    for (const source in deprecatedVolumes) {
      if (volume[source] === undefined) continue
      const shown = source === 'storageos' ? 'storageOS' : source
      warnings.push(`${at}.volumes[${i}].${shown}: ${deprecatedVolumes[source]}`)
    }
    warnClaim(warnings, `${at}.volumes[${i}]`, volume)
  }
  warnOverlappingPaths(warnings, items(spec.volumes))
  warnRepeated(warnings, `${at}.hostAliases`, 'ip', items(spec.hostAliases))
  warnRepeated(warnings, `${at}.imagePullSecrets`, 'name', items(spec.imagePullSecrets))
  for (const [i, secret] of items(spec.imagePullSecrets).entries()) {
    if (text(secret.name) === '') warnings.push(`${at}.imagePullSecrets[${i}].name: invalid empty name ""`)
  }
  const containers = containersOf(spec, at)
  for (const [field, container] of containers) {
    warnFractions(warnings, `${field}.resources`, struct(container.resources))
    warnHiddenVariables(warnings, `${field}.env`, items(container.env))
  }
  warnPorts(warnings, containers)
  if (int(spec.terminationGracePeriodSeconds) < 0) {
    const message = 'must be >= 0; negative values are invalid and will be treated as 1'
    warnings.push(`${at}.terminationGracePeriodSeconds: ${message}`)
  }
  if (affinity !== undefined) warnAffinity(warnings, `${at}.affinity`, affinity)
  for (const [i, address] of strings(struct(spec.dnsConfig)?.nameservers).entries()) {
    for (const warning of addressWarnings(`${at}.dnsConfig.nameservers[${i}]`, address)) warnings.push(warning)
  }
  for (const [i, alias] of items(spec.hostAliases).entries()) {
    for (const warning of addressWarnings(`${at}.hostAliases[${i}].ip`, text(alias.ip))) warnings.push(warning)
  }
  return warnings.texts
}

function warnNodeAffinity(warnings: WarningList, field: string, affinity: JsonObject | undefined): void {
  const warnTerm = (at: string, term: JsonObject | undefined, ofValues: boolean): void => {
    for (const [i, expression] of items(term?.matchExpressions).entries()) {
      const key = text(expression.key)
      const message = deprecatedLabel(key)
      if (message !== undefined) warnings.push(`${at}.matchExpressions[${i}].key: ${key} is ${message}`)
      if (!ofValues) continue
      for (const [j, value] of strings(expression.values).entries()) {
        for (const why of checkLabelValue(value))
          warnings.push(`${at}.matchExpressions[${i}].values[${j}]: ${value} is invalid, ${why}`)
      }
    }
  }
  const required = struct(affinity?.requiredDuringSchedulingIgnoredDuringExecution)
  for (const [i, term] of items(required?.nodeSelectorTerms).entries()) {
    warnTerm(`${field}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${i}]`, term, false)
  }
  for (const [i, term] of items(affinity?.preferredDuringSchedulingIgnoredDuringExecution).entries()) {
    warnTerm(`${field}.preferredDuringSchedulingIgnoredDuringExecution[${i}].preference`, struct(term.preference), true)
  }
}

/** The claim template of an ephemeral volume. */
function warnClaim(warnings: WarningList, field: string, volume: JsonObject): void {
  const resources = struct(struct(struct(struct(volume.ephemeral)?.volumeClaimTemplate)?.spec)?.resources)
  for (const kind of ['requests', 'limits'] as const) {
    const quantity = entry(resources?.[kind], 'storage')
    if (quantity === undefined || milliValue(parseQuantity(quantity)) % 1000n === 0n) continue
    const message = `fractional byte value ${goQuote(quantity)} is invalid, must be an integer`
    warnings.push(`${field}.ephemeral.volumeClaimTemplate.spec.resources.${kind}[storage]: ${message}`)
  }
}

type Located = readonly [field: string, container: JsonObject]

function containersOf(spec: JsonObject, path: string): readonly Located[] {
  const located: Located[] = []
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const [i, container] of items(spec[list]).entries()) located.push([`${path}.${list}[${i}]`, container])
  }
  return located
}

function warnRepeated(warnings: WarningList, field: string, name: string, list: readonly JsonObject[]): void {
  if (list.length < 2) return
  const seen = new Set<string>()
  for (const [i, item] of list.entries()) {
    const value = text(item[name])
    if (seen.has(value)) warnings.push(`${field}[${i}].${name}: duplicate ${name} ${goQuote(value)}`)
    seen.add(value)
  }
}

/** Fractions of a byte are invalid. */
function warnFractions(warnings: WarningList, field: string, requirements: JsonObject | undefined): void {
  for (const resource of ['memory', 'ephemeral-storage']) {
    for (const kind of ['limits', 'requests'] as const) {
      const quantity = entry(requirements?.[kind], resource)
      if (quantity === undefined || milliValue(parseQuantity(quantity)) % 1000n === 0n) continue
      const message = `fractional byte value ${goQuote(quantity)} is invalid, must be an integer`
      warnings.push(`${field}.${kind}[${resource}]: ${message}`)
    }
  }
}

function warnHiddenVariables(warnings: WarningList, field: string, variables: readonly JsonObject[]): void {
  if (variables.length < 2) return
  const seen = new Set<string>()
  for (const [i, variable] of variables.entries()) {
    const name = text(variable.name)
    if (!seen.has(name)) {
      seen.add(name)
      continue
    }
    const reference = `$(${name})`
    const value = text(variable.value)
    if (variable.valueFrom === undefined && value !== reference && value.includes(reference)) continue
    const message = `hides previous definition of ${goQuote(name)}, which may be dropped when using apply`
    warnings.push(`${field}[${i}]: ${message}`)
  }
}

function warnPorts(warnings: WarningList, containers: readonly Located[]): void {
  const known = new Map<string, EarlierPorts>()
  const names = new Map<string, string>()
  const later: string[] = []
  for (const [path, container] of containers) {
    for (const [i, port] of items(container.ports).entries()) {
      if (warnings.isFull) return
      const field = `${path}.ports[${i}]`
      if (text(port.hostIP) !== '' && int(port.hostPort) === 0)
        warnings.push(`${field}: hostIP set without hostPort: ${showPort(port)}`)
      const key = `${int(port.containerPort)}/${text(port.protocol)}`
      const others = known.get(key) ?? new EarlierPorts()
      known.set(key, others)
      others.warnAndAdd(warnings, field, port)
      const name = text(port.name)
      const first = names.get(name)
      if (name !== '' && first === undefined) names.set(name, field)
      if (name === '' || first === undefined) continue
      const effect = `services and probes that select ports by name will use ${first}`
      const message = `duplicate port name ${goQuote(name)} with ${first}, ${effect}`
      later.push(`${field}: ${message}`)
    }
  }
  for (const warning of later) warnings.push(warning)
}

/** As Go's `%+v` prints the struct. */
function showPort(port: JsonObject): string {
  const { name, hostPort, containerPort, protocol, hostIP } = port
  return (
    `{Name:${text(name)} HostPort:${int(hostPort)} ContainerPort:${int(containerPort)} ` +
    `Protocol:${text(protocol)} HostIP:${text(hostIP)}}`
  )
}

function warnAffinity(warnings: WarningList, field: string, affinity: JsonObject): void {
  const message = 'a null labelSelector results in matching no pod'
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const given = struct(affinity[kind])
    const missing = (list: string, term: (item: JsonObject) => Json | undefined, inner: string) => {
      for (const [i, item] of items(given?.[list]).entries()) {
        if (struct(term(item))?.labelSelector !== undefined) continue
        warnings.push(`${field}.${kind}.${list}[${i}]${inner}.labelSelector: ${message}`)
      }
    }
    missing('requiredDuringSchedulingIgnoredDuringExecution', (item) => item, '')
    missing('preferredDuringSchedulingIgnoredDuringExecution', (item) => item.podAffinityTerm, '.podAffinityTerm')
  }
}
