/** The result of an attempt to empty a namespace, and its conditions. */
import { timestamp } from '../../env/index.ts'
import type { coreV1, Live, Namespace } from '../../index.ts'

export interface ContentDeletion {
  discoveryError: unknown
  readonly contentErrors: unknown[]
  /** Remaining objects by resource: `pods.`, `deployments.apps`. */
  readonly remaining: Map<string, number>
  readonly finalizers: Map<string, number>
  /** The estimated seconds until the rest is gone. */
  estimate: number
  /** Only pods were deleted so far. */
  isWaitingForPods: boolean
}

export function newContentDeletion(): ContentDeletion {
  return {
    discoveryError: undefined,
    contentErrors: [],
    remaining: new Map(),
    finalizers: new Map(),
    estimate: 0,
    isWaitingForPods: false,
  }
}

/** The errors that are worth a retry. */
export function errorsOf({ discoveryError, contentErrors }: ContentDeletion): readonly unknown[] {
  return discoveryError === undefined ? contentErrors : [discoveryError, ...contentErrors]
}

type Condition = coreV1.NamespaceCondition
type Failure = { readonly reason: string; readonly message: string } | undefined

/** All five, in this order, each with its message for the good case. */
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

/** The transition time changes with the status only. */
export function conditionsOf(namespace: Live<Namespace>, outcome: ContentDeletion, now: number): Condition[] {
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
}: ContentDeletion): Readonly<Record<string, Failure>> {
  // While waiting for pods the totals are unknown, since nothing else was counted.
  const isReported = !isWaitingForPods
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
      isReported && remaining.size > 0
        ? { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${counted(remaining, 'has')}` }
        : undefined,
    NamespaceFinalizersRemaining:
      isReported && finalizers.size > 0
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
