/** What came of an attempt to empty a namespace, and the conditions that tell it. */
import { timestamp } from '../../env/index.ts'
import type { coreV1, Live, Namespace } from '../../index.ts'

export interface Outcome {
  discoveryError: unknown
  readonly contentErrors: unknown[]
  /** `pods.`, `deployments.apps`: how many objects are left. */
  readonly remaining: Map<string, number>
  readonly finalizers: Map<string, number>
  /** Seconds that the rest is taken to need. */
  estimate: number
  /** Nothing else was touched yet. */
  isWaitingForPods: boolean
}

export function emptyOutcome(): Outcome {
  return {
    discoveryError: undefined,
    contentErrors: [],
    remaining: new Map(),
    finalizers: new Map(),
    estimate: 0,
    isWaitingForPods: false,
  }
}

/** What keeps the namespace from going and is worth another try. */
export function errorsOf({ discoveryError, contentErrors }: Outcome): readonly unknown[] {
  return discoveryError === undefined ? contentErrors : [discoveryError, ...contentErrors]
}

type Condition = coreV1.NamespaceCondition
type Failure = { readonly reason: string; readonly message: string } | undefined

/** All five, in this order, each with what it says when all is well. */
const wellDone = [
  ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
  ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  [
    'NamespaceDeletionContentFailure',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  ['NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'],
  ['NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
] as const

/** The transition time moves with the status only. */
export function conditionsOf(namespace: Live<Namespace>, outcome: Outcome, now: number): Condition[] {
  const before = namespace.status?.conditions ?? []
  const failures = failuresOf(outcome)
  const own = wellDone.map(([type, reason, message]): Condition => {
    const failure = failures[type]
    const status = failure === undefined ? 'False' : 'True'
    const old = before.find((condition) => condition.type === type)
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : undefined
    return { type, status, reason, message, ...failure, lastTransitionTime: lastTransitionTime ?? timestamp(now) }
  })
  const others = before.filter(({ type }) => !own.some((condition) => condition.type === type))
  return [...(others as Condition[]), ...own]
}

function failuresOf({
  discoveryError,
  contentErrors,
  remaining,
  finalizers,
  isWaitingForPods,
}: Outcome): Readonly<Record<string, Failure>> {
  // While pods are waited for the totals are not told, as nothing else has been counted.
  const isTold = !isWaitingForPods
  return {
    NamespaceDeletionDiscoveryFailure:
      discoveryError === undefined ? undefined : { reason: 'DiscoveryFailed', message: textOf(discoveryError) },
    NamespaceDeletionContentFailure:
      contentErrors.length === 0
        ? undefined
        : {
            reason: 'ContentDeletionFailed',
            message:
              `Failed to delete all resource types, ${contentErrors.length} remaining: ` +
              contentErrors.map(textOf).sort().join(', '),
          },
    NamespaceContentRemaining:
      isTold && remaining.size > 0
        ? { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${counted(remaining, 'has')}` }
        : undefined,
    NamespaceFinalizersRemaining:
      isTold && finalizers.size > 0
        ? {
            reason: 'SomeFinalizersRemain',
            message: `Some content in the namespace has finalizers remaining: ${counted(finalizers, 'in')}`,
          }
        : undefined,
  }
}

function counted(counts: ReadonlyMap<string, number>, verb: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
    .sort()
    .join(', ')
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
