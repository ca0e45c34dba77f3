/** The pods of a DaemonSet: by node, created and deleted. */
import { isNamespaceTerminating, labelSelectorFrom } from '../../api/index.ts'
import { createPod } from '../shared/create-pod.ts'
import { slowStart } from '../shared/slow-start.ts'
import { controllerReference } from '../../controller/index.ts'
import { DaemonSet, keyOf, Pod, type coreV1, type Live, type Node, type ReconcileContext } from '../../index.ts'
import { podRevisionLabel } from '../shared/controller-revisions.ts'
import { affinityFor, daemonPod, targetNode } from './node-fit.ts'

export type DaemonContext = ReconcileContext<DaemonSet>
export type LivePod = Live<Pod>

/** What one run works with. */
export interface DaemonRun {
  readonly context: DaemonContext
  readonly set: Live<DaemonSet>
  readonly nodes: readonly Live<Node>[]
  /** The hash of updated pods. */
  readonly hash: string
  readonly now: number
}

export type PodsByNode = Map<string, LivePod[]>

/** The maximum of creates or deletes in one step. */
const maxBurstPods = 250

const generationLabel = 'pod-template-generation'

/** The pods that the DaemonSet controls, as the last writes left them. */
export async function ownPods({ object: set, owned }: DaemonContext): Promise<readonly LivePod[]> {
  const selector = labelSelectorFrom(set.spec?.selector)
  return (await owned(Pod)).filter(({ metadata }) => selector.matches(metadata.labels))
}

/** Finished pods in deletion are left out: nothing remains to be done with them. */
export async function podsByNode(context: DaemonContext): Promise<PodsByNode> {
  const byNode: PodsByNode = new Map()
  for (const pod of await ownPods(context)) {
    const phase = pod.status?.phase
    if (pod.metadata.deletionTimestamp !== undefined && (phase === 'Succeeded' || phase === 'Failed')) continue
    const node = targetNode(pod)
    if (node === undefined) continue
    const pods = byNode.get(node)
    if (pods === undefined) byNode.set(node, [pod])
    else pods.push(pod)
  }
  return byNode
}

/** Pods with a node first, then the oldest. */
export function inAgeOrder(pods: readonly LivePod[]): LivePod[] {
  if (pods.length < 2) return [...pods]
  const unbound = ({ spec }: LivePod): number => ((spec?.nodeName ?? '') === '' ? 1 : 0)
  const created = ({ metadata }: LivePod): number => Date.parse(metadata.creationTimestamp ?? '')
  return [...pods].sort(
    (a, b) => unbound(a) - unbound(b) || created(a) - created(b) || (a.metadata.name < b.metadata.name ? -1 : 1),
  )
}

/** Whether a pod has the current template. */
export function isUpdated({ metadata }: LivePod, { set, hash }: DaemonRun): boolean {
  if (hash !== '' && metadata.labels?.[podRevisionLabel] === hash) return true
  const generation = templateGeneration(set)
  return generation !== undefined && metadata.labels?.[generationLabel] === generation
}

/** From the annotation of the old API versions, an int64. */
function templateGeneration({ metadata }: Live<DaemonSet>): string | undefined {
  const text = metadata.annotations?.['deprecated.daemonset.template.generation'] ?? ''
  if (!/^[+-]?\d+$/.test(text)) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value.toString() : undefined
}

/** Creates pods for these nodes and deletes these pods. Throws the first error after everything has been tried. */
export async function syncPods(run: DaemonRun, create: readonly string[], remove: readonly LivePod[]): Promise<void> {
  const failures = [
    ...(await createPods(run, create.slice(0, maxBurstPods))),
    ...(await deletePods(run, remove.slice(0, maxBurstPods))),
  ]
  if (failures.length > 0) throw failures[0]
}

async function createPods(run: DaemonRun, nodes: readonly string[]): Promise<readonly unknown[]> {
  const { errors } = await slowStart(nodes, (node) => createPod(run.context, newPod(run, node)))
  return errors.filter((error) => !isNamespaceTerminating(error))
}

function newPod({ set, hash }: DaemonRun, node: string): Pod {
  const { name, namespace = '' } = set.metadata
  // Sent as it is and never modified.
  const { metadata, spec } = daemonPod(set.spec?.template ?? {}) as unknown as coreV1.PodTemplateSpec
  const { labels, annotations, finalizers } = metadata ?? {}
  const generation = templateGeneration(set)
  return {
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: {
        ...labels,
        ...(generation === undefined ? {} : { [generationLabel]: generation }),
        [podRevisionLabel]: hash,
      },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(DaemonSet, set)],
    },
    spec: { ...spec, affinity: affinityFor(spec?.affinity, node) } as coreV1.PodSpec,
  }
}

async function deletePods({ context }: DaemonRun, pods: readonly LivePod[]): Promise<unknown[]> {
  const failures: unknown[] = []
  await Promise.all(
    pods.map(async (pod) => {
      try {
        if (await context.delete(Pod, keyOf(pod)))
          context.event('Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`)
      } catch (error) {
        context.event('Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`)
        failures.push(error)
      }
    }),
  )
  return failures
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
