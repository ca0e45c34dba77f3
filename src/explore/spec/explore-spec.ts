/**
 * Explores a spec: does the operator follow every change of it, and does it come back?
 *
 * Expected flow: the sample is created once, and must be as expected at rest. Then each operation (operations.ts) is
 * tried with a dry run. If the server accepts it, it is played in a cluster of its own, which continues from the sample
 * at rest: apply it, settle, apply the sample again, settle. A second cluster creates the changed object.
 *
 * Guarantees: after the operation no key fails, unless the object reports a failure; no oracle objects; something has
 * changed besides the spec. After the rollback all is as before. The changed object is as if it had been created so,
 * unless it is not ready: what is left of a roll-out that does not end depends on what was before.
 */
import type { Json, JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import type { ApplyObject, Embedded } from '../../cluster/embedded-handle.ts'
import { RandomStream } from '../../env/random-stream.ts'
import { realEnv } from '../../env/real.ts'
import type { Kind } from '../../schema/kind.ts'
import type { StructuralSchema } from '../../schema/node.ts'
import { kindText, type Oracle } from '../changes.ts'
import { Judge } from '../judge.ts'
import { operatorView } from '../operator-view.ts'
import { standardOracles } from '../oracles.ts'
import { Trial, type ExploredCluster, type TrialResult } from '../trial.ts'
import type { Part } from '../search/part.ts'
import { contentOf, isSame } from './observed.ts'
import { isAtOrBelow, mergePatch, specOperations, type SpecOperation } from './operations.ts'
import { SpecPlayer, type SpecWorld } from './play.ts'
import { specReport, type PlayedOperation, type SpecReport } from './spec-report.ts'
import type { GivenValues } from './values.ts'

export interface ExploreSpecOptions {
  /** The operator and its cluster, as for `explore`. */
  readonly cluster: ExploredCluster
  /** A kind made by `resource()`; or any other with the `openAPIV3Schema` of its CRD. */
  readonly kind: Kind & { readonly schema: StructuralSchema }
  /** A valid object, as a user writes it. The more fields it has, the more can be changed and removed. */
  readonly sample: ApplyObject
  /** Acts as a user before the sample is created: creates what it refers to. Default: nothing. */
  readonly prepare?: ((cluster: Embedded) => Promise<void> | void) | undefined
  /** Valid values by property, `spec.image` or `spec.ports[].port`, in place of generated ones. Default: none. */
  readonly values?: GivenValues | undefined
  /** Properties, with all below them, that may have no effect at rest: `spec.drift`. Default: none. */
  readonly noEffect?: readonly string[] | undefined
  /**
   * Properties, with all below them, for which a changed object may differ from a new one: under an autoscaler, the
   * number of pods depends on how many there were. Default: none.
   */
  readonly pathDependent?: readonly string[] | undefined
  /** Default: `standardOracles`. */
  readonly oracles?: readonly Oracle[] | undefined
  /** Fields that may differ after a rollback, as for `explore`. Default: none. */
  readonly ignore?: readonly string[] | undefined
  /** Further types to compare, as for `explore`. Default: none. */
  readonly types?: readonly string[] | undefined
  /** The maximum of operations that are tried, chosen by `seed`. Default: no limit. */
  readonly atMost?: number | undefined
  /** Default 1. */
  readonly seed?: number | undefined
  /** Only the operations whose id starts so: `spec.replicas/min`, `spec.ports`. Default: all. */
  readonly only?: string | undefined
  /** Shard the operations over several processes: `{ index: 0, of: 2 }` and `{ index: 1, of: 2 }`. Default: all. */
  readonly part?: Part | undefined
  /** Called after every operation. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
}

export async function exploreSpec(options: ExploreSpecOptions): Promise<SpecReport> {
  const clock = realEnv()
  const startedAt = clock.now()
  const sample = withNamespace(options.sample, options.kind)
  const { properties, operations } = specOperations({
    schema: options.kind.schema,
    sample,
    values: options.values,
  })
  const chosen = choose(operations, options)
  const { part = { index: 0, of: 1 } } = options
  const own = chosen.filter((_, index) => index % part.of === part.index)
  const { world, problems } = await begin(options, sample)
  const played: PlayedOperation[] = []
  try {
    if (problems.length === 0) {
      for (const operation of own) {
        played.push(await tryOperation(world, operation, options))
        options.onProgress?.(played.length, own.length)
      }
    }
  } finally {
    await world.atRest.stop()
  }
  return specReport({
    kind: kindText(options.kind),
    paths: properties,
    operations: played,
    leftOut: operations.length - (problems.length === 0 ? chosen.length : 0),
    problems,
    took: clock.now() - startedAt,
    // Another process may have played the operation that has none.
    noEffect: part.of > 1 ? [] : (options.noEffect ?? []),
  })
}

/** The sample at rest. */
async function begin(
  { cluster, kind, prepare, types = [], ignore = [], oracles = standardOracles }: ExploreSpecOptions,
  sample: KubeObject,
): Promise<{ readonly world: SpecWorld; readonly problems: readonly string[] }> {
  const operator = operatorView(cluster)
  const judged = { oracles, operator }
  const atRest = await Trial.begin(cluster, judged)
  const apply = applying(kind)
  const prepared = await atRest.run({
    step: { name: 'prepare', act: async (own) => prepare?.(own), expects: 'no writes' },
  })
  const created = await atRest.run({ step: { name: 'create', act: async (own) => void (await apply(own, sample)) } })
  const world: SpecWorld = {
    atRest,
    prepared: prepared.end,
    created,
    apply,
    sample,
    judge: new Judge({ operator, types, ignore }),
    begin: (from) => Trial.begin(cluster, judged, { from }),
    ignore,
  }
  return { world, problems: [...prepared.problems, ...created.problems, ...created.unmet, ...idle(created)] }
}

function idle({ writes }: TrialResult): readonly string[] {
  return writes > 0 ? [] : ['the operator wrote nothing when the sample was created']
}

/** Server-side apply: what is left out is removed, and managed fields do not depend on the way. */
function applying(kind: Kind): SpecWorld['apply'] {
  return async ({ client }, object, options = {}) =>
    (await client.apply(kind, object as never, { force: true, ...options })) as unknown as KubeObject
}

async function tryOperation(
  world: SpecWorld,
  operation: SpecOperation,
  { noEffect = [], pathDependent = [] }: ExploreSpecOptions,
): Promise<PlayedOperation> {
  const { id, path, class: of, expects } = operation
  const { accepted, first, reason } = await negotiate(world, operation)
  const patchTo = (object: JsonObject): Json | undefined => mergePatch(world.sample, object)
  const reported = { id, path, class: of, problems: [], notes: [] }
  if (accepted === undefined)
    return { ...reported, patch: patchTo(first), reason, outcome: expects === 'rejected' ? 'rejected' : 'not covered' }
  const patch = patchTo(accepted)
  if (expects === 'rejected')
    return { ...reported, patch, outcome: 'failed', problems: ['the server accepted it, and the schema forbids it'] }
  const isIn = (properties: readonly string[]): boolean => properties.some((property) => isAtOrBelow(path, property))
  const allowed = { noEffect: isIn(noEffect), pathDependent: isIn(pathDependent) }
  const { problems, notes } = await new SpecPlayer(world, allowed).play(accepted as KubeObject)
  return { ...reported, patch, problems, notes, outcome: problems.length === 0 ? 'passed' : 'failed' }
}

interface Negotiated {
  /** The first object that the server accepts and that has another spec than the sample. */
  readonly accepted?: JsonObject
  readonly first: JsonObject
  /** Why the first was not taken. */
  readonly reason: string
}

async function negotiate({ atRest, created, apply, sample }: SpecWorld, operation: SpecOperation): Promise<Negotiated> {
  const before = contentOf(created.end.items.map(({ object }) => object).find((each) => isSame(each, sample)) ?? sample)
  let rejected: Omit<Negotiated, 'accepted'> | undefined
  for (const object of operation.objects()) {
    let reason = 'it changes nothing'
    try {
      const stored = await apply(atRest.cluster, object as KubeObject, { dryRun: true })
      if (operation.expects === 'rejected' || mergePatch(before, contentOf(stored)) !== undefined)
        return { accepted: object, first: object, reason: '' }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      reason = error.message
    }
    rejected ??= { first: object, reason }
  }
  return rejected ?? { first: sample, reason: 'no value was found' }
}

function withNamespace(sample: ApplyObject, { namespaced }: Kind): KubeObject {
  const namespace = namespaced ? { namespace: sample.metadata.namespace ?? 'default' } : {}
  return JSON.parse(JSON.stringify({ ...sample, metadata: { ...sample.metadata, ...namespace } })) as KubeObject
}

/** In their order, whatever the seed. */
function choose(
  operations: readonly SpecOperation[],
  { only, atMost = Infinity, seed = 1 }: ExploreSpecOptions,
): readonly SpecOperation[] {
  const selected = only === undefined ? operations : operations.filter(({ id }) => id.startsWith(only))
  if (selected.length === 0) throw new Error(`no operation is called ${only ?? ''}: give an id, as in a report`)
  if (selected.length <= atMost) return selected
  const random = new RandomStream(seed, 0)
  const drawn = selected.map((operation) => ({ operation, lot: random.word() })).sort((a, b) => a.lot - b.lot)
  const kept = new Set(drawn.slice(0, atMost).map(({ operation }) => operation))
  return selected.filter((operation) => kept.has(operation))
}
