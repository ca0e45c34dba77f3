/**
 * The DaemonSet controller: keeps one pod on each eligible node. The steps follow kube-controller-manager: 1 read the
 * DaemonSet and the nodes, 2 find or create the revision of its template, 3 claim its pods, 4 create missing pods and
 * delete superfluous ones, 5 replace old pods as the update strategy allows, 6 clean up the history, 7 update the
 * status.
 */
import { labelSelectorFrom } from '../../api/index.ts'
import { changed, type MapReads } from '../../controller/index.ts'
import {
  controller,
  controllerOf,
  ControllerRevision,
  DaemonSet,
  keyOf,
  Node,
  Pod,
  requeueAfter,
  type ControllerDefinition,
  type Live,
  type LiveObject,
  type ObjectKey,
  type ReconcileResult,
} from '../../index.ts'
import { adoptAndRelease, adoptableInformer, adoptersOf } from '../shared/adoption.ts'
import type { DaemonContext, DaemonRun } from './daemon-pods.ts'
import { FailedPodsBackoff } from './failed-pods.ts'
import { cleanUpHistory, syncHistory } from './history.ts'
import { managePods } from './manage.ts'
import { nodeFit } from './node-fit.ts'
import { rollingUpdate } from './rolling-update.ts'
import { daemonSetState } from './status.ts'

/** As upstream, a revision that somebody adds to those of a DaemonSet does not cause a run, which might remove it. */
const revisionEvents = { ignoreAdds: true }

export function daemonSets(): ControllerDefinition<DaemonSet> {
  const backoff = new FailedPodsBackoff()
  return controller(DaemonSet)
    .named('daemonset-controller')
    .owns(Pod)
    .ownsWith(ControllerRevision, revisionEvents)
    .watches(Pod, { map: adopters, informer: podInformer })
    .watches(ControllerRevision, { map: adopters, informer: adoptableInformer })
    .watches(Node, { map: affectedDaemonSets, when: placementChanged })
    .options({
      concurrency: 2,
      fieldManager: 'kube-controller-manager',
      observedGeneration: true,
      batchPerTick: true,
      reconcileOwnWrites: 'never',
    })
    .reconcile((context) => sync(context, backoff))
}

async function sync(context: DaemonContext, backoff: FailedPodsBackoff): Promise<ReconcileResult> {
  const { object: set } = context
  const selector = labelSelectorFrom(set.spec?.selector)
  if (selector.isEmpty) {
    const message = 'This daemon set is selecting all pods. A non-empty selector is required.'
    context.event('Warning', 'SelectingAll', message)
    return undefined
  }
  const nodes = await context.list(Node)
  const { hash, old } = await syncHistory(context)
  await adoptAndRelease({ context, kind: Pod, selector })
  const run: DaemonRun = { context, set, nodes, hash, now: context.now() }
  let failedPodMs = Infinity
  let failure: { readonly error: unknown } | undefined
  try {
    failedPodMs = await managePods(run, backoff)
    if (set.spec?.updateStrategy?.type === 'RollingUpdate') await rollingUpdate(run)
    await cleanUpHistory(context, old)
  } catch (error) {
    failure = { error }
  }
  const { status, availableMs } = await daemonSetState(run)
  context.status.set(status)
  if (failure !== undefined) throw failure.error
  const nextMs = Math.min(failedPodMs, availableMs)
  return nextMs === Infinity ? undefined : requeueAfter(nextMs)
}

const nodeIndex = 'coxswain.dev/daemon-node'

const podInformer = {
  indexes: {
    ...adoptableInformer.indexes,
    [nodeIndex]: (object: LiveObject): string[] => {
      const { nodeName = '' } = (object as Live<Pod>).spec ?? {}
      return nodeName !== '' && controllerOf(object)?.kind === 'DaemonSet' ? [nodeName] : []
    },
  },
}

const adopters = adoptersOf(DaemonSet, ({ spec }) => spec?.selector)

const placementChanged = changed<Node>(({ metadata, spec }) => [metadata.labels, spec?.taints])

/** A change of a node concerns a DaemonSet that gains or loses its pod there, or that counts misscheduled ones. */
function affectedDaemonSets({ metadata: { name } }: Live<Node>, reads: MapReads): ObjectKey[] {
  const node = reads.lister(Node).get({ name })
  if (node === undefined) return []
  const withPods = new Set(
    reads
      .lister(Pod)
      .byIndex(nodeIndex, name)
      .map((pod) => controllerOf(pod)?.uid),
  )
  return reads
    .lister(DaemonSet)
    .list()
    .filter((set) => {
      const { shouldRun, shouldContinue } = nodeFit(set, node)
      if (!withPods.has(set.metadata.uid)) return shouldRun
      return !shouldContinue || (set.status?.numberMisscheduled ?? 0) > 0
    })
    .map(keyOf)
}
