/** The object is being deleted, and something has to happen before it is gone. */
import { humanDuration } from '../api/age.ts'
import { kubectlName, managersOf, nameOf, type Examined, type ObjectFacts } from './examined.ts'
import type { Finding } from './finding.ts'

/** Finalizers of Kubernetes: who removes them, and when. */
const known: Readonly<Record<string, string>> = {
  foregroundDeletion: 'the garbage collector removes it when the dependents are gone',
  orphan: 'the garbage collector removes it when the dependents no longer name this owner',
  kubernetes: 'the namespace controller removes it when the namespace is empty',
  'kubernetes.io/pvc-protection': 'it is removed when no pod uses the claim',
  'kubernetes.io/pv-protection': 'it is removed when no claim is bound to the volume',
  'batch.kubernetes.io/job-tracking': 'the Job controller removes it when it has counted the pod',
}

export function deletionFindings(facts: ObjectFacts): readonly Finding[] {
  const { object, now, dependents } = facts
  const { deletionTimestamp, finalizers = [] } = object.metadata
  if (deletionTimestamp === undefined) return []
  const since = humanDuration(Math.max(0, now - Date.parse(deletionTimestamp)))
  const ofSpec = (object['spec'] as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? []
  const waiting = [...finalizers, ...(facts.kind.kind === 'Namespace' ? ofSpec : [])]
  if (waiting.length === 0) return withoutFinalizers(facts, since)
  const listed = `${waiting.length === 1 ? 'the finalizer' : 'the finalizers'} ${waiting.join(', ')}`
  const own = waiting.filter((each) => known[each] === undefined)
  return [
    {
      type: 'being-deleted',
      summary: `${nameOf(facts)} has been terminating for ${since} and waits for ${listed}.`,
      evidence: [
        ...waiting.map((finalizer) => `${finalizer}: ${whoRemoves(facts, finalizer)}`),
        ...(waiting.some((each) => each === 'foregroundDeletion') && dependents.length > 0
          ? [`dependents: ${dependents.map(nameOf).join(', ')}`]
          : []),
        ...remaining(facts),
      ],
      command: own.length === 0 ? `kubectl describe ${kubectlName(facts)}` : whatHelps(facts, own[0] ?? ''),
    },
  ]
}

/** Pods have a grace period: within it nothing is wrong. */
function withoutFinalizers(facts: ObjectFacts, since: string): readonly Finding[] {
  if (facts.now <= Date.parse(facts.object.metadata.deletionTimestamp ?? '')) return []
  const { nodeName } = (facts.object['spec'] ?? {}) as { readonly nodeName?: string }
  return [
    {
      type: 'being-deleted',
      summary: `${nameOf(facts)} is being deleted, and its grace period ended ${since} ago.`,
      evidence: nodeName === undefined ? [] : [`the kubelet of node ${nodeName} has not confirmed that it stopped`],
      command: nodeName === undefined ? `kubectl describe ${kubectlName(facts)}` : `kubectl describe node/${nodeName}`,
    },
  ]
}

/** As far as fields and running controllers tell. */
function whoRemoves({ object, controllers }: ObjectFacts, finalizer: string): string {
  const byKubernetes = known[finalizer]
  if (byKubernetes !== undefined) return byKubernetes
  const [entry] = managersOf(object, 'f:metadata', 'f:finalizers', `v:${JSON.stringify(finalizer)}`)
  const added = entry?.manager === undefined ? [] : [`added by ${entry.manager}`]
  if (controllers === undefined) return [...added, 'which controllers run is not known'].join('; ')
  const names = controllers.map(nameOf)
  return [
    ...added,
    names.length === 0
      ? 'no workload in the cluster has a role that names this kind, so probably nobody removes it'
      : `${names.join(', ')} may remove it`,
  ].join('; ')
}

function whatHelps(facts: ObjectFacts, finalizer: string): string {
  const [controller] = facts.controllers ?? []
  if (controller !== undefined) return logsOf(controller)
  if (facts.controllers === undefined) return `kubectl get ${kubectlName(facts)} -o yaml --show-managed-fields`
  // The test fails if the list has changed since: no other finalizer is removed by mistake.
  const path = `/metadata/finalizers/${(facts.object.metadata.finalizers ?? []).indexOf(finalizer)}`
  const patch = JSON.stringify([
    { op: 'test', path, value: finalizer },
    { op: 'remove', path },
  ])
  return `kubectl patch ${kubectlName(facts)} --type=json -p '${patch}'  # skips its cleanup`
}

export function logsOf(workload: Examined): string {
  return `kubectl logs ${kubectlName(workload)} --tail=50`
}

/** What the namespace controller says of a namespace that is not empty. */
function remaining({ kind, object }: ObjectFacts): readonly string[] {
  if (kind.kind !== 'Namespace') return []
  const { conditions = [] } = (object['status'] ?? {}) as {
    readonly conditions?: readonly { readonly status?: string; readonly message?: string }[]
  }
  return conditions.filter(({ status }) => status === 'True').map(({ message = '' }) => message)
}
