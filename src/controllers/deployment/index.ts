/**
 * The Deployment controller: replaces pods step by step when their template changes. The steps follow
 * kube-controller-manager: 1 read the Deployment, 2 claim its ReplicaSets, 3 find the new and the old ones, 4 choose
 * the strategy, 5 scale up the new one, 6 scale down the old ones, 7 update the status.
 */
import {
  controller,
  controllerOf,
  Deployment,
  keyOf,
  Pod,
  ReplicaSet,
  requeueAfter,
  type Live,
  type ObjectKey,
  type ReconcileResult,
} from '../../index.ts'
import { labelSelectorFrom } from '../../api/index.ts'
import type { MapReads } from '../../controller/index.ts'
import { adoptAndRelease, adoptableInformer, adoptersOf } from '../shared/adoption.ts'
import { isRolling } from './bounds.ts'
import { cleanUpHistory } from './history.ts'
import { deadlineOf, hasDeadline, isComplete, noteProgress, progressCondition, progressing } from './progress.ts'
import { recreate } from './recreate.ts'
import { splitByTemplate, syncRevision, type ReplicaSets } from './replica-sets.ts'
import { rollingUpdate } from './rolling-update.ts'
import type { DeploymentContext } from './rollout.ts'
import { isScaled, scale } from './scaling.ts'
import { deploymentStatus, withoutNone } from './status.ts'

/** The strategy Recreate waits for old pods to end. Other strategies count pods by the status of their ReplicaSet. */
function ofPod(pod: Live<Pod>, reads: MapReads): ObjectKey[] {
  const { namespace } = pod.metadata
  const owner = controllerOf(pod)
  const set = owner?.kind === 'ReplicaSet' ? reads.lister(ReplicaSet).get({ namespace, name: owner.name }) : undefined
  const ownersOwner = set === undefined || set.metadata.uid !== owner?.uid ? undefined : controllerOf(set)
  const deployment =
    ownersOwner === undefined ? undefined : reads.lister(Deployment).get({ namespace, name: ownersOwner.name })
  return deployment === undefined || isRolling(deployment) ? [] : [keyOf(deployment)]
}

export const deployments = controller(Deployment)
  .named('deployment-controller')
  .owns(ReplicaSet)
  .watches(ReplicaSet, { map: adoptersOf(Deployment, ({ spec }) => spec?.selector), informer: adoptableInformer })
  .watches(Pod, { map: ofPod, when: (old, pod) => old.status?.phase !== pod.status?.phase })
  .options({
    concurrency: 5,
    fieldManager: 'kube-controller-manager',
    observedGeneration: true,
    batchPerTick: true,
    reconcileOwnWrites: 'never',
  })
  .deleting(async (context) => report(context, await findSets(context), false))
  .reconcile(async (context) => {
    const { object: deployment } = context
    if (labelSelectorFrom(deployment.spec?.selector).isEmpty) {
      context.event(
        'Warning',
        'SelectingAll',
        'This deployment is selecting all pods. A non-empty selector is required.',
      )
      return undefined
    }
    const found = await findSets(context)
    notePause(context)
    const sets = await syncRevision(context, found)
    if (deployment.spec?.paused === true || isScaled(deployment, sets)) {
      await scale(context, sets)
      if (deployment.spec?.paused === true) await cleanUpHistory(context, sets.old)
      return report(context, await asCached(context, sets), false)
    }
    const rolled = isRolling(deployment)
      ? await rollingUpdate(context, sets)
      : await recreate(context, sets, await context.list(Pod))
    const status = deploymentStatus(deployment, rolled, context.now(), true)
    if (isComplete(deployment, status as Required<typeof status>)) await cleanUpHistory(context, rolled.old)
    return report(context, rolled, true)
  })

async function findSets(context: DeploymentContext): Promise<ReplicaSets> {
  const { object: deployment } = context
  return splitByTemplate(
    deployment,
    await adoptAndRelease({ context, kind: ReplicaSet, selector: labelSelectorFrom(deployment.spec?.selector) }),
  )
}

async function asCached(context: DeploymentContext, { current, old }: ReplicaSets): Promise<ReplicaSets> {
  const fresh = await context.owned(ReplicaSet)
  const now = (set: Live<ReplicaSet>): Live<ReplicaSet> =>
    fresh.find(({ metadata }) => metadata.uid === set.metadata.uid) ?? set
  return { current: current && now(current), old: old.map(now) }
}

/** The progress deadline does not run while a Deployment is paused. */
function notePause(context: DeploymentContext): void {
  const { object: deployment } = context
  const reason = progressCondition(deployment)?.reason
  if (!hasDeadline(deployment) || reason === 'ProgressDeadlineExceeded') return
  const isPaused = deployment.spec?.paused === true
  if (isPaused === (reason === 'DeploymentPaused')) return
  if (!isPaused && reason !== 'DeploymentPaused') return
  noteProgress(
    context,
    isPaused
      ? progressing('Unknown', 'DeploymentPaused', 'Deployment is paused')
      : progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed'),
  )
}

function report(context: DeploymentContext, sets: ReplicaSets, tracked: boolean): ReconcileResult {
  const { object: deployment, status, now } = context
  const seen = {
    ...deployment,
    status: { ...deployment.status, conditions: status.current.conditions ?? [] },
  } as Live<Deployment>
  const next = deploymentStatus(seen, sets, now(), tracked)
  status.set(withoutNone(next))
  const left = deadlineOf({ ...seen, status: next }, now())
  return left > 0 && left < Infinity ? requeueAfter(left + 1000) : undefined
}
