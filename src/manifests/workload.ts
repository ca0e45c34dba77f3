/**
 * The operator's Deployment: it passes the restricted pod security standard, and has probes and time to stop
 * gracefully.
 */
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { integerValue, parseQuantity } from '../api/quantity.ts'
import { parseDuration } from '../manager/configuration.ts'
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import { settings } from '../manager/settings.ts'
import { webhooksName } from '../webhooks/configurations.ts'
import { operatorLabels, operatorSelector, type InstallScope } from './install-scope.ts'
import { metricsOf } from './metrics.ts'

export interface WorkloadOptions {
  /** Default: the operator's name with its version, or with `latest`. */
  readonly image?: string | undefined
  /** Replicas. One is the leader, the others take over. Default 2. */
  readonly replicas?: number | undefined
  /** Settings beyond the defaults, as on the command line. Default: none. */
  readonly args?: readonly string[] | undefined
  /** Default: requests of 10m CPU and 128Mi memory, limits of 1 CPU and 512Mi memory. */
  readonly resources?:
    | { readonly requests?: Readonly<Record<string, string>>; readonly limits?: Readonly<Record<string, string>> }
    | undefined
}

/** Seconds after the grace period for aborted runs to end, events to be written and the lease to be released. */
const orderlyEndSeconds = 15

/**
 * Options of V8, set at the start of the process. Young objects are few and short-lived: V8's default of three spaces
 * of 16 MiB would be more than everything else of a small operator; below 8 MiB, objects are moved too often. No helper
 * threads: so small a heap has no work for them. And a heap limit below the container's, so that an out-of-memory error
 * is explained.
 */
function nodeOptions({ limits }: NonNullable<WorkloadOptions['resources']>): string {
  const memory = limits?.['memory']
  const heap =
    memory === undefined
      ? ''
      : ` --max-old-space-size=${Math.floor((Number(integerValue(parseQuantity(memory))) / 2 ** 20) * heapShare)}`
  return `--max-semi-space-size=8 --v8-pool-size=0${heap}`
}

/** Share of the container's memory; the remainder is for code, young objects and buffers. */
const heapShare = 0.75

/** One CPU: JavaScript runs on one thread, so a lower limit would only slow down its work and its probes. */
const defaultResources = { requests: { cpu: '10m', memory: '128Mi' }, limits: { cpu: '1', memory: '512Mi' } }

export function namespaceManifest(definition: OperatorDefinition, { namespace }: InstallScope): KubeObject {
  const labels = { ...operatorLabels(definition), 'pod-security.kubernetes.io/enforce': 'restricted' }
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } }
}

export function deploymentManifest(
  definition: OperatorDefinition,
  { namespace, namespaces }: InstallScope,
  options: WorkloadOptions,
): KubeObject {
  const { name, version = 'latest', defaults = {} } = definition
  const { image = `${name}:${version}`, replicas = 2, args = [], resources = defaultResources } = options
  const grace = parseDuration(
    defaults['graceful-shutdown-timeout'] ?? settings['graceful-shutdown-timeout'].default,
    'graceful-shutdown-timeout',
  )
  const matchLabels = { ...operatorSelector(definition) }
  const metrics = metricsOf(definition)
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `${name}-operator`, namespace, labels: { ...operatorLabels(definition) } },
    spec: {
      replicas,
      selector: { matchLabels },
      template: {
        metadata: {
          labels: { ...operatorLabels(definition) },
          annotations: { 'kubectl.kubernetes.io/default-container': 'operator' },
        },
        spec: {
          serviceAccountName: `${name}-operator`,
          terminationGracePeriodSeconds: Math.ceil(grace / 1000) + orderlyEndSeconds,
          securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'kubernetes.io/hostname',
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels },
            },
          ],
          containers: [
            {
              name: 'operator',
              image,
              args: [
                '--leader-elect',
                ...(namespaces.length === 0 ? [] : [`--namespaces=${namespaces.join(',')}`]),
                ...args,
              ],
              env: [
                { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                { name: 'NODE_OPTIONS', value: nodeOptions(resources) },
              ],
              ports: [
                ...(metrics === undefined ? [] : [{ name: 'metrics', containerPort: metrics.port }]),
                { name: 'probes', containerPort: 8081 },
                ...(hasWebhooks(definition) ? [{ name: 'webhooks', containerPort: 9443 }] : []),
              ],
              livenessProbe: probe('/healthz', 15, 20),
              readinessProbe: probe('/readyz', 5, 10),
              resources: resources as JsonObject,
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    },
  }
}

function hasWebhooks({ webhooks = [] }: OperatorDefinition): boolean {
  return webhooks.length > 0
}

/** The Services through which the API server calls the webhooks of all replicas. */
export function webhookServices(definition: OperatorDefinition, { namespace }: InstallScope): readonly KubeObject[] {
  if (!hasWebhooks(definition)) return []
  const spec = {
    selector: { ...operatorSelector(definition) },
    ports: [{ name: 'webhooks', port: 443, targetPort: 'webhooks' }],
  }
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: webhooksName(definition.name), namespace, labels: { ...operatorLabels(definition) } },
      spec,
    },
  ]
}

function probe(path: string, initialDelaySeconds: number, periodSeconds: number): JsonObject {
  return { httpGet: { path, port: 'probes' }, initialDelaySeconds, periodSeconds }
}
