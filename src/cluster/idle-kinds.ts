/**
 * Kinds whose objects would stay as they are, because the component that acts on them does not run in this cluster. The
 * server warns about each that is created. A real cluster runs all of them, so that the bare server warns about none.
 */
import { builtinNames, chosenControllers } from '../controllers/index.ts'

/** By plural and group: the kind and its controller, by the name in kube-controller-manager. */
const controllerOf: Readonly<Record<string, readonly [kind: string, controller: string]>> = {
  'deployments.apps': ['Deployment', 'deployment-controller'],
  'replicasets.apps': ['ReplicaSet', 'replicaset-controller'],
  'statefulsets.apps': ['StatefulSet', 'statefulset-controller'],
  'daemonsets.apps': ['DaemonSet', 'daemonset-controller'],
  'jobs.batch': ['Job', 'job-controller'],
  'cronjobs.batch': ['CronJob', 'cronjob-controller'],
  replicationcontrollers: ['ReplicationController', 'replicationcontroller-controller'],
  'horizontalpodautoscalers.autoscaling': ['HorizontalPodAutoscaler', 'horizontal-pod-autoscaler-controller'],
  'poddisruptionbudgets.policy': ['PodDisruptionBudget', 'disruption-controller'],
  resourcequotas: ['ResourceQuota', 'resourcequota-controller'],
  services: ['Service', 'endpointslice-controller'],
  persistentvolumeclaims: ['PersistentVolumeClaim', 'persistentvolume-binder-controller'],
  'certificatesigningrequests.certificates.k8s.io': [
    'CertificateSigningRequest',
    'certificatesigningrequest-signing-controller',
  ],
}

export interface RunningParts {
  /** Names, as for `builtinControllers`. */
  readonly controllers: readonly string[]
  /** The number of simulated nodes. */
  readonly nodes: number
}

/** The warnings, by plural and group. Empty if everything runs. */
export function idleKindWarnings({ controllers, nodes }: RunningParts): ReadonlyMap<string, string> {
  const running = chosenControllers(controllers)
  const warnings = new Map<string, string>()
  for (const [resource, [kind, controller]] of Object.entries(controllerOf)) {
    if (running.has(controller)) continue
    const remedy = builtinNames.includes(controller)
      ? `start ${controller} (builtin: ['${controller}'] or ['all'])`
      : `${controller} is not part of Coxswain`
    warnings.set(resource, `no controller for ${kind} is running: ${remedy}`)
  }
  if (nodes === 0)
    warnings.set('pods', 'no scheduler is running, the pod stays Pending: start simulated nodes (nodes: 3)')
  return warnings
}
