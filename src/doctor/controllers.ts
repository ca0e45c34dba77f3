/** Nobody works on the object: its generation is not observed, or the workload of its controller does not run. */
import { humanDuration } from '../api/age.ts'
import { conditionText, kstatusOf } from '../controller/kstatus.ts'
import { kubectlName, nameOf, type ControllerWorkload, type ObjectFacts } from './examined.ts'
import type { Finding } from './finding.ts'
import { isBuiltIn } from './examined.ts'
import { logsOf } from './deletion.ts'
import { badConditions, unobserved } from './readiness.ts'

export function controllerFindings(facts: ObjectFacts): readonly Finding[] {
  const waits = whyItWaits(facts)
  const { controllers } = facts
  if (waits === undefined) return []
  const broken = (controllers ?? []).flatMap((each) => brokenWorkload(each, facts))
  if (broken.length > 0)
    return broken.map((finding) => ({ ...finding, evidence: [...finding.evidence, waits, ...lastWrite(facts)] }))
  // What waits for a finalizer is reported as a deletion.
  if (facts.object.metadata.deletionTimestamp !== undefined) return []
  const [running] = controllers ?? []
  return [
    {
      type: 'not-observed',
      summary: `No controller has observed the current spec of ${nameOf(facts)}.`,
      evidence: [
        waits,
        ...lastWrite(facts),
        ...(controllers === undefined || isBuiltIn(facts.kind)
          ? []
          : controllers.length === 0
            ? [
                `no Deployment or StatefulSet has a service account with a role that names ${facts.kind.plural}: ` +
                  'the operator is not installed in this cluster, or runs outside of it',
              ]
            : [`${controllers.map(nameOf).join(', ')} runs and may write it`]),
      ],
      command:
        running === undefined
          ? `kubectl get clusterroles,roles --all-namespaces -o wide | grep -i ${facts.kind.kind.toLowerCase()}`
          : logsOf(running),
    },
  ]
}

/** Undefined: the controller of the object has done its part. */
export function whyItWaits({ kind, object, hasStatus }: ObjectFacts): string | undefined {
  const { generation = 1, deletionTimestamp, finalizers = [] } = object.metadata
  if (deletionTimestamp !== undefined && finalizers.length > 0)
    return `the finalizers ${finalizers.join(', ')} are still there`
  const observed = unobserved({ object })
  if (observed !== undefined) return `its status is of generation ${observed}, and its spec of ${generation}`
  const isEmpty = Object.keys(kstatusOf(object)).length === 0
  return hasStatus && isEmpty && !isBuiltIn(kind) ? 'it has no status' : undefined
}

function lastWrite({ object, now }: ObjectFacts): readonly string[] {
  const entries = (object.metadata.managedFields ?? []).filter(({ subresource }) => subresource === 'status')
  const latest = entries
    .map(({ manager = '', time = '' }) => ({ manager, time }))
    .sort((a, b) => (a.time < b.time ? 1 : -1))[0]
  if (latest === undefined) return []
  return [`${latest.manager} wrote its status last, ${humanDuration(Math.max(0, now - Date.parse(latest.time)))} ago`]
}

function brokenWorkload(workload: ControllerWorkload, { now }: ObjectFacts): readonly Finding[] {
  const { replicas = 1 } = (workload.object['spec'] ?? {}) as { readonly replicas?: number }
  const { readyReplicas = 0 } = (workload.object['status'] ?? {}) as { readonly readyReplicas?: number }
  const type = 'controller-not-running'
  const { namespace = '' } = workload.object.metadata
  if (replicas === 0)
    return [
      {
        type,
        summary: `${nameOf(workload)}, which may write these objects, is scaled to 0.`,
        evidence: ['spec.replicas is 0'],
        command: `kubectl scale ${kubectlName(workload)} --replicas=1`,
      },
    ]
  if (readyReplicas === 0)
    return [
      {
        type,
        summary: `${nameOf(workload)}, which may write these objects, has no ready pod.`,
        evidence: [`0 of ${replicas} replicas are ready`, ...badConditions(workload).map(conditionText)],
        command: `kubectl describe ${kubectlName(workload)}`,
      },
    ]
  return workload.leases.flatMap((lease) => {
    const { name = '' } = lease.metadata
    const { holderIdentity = '', leaseDurationSeconds = 0, renewTime = '' } = leaseSpec(lease)
    const late = now - Date.parse(renewTime) - leaseDurationSeconds * 1000
    if (!(late > 0)) return []
    return [
      {
        type,
        summary: `Nobody renews the lease ${namespace}/${name} of ${nameOf(workload)}: no replica leads.`,
        evidence: [`${holderIdentity} renewed it last at ${renewTime}, and it expired ${humanDuration(late)} ago`],
        command: logsOf(workload),
      },
    ]
  })
}

export interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly renewTime?: string
}

export function leaseSpec(lease: ControllerWorkload['object']): LeaseSpec {
  return (lease['spec'] ?? {}) as LeaseSpec
}
