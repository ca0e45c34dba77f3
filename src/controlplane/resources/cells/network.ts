/** Table cells of services, endpoints, ingresses and related kinds. */
import { appendAll } from '../../../api/append.ts'
import type { Json, JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { int, items, strings, struct, text } from '../shared/values.ts'
import { ageCell, formatLabels, formatSelector, loadBalancerAddresses, nameCell, someOf } from './format.ts'

export function serviceCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const ports = items(spec?.ports).map(portText).join(',')
  return [
    nameCell(object),
    text(spec?.type),
    strings(spec?.clusterIPs)[0] ?? '<none>',
    externalAddress(object, spec),
    ports === '' ? '<none>' : ports,
    ageCell(object, now),
    formatLabels(spec?.selector),
  ]
}

function portText(port: JsonObject): string {
  const nodePort = int(port.nodePort)
  return `${int(port.port)}${nodePort > 0 ? `:${nodePort}` : ''}/${text(port.protocol)}`
}

function externalAddress(object: KubeObject, spec: JsonObject | undefined): string {
  const external = strings(spec?.externalIPs)
  switch (text(spec?.type)) {
    case 'ClusterIP':
    case 'NodePort':
      return external.length === 0 ? '<none>' : external.join(',')
    case 'LoadBalancer': {
      const addresses = loadBalancerAddresses(object.status)
      const all = addresses === '' ? external : [addresses, ...external]
      return all.length === 0 ? '<pending>' : all.join(',')
    }
    case 'ExternalName':
      return text(spec?.externalName)
    default:
      return '<unknown>'
  }
}

export function endpointsCells(object: KubeObject, now: number): Json[] {
  return [nameCell(object), endpoints(items(object.subsets)), ageCell(object, now)]
}

function endpoints(subsets: readonly JsonObject[]): string {
  if (subsets.length === 0) return '<none>'
  const list: string[] = []
  for (const subset of subsets) {
    const addresses = items(subset.addresses).map((address) => text(address.ip))
    const ports = items(subset.ports)
    if (ports.length === 0) appendAll(list, addresses)
    for (const port of ports) for (const address of addresses) list.push(hostPort(address, int(port.port)))
  }
  return someOf(list, 3)
}

function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

export function endpointSliceCells(object: KubeObject, now: number): Json[] {
  const ports = items(object.ports).map((port) =>
    typeof port.port === 'number' ? String(port.port) : port.name === undefined ? '*' : text(port.name),
  )
  const addresses = items(object.endpoints).flatMap((endpoint) => strings(endpoint.addresses))
  return [
    nameCell(object),
    text(object.addressType),
    someOf(ports, 3) || '<unset>',
    someOf(addresses, 3) || '<unset>',
    ageCell(object, now),
  ]
}

export function ingressCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  return [
    nameCell(object),
    typeof spec?.ingressClassName === 'string' ? spec.ingressClassName : '<none>',
    hosts(items(spec?.rules)),
    loadBalancerAddresses(object.status),
    items(spec?.tls).length > 0 ? '80, 443' : '80',
    ageCell(object, now),
  ]
}

/** At most three hosts. As upstream, "more" counts rules, including those without a host. */
function hosts(rules: readonly JsonObject[]): string {
  const list: string[] = []
  let more = false
  for (const rule of rules) {
    if (list.length === 3) more = true
    const host = text(rule.host)
    if (!more && host !== '') list.push(host)
  }
  if (list.length === 0) return '*'
  return more ? `${list.join(',')} + ${rules.length - 3} more...` : list.join(',')
}

export function ingressClassCells(object: KubeObject, now: number): Json[] {
  const spec = struct(object.spec)
  const parameters = struct(spec?.parameters)
  const group = typeof parameters?.apiGroup === 'string' ? `.${parameters.apiGroup}` : ''
  return [
    nameCell(object),
    text(spec?.controller),
    parameters === undefined ? '<none>' : `${text(parameters.kind)}${group}/${text(parameters.name)}`,
    ageCell(object, now),
  ]
}

export function networkPolicyCells(object: KubeObject, now: number): Json[] {
  return [nameCell(object), formatSelector(struct(object.spec)?.podSelector ?? {}), ageCell(object, now)]
}

/** One cell more than there are columns, as upstream. */
export function ipAddressCells(object: KubeObject, now: number): Json[] {
  const parent = struct(struct(object.spec)?.parentRef)
  if (parent === undefined) return [nameCell(object), '<none>', ageCell(object, now)]
  const group = text(parent.group)
  const resource = (group === '' ? text(parent.resource) : `${text(parent.resource)}.${group}`).toLowerCase()
  const namespace = text(parent.namespace)
  return [
    nameCell(object),
    `${resource}/${namespace === '' ? '' : `${namespace}/`}${text(parent.name)}`,
    ageCell(object, now),
  ]
}

export function serviceCidrCells(object: KubeObject, now: number): Json[] {
  return [nameCell(object), strings(struct(object.spec)?.cidrs).join(','), ageCell(object, now)]
}
