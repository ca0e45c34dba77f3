/** Formatting functions that the table cells of several kinds share. */
import { getOwn, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { ageText } from '../../../api/age.ts'
import { tryLabelSelector } from '../shared/label-selector.ts'
import { entries, items, struct, text } from '../shared/values.ts'

/** The cells of one row, one for each column; `now` in milliseconds. */
export type Cells = (object: KubeObject, now: number) => Json[]

export function nameCell(object: KubeObject): string {
  return object.metadata.name ?? ''
}

export function ageCell(object: KubeObject, now: number): string {
  return ageText(object.metadata.creationTimestamp, now)
}

/** `a=b,c=d`; `<none>` when there are none. */
export function formatLabels(labels: unknown): string {
  const pairs = entries(labels)
  return pairs.length === 0 ? '<none>' : pairs.map(([key, value]) => `${key}=${text(value)}`).join(',')
}

/** A label selector as text; '' if it selects nothing or everything, undefined if it is invalid. */
export function selectorText(selector: unknown): string | undefined {
  return tryLabelSelector(selector)?.toString()
}

/** A label selector as text; `<none>` if it is empty. */
export function formatSelector(selector: unknown): string {
  const given = selectorText(selector)
  if (given === undefined) return '<error>'
  return given === '' ? '<none>' : given
}

/** The container names and images of a pod spec, each joined by commas. */
export function containerCells(podSpec: JsonObject | undefined): [names: string, images: string] {
  const containers = items(podSpec?.containers)
  return [
    containers.map((container) => text(container.name)).join(','),
    containers.map((container) => text(container.image)).join(','),
  ]
}

/** The pod spec of the template of a workload. */
export function templateSpec(spec: JsonObject | undefined): JsonObject | undefined {
  return struct(struct(spec?.template)?.spec)
}

/** At most `max` items, and how many more there are. */
export function someOf(list: readonly string[], max: number, separator = ','): string {
  const shown = list.slice(0, max).join(separator)
  return list.length > max ? `${shown} + ${list.length - max} more...` : shown
}

/** The addresses in the load balancer status, sorted and without duplicates. */
export function loadBalancerAddresses(status: unknown): string {
  const found = new Set<string>()
  for (const ingress of items(struct(struct(status)?.loadBalancer)?.ingress)) {
    const address = text(ingress.ip) || text(ingress.hostname)
    if (address !== '') found.add(address)
  }
  return [...found].sort().join(',')
}

/** Whether the condition of this type is True. */
export function conditionTrue(conditions: unknown, type: string): boolean {
  for (const condition of items(conditions)) {
    if (condition.type === type) return condition.status === 'True'
  }
  return false
}

export function orElse(value: unknown, otherwise: string): string {
  const given = text(value)
  return given === '' ? otherwise : given
}

/** A quantity of a resource list as text; `0` when it is unset. */
export function quantityCell(list: unknown, name: string): string {
  const given = struct(list)
  return text(given === undefined ? undefined : getOwn(given, name)) || '0'
}
