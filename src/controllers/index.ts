/** The built-in controllers, by their names in kube-controller-manager. */
import type { ControllerDefinition } from '../index.ts'
import type { Task } from '../manager/index.ts'
import { attachDetach } from './attach-detach/index.ts'
import type { SignRequest } from '../x509/index.ts'
import { requestApproval } from './certificate-signing-request/approving.ts'
import { requestCleaner } from './certificate-signing-request/cleaner.ts'
import { requestSigning } from './certificate-signing-request/index.ts'
import { aggregatedRoles } from './cluster-role-aggregation/index.ts'
import { daemonSets } from './daemon-set/index.ts'
import { cronJobs } from './cron-job/index.ts'
import { deployments } from './deployment/index.ts'
import { endpointSlices } from './endpoint-slice/index.ts'
import { mirroredSlices } from './endpoint-slice-mirroring/index.ts'
import { endpoints } from './endpoints/index.ts'
import { ephemeralVolumes } from './ephemeral-volume/index.ts'
import { garbageCollector } from './garbage-collector/index.ts'
import { horizontalPodAutoscalers, type AutoscalerOptions } from './horizontal-pod-autoscaler/index.ts'
import { jobs } from './job/index.ts'
import { orphanPods } from './job/orphan-pods.ts'
import { namespaces } from './namespace/index.ts'
import { nodeLifecycle } from './node-lifecycle/index.ts'
import { podsOnUnreachableNodes } from './node-lifecycle/unreachable-pods.ts'
import { claimBinder, volumeBinder } from './persistent-volume-binder/index.ts'
import { claimProtection } from './persistent-volume-claim-protection/index.ts'
import { claimExpander } from './persistent-volume-expander/index.ts'
import { volumeProtection } from './persistent-volume-protection/index.ts'
import { podDisruptionBudgets } from './pod-disruption-budget/index.ts'
import { replicaSets, replicationControllers } from './replica-set/index.ts'
import { resourceQuotas, type QuotaCount } from './resource-quota/index.ts'
import { serviceAccounts } from './service-account/index.ts'
import { rootCas } from './service-account/root-ca.ts'
import { serviceCidrs } from './service-cidr/index.ts'
import { statefulSets } from './stateful-set/index.ts'
import { taintEviction } from './taint-eviction/index.ts'
import { finishedJobs } from './ttl-after-finished/index.ts'
import { attributesClassProtection } from './volume-attributes-class-protection/index.ts'
import { policyStatuses, type PolicyTypeCheck } from './validating-admission-policy-status/index.ts'

export interface BuiltinOptions extends AutoscalerOptions {
  /** The CA certificates of the server, as PEM. Without them no ConfigMap kube-root-ca.crt is created. */
  readonly ca?: string | undefined
  /** Signs certificate requests, with the CA of the server's clients. Without it none are signed. */
  readonly sign?: SignRequest | undefined
  /** How quotas are counted, from the control plane. Without it the status of quotas is not updated. */
  readonly quota?: QuotaCount | undefined
  /** The type check of admission policies, from the control plane. Without it policies have no status. */
  readonly typeCheck?: PolicyTypeCheck | undefined
}

/** Options for a manager. */
export interface Builtins {
  readonly controllers: readonly ControllerDefinition[]
  readonly tasks: readonly Task[]
}

type BuiltinController = ControllerDefinition | Task
/** A name may stand for several controllers, or for none if their inputs are missing. */
type BuiltinControllers = BuiltinController | readonly BuiltinController[] | undefined

const builtins: Readonly<Record<string, (options: BuiltinOptions) => BuiltinControllers>> = {
  'deployment-controller': () => deployments,
  'replicaset-controller': () => replicaSets,
  'daemonset-controller': () => daemonSets(),
  'replicationcontroller-controller': () => replicationControllers,
  'statefulset-controller': () => statefulSets,
  'job-controller': () => [jobs(), orphanPods],
  'ttl-after-finished-controller': () => finishedJobs,
  'cronjob-controller': () => cronJobs(),
  'garbage-collector-controller': () => garbageCollector(),
  'namespace-controller': () => namespaces,
  'serviceaccount-controller': () => serviceAccounts,
  'root-ca-certificate-publisher-controller': ({ ca }) => (ca === undefined ? undefined : rootCas({ ca })),
  'clusterrole-aggregation-controller': () => aggregatedRoles,
  'certificatesigningrequest-signing-controller': ({ sign }) => (sign === undefined ? undefined : requestSigning(sign)),
  'certificatesigningrequest-approving-controller': () => requestApproval,
  'certificatesigningrequest-cleaner-controller': () => requestCleaner,
  'endpointslice-controller': () => endpointSlices(),
  'endpoints-controller': () => endpoints(),
  'endpointslice-mirroring-controller': () => mirroredSlices,
  'resourcequota-controller': ({ quota }) => (quota === undefined ? undefined : resourceQuotas(quota)),
  'disruption-controller': () => podDisruptionBudgets,
  'horizontal-pod-autoscaler-controller': ({ metrics }) => horizontalPodAutoscalers({ metrics }),
  'node-lifecycle-controller': () => [nodeLifecycle(), podsOnUnreachableNodes()],
  'taint-eviction-controller': () => taintEviction(),
  'persistentvolume-binder-controller': () => [claimBinder, volumeBinder],
  'persistentvolume-attach-detach-controller': () => attachDetach,
  'persistentvolume-expander-controller': () => claimExpander,
  'ephemeral-volume-controller': () => ephemeralVolumes,
  'persistentvolumeclaim-protection-controller': () => claimProtection,
  'persistentvolume-protection-controller': () => volumeProtection,
  'volumeattributesclass-protection-controller': () => attributesClassProtection,
  'service-cidr-controller': () => serviceCidrs,
  'validatingadmissionpolicy-status-controller': ({ typeCheck }) =>
    typeCheck === undefined ? undefined : policyStatuses(typeCheck),
}

export const builtinNames: readonly string[] = Object.keys(builtins)

/**
 * The names of the requested controllers: `all`, `none`, or names; `-name` excludes one, as in
 * `all, -endpoints-controller`. Throws for an unknown name.
 */
export function chosenControllers(names: readonly string[]): ReadonlySet<string> {
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
  return chosen
}

/** The requested controllers, by names as for {@link chosenControllers}. */
export function builtinControllers(names: readonly string[], options: BuiltinOptions = {}): Builtins {
  const chosen = chosenControllers(names)
  const made = builtinNames.filter((name) => chosen.has(name)).flatMap((name) => builtins[name]?.(options) ?? [])
  const controllers = made.filter((part) => 'reconcile' in part)
  // Emit only the events that kube-controller-manager emits.
  return {
    controllers: controllers.map((each) => ({ ...each, options: { failureEvents: false, ...each.options } })),
    tasks: made.filter((part) => 'start' in part),
  }
}
