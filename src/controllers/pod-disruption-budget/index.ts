/**
 * The PodDisruptionBudget controller: 1 find the pods that a budget selects, 2 compute how many are expected and must
 * be healthy, 3 find recently evicted pods, 4 update the status. If the numbers cannot be computed, no eviction is
 * allowed.
 */
import {
  controller,
  Deployment,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  requeueAfter,
  StatefulSet,
  type Live,
  type metaV1,
  type ObjectKey,
  type ReconcileContext,
  type ReconcileResult,
} from '../../index.ts'
import { labelSelectorFrom, type DeepReadonly } from '../../api/index.ts'
import type { MapReads } from '../../controller/index.ts'
import { keysInNamespace } from '../shared/keys-in-namespace.ts'
import { isReady } from '../shared/pod-state.ts'
import { expectationOf, type Expectation } from './expected.ts'

/** How long an evicted pod may take to start its deletion before it counts again. */
const deletionTimeoutMs = 120_000

type Context = ReconcileContext<PodDisruptionBudget>

function budgetsOf(pod: Live<Pod>, reads: MapReads): readonly ObjectKey[] {
  return keysInNamespace(reads, PodDisruptionBudget, pod, (budget) => budgetSelectsPod(budget, pod))
}

/** No selector matches no pods, an empty one all pods. */
function budgetSelectsPod({ spec }: Live<PodDisruptionBudget>, { metadata }: Live<Pod>): boolean {
  return spec?.selector !== undefined && labelSelectorFrom(spec.selector).matches(metadata.labels)
}

export const podDisruptionBudgets = controller(PodDisruptionBudget)
  .named('disruption-controller')
  .watches(Pod, { map: budgetsOf })
  .reads(ReplicaSet)
  .reads(Deployment)
  .reads(StatefulSet)
  .options({ fieldManager: 'kube-controller-manager', eventSource: 'controllermanager', observedGeneration: true })
  .reconcile(async (context): Promise<ReconcileResult> => {
    const pods = (await context.list(Pod)).filter((pod) => budgetSelectsPod(context.object, pod))
    try {
      const expectation = await expectationOf(context, pods)
      reportProblem(context, pods, expectation)
      return report(context, pods, expectation)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      context.event(
        'Warning',
        'CalculateExpectedPodCountFailed',
        `Failed to calculate the number of expected pods: ${message}`,
      )
      context.status.set({ disruptionsAllowed: 0 })
      context.status.condition({ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message })
      throw error
    }
  })

/** Reported only when it changes. */
function reportProblem(
  { object: budget, event }: Context,
  pods: readonly Live<Pod>[],
  { unmanaged }: Expectation,
): void {
  const isOutdated = budget.status?.observedGeneration !== budget.metadata.generation
  if (pods.length === 0 && (isOutdated || budget.status?.expectedPods !== 0))
    event('Normal', 'NoPods', 'No matching pods found')
  if (unmanaged.length === 0) return
  event(
    'Warning',
    'UnmanagedPods',
    `Pods selected by this PodDisruptionBudget (selector: ${selectorText(budget.spec?.selector)}) were found ` +
      'to be unmanaged. ' +
      'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
      'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
  )
}

/** As upstream prints it. */
function selectorText({ matchLabels = {}, matchExpressions = [] }: DeepReadonly<metaV1.LabelSelector> = {}): string {
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${value},`)
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  )
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
  )
}

function report(
  { object: budget, status, now }: Context,
  pods: readonly Live<Pod>[],
  { expectedPods, desiredHealthy }: Expectation,
): ReconcileResult {
  const disrupted = stillDisrupted(budget, pods, now())
  const currentHealthy = pods.filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && !disrupted.has(pod.metadata.name) && isReady(pod),
  ).length
  const spare = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0
  status.set({
    expectedPods,
    desiredHealthy,
    currentHealthy,
    disruptionsAllowed: spare,
    disruptedPods: disrupted.size === 0 ? undefined : Object.fromEntries(disrupted),
  })
  status.condition({
    type: 'DisruptionAllowed',
    status: spare > 0 ? 'True' : 'False',
    reason: spare > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  })
  const next = Math.min(...[...disrupted.values()].map((time) => Date.parse(time) + deletionTimeoutMs - now()))
  return next === Infinity ? undefined : requeueAfter(Math.max(1, next + 1))
}

/** Evicted and not yet in deletion. A pod that is still there after the timeout counts as staying. */
function stillDisrupted(
  { status }: Live<PodDisruptionBudget>,
  pods: readonly Live<Pod>[],
  now: number,
): ReadonlyMap<string, string> {
  const known = status?.disruptedPods ?? {}
  return new Map(
    pods.flatMap(({ metadata }): [string, string][] => {
      const time = known[metadata.name]
      const isAwaited =
        time !== undefined && metadata.deletionTimestamp === undefined && Date.parse(time) + deletionTimeoutMs >= now
      return isAwaited ? [[metadata.name, time]] : []
    }),
  )
}
