/**
 * Deletes an app: reports it first, then deletes its children, Ingress → Service → Deployment, each only when the one
 * before is gone; or orphans them. A deletion that takes too long is reported and continues. The garbage collector
 * deletes the others (autoscaler, disruption budget) in any order.
 */
import {
  Deployment,
  Ingress,
  isConditionTrue,
  isControlledBy,
  Service,
  type ApiObject,
  type Kind,
  type LiveObject,
} from 'coxswain'
import { pipeline, step, wait, when, type Step, type Wait } from 'coxswain/flow'
import { timestamp } from 'coxswain/env'
import { children } from '../children/index.ts'
import { conditionList } from '../state/conditions.ts'
import { currentStatus, podsOf, type AppContext } from './context.ts'
import { leftToOthers, withoutFields } from './left-to-others.ts'

/** The poll period for objects that are slow to go. Their events trigger a run earlier. */
const lookEveryMs = 10_000

/** Reported before anything is deleted, so that watchers see why. */
const announce: Step<AppContext> = step('announce', (context) => {
  if (context.object.status?.phase === 'Deleting') return undefined
  report(context, { isStuck: false, message: 'the app is being deleted' })
  return wait(1_000, 'the phase is told before anything goes')
})

/**
 * Written only when something changes. Fields without a meaning during a deletion are removed; what a rollback has
 * pinned is needed to orphan the children.
 */
function report(
  context: AppContext,
  { isStuck, message }: { readonly isStuck: boolean; readonly message: string },
): void {
  const { object: app, status, now } = context
  const before = currentStatus(context)
  const at = timestamp(now())
  const conditions = conditionList(
    before.conditions ?? [],
    [
      { type: 'Ready', status: false, reason: 'Deleting', message },
      ...(before.conditions ?? []).filter(({ type }) => type === 'Available'),
      {
        type: isStuck ? 'Stalled' : 'Reconciling',
        status: true,
        reason: isStuck ? 'DeletionStuck' : 'Deleting',
        message,
      },
    ],
    app.metadata.generation,
    at,
  )
  if (conditions === before.conditions && before.phase === 'Deleting') return
  status.set({
    phase: 'Deleting',
    message,
    observedGeneration: app.metadata.generation ?? 0,
    lastReconcileTime: at,
    nextRetryTime: undefined,
    conditions: [...conditions],
    url: undefined,
    endpoints: undefined,
    children: undefined,
    history: undefined,
    problems: undefined,
    ...(before.failedRevision === undefined ? { lastGoodRevision: undefined } : {}),
  })
}

const isOrphaning = ({ object }: AppContext): boolean => object.spec.deletionPolicy === 'Orphan'

/** Without a controller reference, the garbage collector leaves them alone. */
const orphan: Step<AppContext> = step('orphan the children', async ({ object: app, run, get, apply }) => {
  const { spec, checksum } = run.target
  for (const { kind, wanted } of children({ app, spec, checksum })) {
    const existing = await get(kind, app.metadata.name)
    if (wanted === undefined || existing === undefined || !isControlledBy(existing, app)) continue
    await apply(kind, withoutFields(wanted, leftToOthers(app, kind.kind)), { owned: false })
  }
})

function remove<T extends ApiObject>(kind: Kind<T>): Step<AppContext> {
  return step(`delete the ${kind.kind}`, async (context) => {
    const { object: app, get } = context
    const { name } = app.metadata
    const existing = await get(kind, name)
    if (existing === undefined || !isControlledBy(existing, app)) return undefined
    await context.delete(kind, name)
    const left = await get(kind, name)
    return left?.metadata.uid === existing.metadata.uid
      ? notYet(context, `${kind.kind} ${name}${heldBy(left)}`)
      : undefined
  })
}

const isWaitingForPods = ({ object }: AppContext): boolean => object.spec.deletionPolicy === 'WaitForTermination'

const awaitPods: Step<AppContext> = step('await the end of the pods', async (context) => {
  const pods = await podsOf(context)
  return pods.length === 0
    ? undefined
    : notYet(context, `${pods.length} pods, ${pods[0]?.metadata.name ?? ''} among them`)
})

/** Waits. After the deadline it reports that the deletion is stuck, once. */
function notYet(context: AppContext, what: string): Wait {
  const { object, run, now, event } = context
  const left = Date.parse(object.metadata.deletionTimestamp ?? '') + run.settings.deletionDeadlineMs - now()
  const message = `waiting for ${what} to go`
  if (left > 0) return wait(Math.min(lookEveryMs, left), message)
  if (!isConditionTrue(currentStatus(context).conditions, 'Stalled')) event('Warning', 'DeletionStuck', message)
  report(context, { isStuck: true, message })
  return wait(lookEveryMs, message)
}

function heldBy({ metadata }: LiveObject): string {
  return metadata.finalizers === undefined || metadata.finalizers.length === 0
    ? ''
    : ` (held by ${metadata.finalizers.join(', ')})`
}

export const cleanUp: Step<AppContext> = pipeline(
  'deleting',
  announce,
  when(
    isOrphaning,
    orphan,
    pipeline(
      'delete in order',
      remove(Ingress),
      remove(Service),
      remove(Deployment),
      when(isWaitingForPods, awaitPods),
    ),
  ),
)
