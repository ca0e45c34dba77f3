/** Names, selectors and quantities of metrics, as the API has them. */
import { canonicalQuantity, milliValue, parseQuantity, type DeepReadonly } from '../../api/index.ts'
import type { autoscalingV2 } from '../../index.ts'

export function identifier(
  metric: DeepReadonly<autoscalingV2.MetricIdentifier> | undefined,
): autoscalingV2.MetricIdentifier {
  const { name = '', selector } = metric ?? {}
  return {
    name,
    ...(selector === undefined ? {} : { selector: selector as autoscalingV2.MetricIdentifier['selector'] & object }),
  }
}

export function milli(value: string | number | undefined): number {
  return Number(milliValue(parseQuantity(String(value ?? 0))))
}

/** Memory in binary units, everything else in thousandths. */
export function quantity(thousandths: number, resource = ''): string {
  if (resource !== 'memory') return canonicalQuantity(`${thousandths}m`)
  const bytes = Math.ceil(thousandths / 1000)
  return canonicalQuantity(bytes > 0 && bytes % 1024 === 0 ? `${bytes / 1024}Ki` : String(bytes))
}

/** As Go prints it. */
export function selectorText(selector: DeepReadonly<autoscalingV2.MetricIdentifier>['selector']): string {
  if (selector === undefined) return 'nil'
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
    .join('')
  const expressions = (selector.matchExpressions ?? [])
    .map(
      ({ key, operator, values = [] }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
    )
    .join('')
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`
  )
}
