/** Validation of DNS settings, host aliases, host names and host ports. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import type { JsonObject } from '../../../../api/json.ts'
import { checkSubdomain, patternMessage } from '../../../../api/names.ts'
import { checkOneOf, reject } from '../errors.ts'
import { addressMessages } from '../ip.ts'
import { int, items, strings, struct, text } from '../values.ts'

export function checkDnsPolicy(errors: FieldError[], field: string, policy: string): void {
  checkOneOf(errors, field, policy, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'])
}

const searchPart = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const searchPattern = `${searchPart}(\\.${searchPart})*`
const searchPath = new RegExp(`^${searchPattern}$`)
const searchMessage = patternMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', " +
    'and must start and end with an alphanumeric character',
  searchPattern,
  'example.com',
)

export function checkDnsConfig(errors: FieldError[], field: string, spec: JsonObject): void {
  const config = struct(spec.dnsConfig)
  const servers = strings(config?.nameservers)
  if (spec.dnsPolicy === 'None') {
    if (config === undefined) {
      errors.push(fieldError.required(field, 'must provide `dnsConfig` when `dnsPolicy` is None'))
      return
    }
    if (servers.length === 0) {
      const message = 'must provide at least one DNS nameserver when `dnsPolicy` is None'
      errors.push(fieldError.required(`${field}.nameservers`, message))
      return
    }
  }
  if (config === undefined) return
  if (servers.length > 3) {
    errors.push(fieldError.invalid(`${field}.nameservers`, [...servers], 'must not have more than 3 nameservers'))
  }
  for (const [i, server] of servers.entries()) {
    reject(errors, `${field}.nameservers[${i}]`, server, addressMessages(server))
  }
  checkSearches(errors, `${field}.searches`, strings(config.searches))
  for (const [i, option] of items(config.options).entries()) {
    if (text(option.name) === '') {
      errors.push(fieldError.required(`${field}.options[${i}]`, 'must not be empty'))
    }
  }
}

function checkSearches(errors: FieldError[], field: string, searches: readonly string[]): void {
  if (searches.length > 32) {
    errors.push(fieldError.invalid(field, [...searches], 'must not have more than 32 search paths'))
  }
  if (searches.join(' ').length > 2048) {
    const message = 'must not have more than 2048 characters (including spaces) in the search list'
    errors.push(fieldError.invalid(field, [...searches], message))
  }
  for (const [i, search] of searches.entries()) {
    if (search === '.') continue
    const name = search.endsWith('.') ? search.slice(0, -1) : search
    if (name.length > 253) {
      errors.push(fieldError.invalid(`${field}[${i}]`, name, 'must be no more than 253 characters'))
    }
    if (!searchPath.test(name)) errors.push(fieldError.invalid(`${field}[${i}]`, name, searchMessage))
  }
}

export function checkHostAliases(errors: FieldError[], field: string, aliases: readonly JsonObject[]): void {
  for (const [i, alias] of aliases.entries()) {
    const ip = text(alias.ip)
    reject(errors, `${field}[${i}].ip`, ip, addressMessages(ip))
    for (const [j, name] of strings(alias.hostnames).entries()) {
      reject(errors, `${field}[${i}].hostnames[${j}]`, name, checkSubdomain(name))
    }
  }
}

export function checkHostnameOverride(errors: FieldError[], field: string, spec: JsonObject): void {
  const name = spec.hostnameOverride
  if (name === undefined) return
  const at = `${field}.hostnameOverride`
  if (spec.setHostnameAsFQDN === true) {
    errors.push(fieldError.forbidden(at, 'may not be specified when setHostnameAsFQDN is true'))
  }
  if (spec.hostNetwork === true) {
    errors.push(fieldError.forbidden(at, 'may not be specified when hostNetwork is true'))
  }
  if (text(name).length > 64) errors.push(fieldError.tooLong(at, 64))
  reject(errors, at, name, checkSubdomain(text(name)))
}

/** With hostNetwork, hostPort must equal containerPort. */
export function checkHostNetworkPorts(errors: FieldError[], field: string, spec: JsonObject, isPod: boolean): void {
  if (spec.hostNetwork !== true) return
  for (const [i, container] of items(spec.containers).entries()) {
    for (const [j, port] of items(container.ports).entries()) {
      const hostPort = int(port.hostPort)
      if ((!isPod && hostPort === 0) || hostPort === int(port.containerPort)) continue
      const message = 'must match `containerPort` when `hostNetwork` is true'
      errors.push(fieldError.invalid(`${field}.containers[${i}].ports[${j}].hostPort`, hostPort, message))
    }
  }
}

/** No two containers may use the same host port. */
export function checkHostPortConflicts(errors: FieldError[], field: string, containers: readonly JsonObject[]): void {
  const taken = new Set<string>()
  for (const [i, container] of containers.entries()) {
    for (const [j, port] of items(container.ports).entries()) {
      const hostPort = int(port.hostPort)
      if (hostPort === 0) continue
      const key = `${text(port.protocol)}/${text(port.hostIP)}/${hostPort}`
      if (taken.has(key)) errors.push(fieldError.duplicate(`${field}[${i}].ports[${j}].hostPort`, key))
      taken.add(key)
    }
  }
}
