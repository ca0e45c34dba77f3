/** What other pods need to scrape an operator's metrics: a port, a Service, and a ClusterRole for the scraper. */
import type { KubeObject } from '../api/object.ts'
import { readConfiguration } from '../manager/configuration.ts'
import { metricsEndpoint, metricsName, type MetricsEndpoint } from '../manager/metrics-endpoint.ts'
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import { operatorLabels, operatorSelector, type InstallScope } from './install-scope.ts'

/** Undefined: no other pod can reach the metrics. */
export function metricsOf({ defaults = {} }: OperatorDefinition): MetricsEndpoint | undefined {
  return metricsEndpoint(readConfiguration({ defaults }))
}

export function metricsServices(definition: OperatorDefinition, { namespace }: InstallScope): readonly KubeObject[] {
  const metrics = metricsOf(definition)
  if (metrics === undefined) return []
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: metricsName(definition.name), namespace, labels: { ...operatorLabels(definition) } },
      spec: {
        selector: { ...operatorSelector(definition) },
        ports: [{ name: metrics.isSecure ? 'https' : 'http', port: metrics.port, targetPort: 'metrics' }],
      },
    },
  ]
}

/** For the account of the scraper, such as that of Prometheus. Nothing is bound to it. */
export function metricsReaders(definition: OperatorDefinition): readonly KubeObject[] {
  if (metricsOf(definition)?.isSecure !== true) return []
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: `${definition.name}-metrics-reader`, labels: { ...operatorLabels(definition) } },
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    },
  ]
}
