/** Deprecated node labels, and warnings about selectors that use them. */
import { getOwn, type JsonObject } from '../../../api/json.ts'
import { items, text } from './values.ts'

const deprecatedLabels: JsonObject = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
}

/** The warning for a label; undefined if it is not deprecated. */
export function deprecatedLabel(key: string): string | undefined {
  return getOwn(deprecatedLabels, key) as string | undefined
}

/** Warnings about the `matchExpressions` of a selector or a term. */
export function expressionWarnings(field: string, expressions: unknown): string[] {
  return items(expressions).flatMap((expression, i) => {
    const key = text(expression.key)
    const message = deprecatedLabel(key)
    return message === undefined ? [] : [`${field}.matchExpressions[${i}].key: ${key} is ${message}`]
  })
}
