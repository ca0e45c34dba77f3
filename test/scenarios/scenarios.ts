/** All scenarios, by topic. */
import { autoscalingScenarios } from './groups/autoscaling.ts'
import { budgetScenarios } from './groups/budgets.ts'
import { daemonSetScenarios } from './groups/daemon-set.ts'
import { daemonSetNodeScenarios } from './groups/daemon-set-nodes.ts'
import { certificateScenarios } from './groups/certificates.ts'
import { clusterRoleScenarios } from './groups/cluster-roles.ts'
import { completedPodScenarios } from './groups/completed-pods.ts'
import { cronJobScenarios } from './groups/cron-jobs.ts'
import { deploymentScenarios } from './groups/deployment.ts'
import { endpointScenarios } from './groups/endpoints.ts'
import { garbageScenarios } from './groups/garbage.ts'
import { jobScenarios } from './groups/job.ts'
import { mirroringScenarios } from './groups/mirroring.ts'
import { namespaceScenarios } from './groups/namespace.ts'
import { nodeScenarios } from './groups/nodes.ts'
import { policyScenarios } from './groups/policies.ts'
import { replicaSetScenarios } from './groups/replica-set.ts'
import { replicationControllerScenarios } from './groups/replication-controller.ts'
import { schedulingScenarios } from './groups/scheduling.ts'
import { serviceCidrScenarios } from './groups/service-cidrs.ts'
import { statefulSetScenarios } from './groups/stateful-set.ts'
import { storageScenarios } from './groups/storage.ts'
import { stuckRolloutScenarios } from './groups/stuck-rollouts.ts'
import { volumeSchedulingScenarios } from './groups/volume-scheduling.ts'
import { tokenScenarios } from './groups/tokens.ts'
import type { Scenario } from './scenario.ts'

export interface Group {
  readonly about: string
  readonly scenarios: readonly Scenario[]
}

export const groups: readonly Group[] = [
  { about: 'Deployments', scenarios: deploymentScenarios },
  { about: 'Rollouts in their middle', scenarios: stuckRolloutScenarios },
  { about: 'ReplicaSets', scenarios: replicaSetScenarios },
  { about: 'DaemonSets', scenarios: [...daemonSetScenarios, ...daemonSetNodeScenarios] },
  { about: 'ReplicationControllers', scenarios: replicationControllerScenarios },
  { about: 'StatefulSets', scenarios: statefulSetScenarios },
  { about: 'Jobs', scenarios: jobScenarios },
  { about: 'CronJobs', scenarios: cronJobScenarios },
  { about: 'Pods that complete', scenarios: completedPodScenarios },
  { about: 'EndpointSlices and Endpoints', scenarios: endpointScenarios },
  { about: 'Mirrored Endpoints', scenarios: mirroringScenarios },
  { about: 'Ranges of cluster IPs', scenarios: serviceCidrScenarios },
  { about: 'Garbage collection', scenarios: garbageScenarios },
  { about: 'Namespaces and what is in each', scenarios: namespaceScenarios },
  { about: 'Disruption budgets, evictions, quotas', scenarios: budgetScenarios },
  { about: 'Admission policies', scenarios: policyScenarios },
  { about: 'Scheduling', scenarios: schedulingScenarios },
  { about: 'Storage', scenarios: [...storageScenarios, ...volumeSchedulingScenarios] },
  { about: 'Autoscalers', scenarios: autoscalingScenarios },
  { about: 'Nodes', scenarios: nodeScenarios },
  { about: 'Accounts and tokens of pods', scenarios: tokenScenarios },
  { about: 'Aggregated ClusterRoles', scenarios: clusterRoleScenarios },
  { about: 'CertificateSigningRequests', scenarios: certificateScenarios },
]

export const scenarios: readonly Scenario[] = groups.flatMap(({ scenarios: own }) => own)
