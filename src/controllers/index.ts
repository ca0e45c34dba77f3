/** The controllers that make a cluster alive, by the names that kube-controller-manager knows them by. */
import type { ControllerDefinition } from '../index.ts'
import type { Task } from '../manager/index.ts'
import { deployments } from './deployment/index.ts'
import { endpointSlices } from './endpoint-slice/index.ts'
import { mirroredSlices } from './endpoint-slice-mirroring/index.ts'
import { endpoints } from './endpoints/index.ts'
import { garbageCollector } from './garbage-collector/index.ts'
import { horizontalPodAutoscalers, type AutoscalerOptions } from './horizontal-pod-autoscaler/index.ts'
import { namespaces } from './namespace/index.ts'
import { nodeLifecycle } from './node-lifecycle/index.ts'
import { silentPods } from './node-lifecycle/silent-pods.ts'
import { podDisruptionBudgets } from './pod-disruption-budget/index.ts'
import { replicaSets } from './replicaset/index.ts'
import { resourceQuotas, type QuotaCount } from './resource-quota/index.ts'
import { serviceAccounts } from './service-account/index.ts'
import { rootCas } from './service-account/root-ca.ts'
import { taintEviction } from './taint-eviction/index.ts'

export interface BuiltinOptions extends AutoscalerOptions {
  /** The certificates of the server's authority, as PEM. Without them no ConfigMap tells them. */
  readonly ca?: string | undefined
  /** How quota counts, as the control plane gives it. Without it the status of quotas is not kept. */
  readonly quota?: QuotaCount | undefined
}

/** For a manager. */
export interface Builtins {
  readonly controllers: readonly ControllerDefinition[]
  readonly tasks: readonly Task[]
}

type Part = ControllerDefinition | Task
/** Some are several controllers, and some are none without what they need. */
type Made = Part | readonly Part[] | undefined

const parts: Readonly<Record<string, (options: BuiltinOptions) => Made>> = {
  'deployment-controller': () => deployments,
  'replicaset-controller': () => replicaSets,
  'garbage-collector-controller': () => garbageCollector(),
  'namespace-controller': () => namespaces,
  'serviceaccount-controller': () => serviceAccounts,
  'root-ca-certificate-publisher-controller': ({ ca }) => (ca === undefined ? undefined : rootCas({ ca })),
  'endpointslice-controller': () => endpointSlices(),
  'endpoints-controller': () => endpoints(),
  'endpointslice-mirroring-controller': () => mirroredSlices,
  'resourcequota-controller': ({ quota }) => (quota === undefined ? undefined : resourceQuotas(quota)),
  'disruption-controller': () => podDisruptionBudgets,
  'horizontal-pod-autoscaler-controller': ({ metrics }) => horizontalPodAutoscalers({ metrics }),
  'node-lifecycle-controller': () => [nodeLifecycle(), silentPods()],
  'taint-eviction-controller': () => taintEviction(),
}

export const builtinNames: readonly string[] = Object.keys(parts)

/**
 * Those that are asked for: `all`, `none`, or names; `-name` takes one away from the others, as in `all,
 * -endpoints-controller`. Throws for a name that is none.
 */
export function builtinControllers(names: readonly string[], options: BuiltinOptions = {}): Builtins {
  const chosen = new Set<string>()
  for (const name of names) {
    const bare = name.replace(/^-/, '')
    if (bare !== 'all' && bare !== 'none' && !builtinNames.includes(bare)) {
      throw new RangeError(
        `there is no controller called ${JSON.stringify(bare)}: give all, none or some of ${builtinNames.join(', ')}`,
      )
    }
    if (name === 'all') for (const each of builtinNames) chosen.add(each)
    else if (name.startsWith('-')) chosen.delete(bare)
    else if (name === 'none') chosen.clear()
    else chosen.add(name)
  }
  const made = builtinNames.filter((name) => chosen.has(name)).flatMap((name) => parts[name]?.(options) ?? [])
  const controllers = made.filter((part) => 'reconcile' in part)
  // Nobody expects other events of these than those of kube-controller-manager.
  return {
    controllers: controllers.map((each) => ({ ...each, options: { failureEvents: false, ...each.options } })),
    tasks: made.filter((part) => 'start' in part),
  }
}
