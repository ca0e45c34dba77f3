/** Plays one accepted operation, and judges what the operator made of it. */
import { equalJson, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import type { Embedded, Snapshot } from '../../cluster/embedded-handle.ts'
import { failingText } from '../../cluster/failing-keys.ts'
import type { WriteOptions } from '../../client/client.ts'
import { tooBusy, type Judge } from '../judge.ts'
import { kstatusOf, whyNotReady } from '../../controller/kstatus.ts'
import { differences, type State, type StateOptions } from '../state.ts'
import type { ExploreStep, Trial, TrialResult } from '../trial.ts'
import { asOperatorWrites, contentOf, isSame, observedState } from './observed.ts'
import type { SpecNote } from './spec-report.ts'

/** What all operations start from. */
export interface SpecWorld {
  /** A cluster with the sample at rest, for dry runs. */
  readonly atRest: Trial
  /** Before the sample was created. */
  readonly prepared: Snapshot
  /** The creation of the sample. */
  readonly created: TrialResult
  readonly sample: KubeObject
  readonly ignore: readonly string[]
  readonly judge: Judge
  /** As a user. */
  readonly apply: (cluster: Embedded, object: KubeObject, options?: WriteOptions) => Promise<KubeObject>
  readonly begin: (from: Snapshot) => Promise<Trial>
}

export interface PlayedOperation {
  readonly problems: readonly string[]
  readonly notes: readonly SpecNote[]
}

/** What the operation may do, because the options of the exploration say so. */
export interface Allowed {
  readonly noEffect: boolean
  readonly pathDependent: boolean
}

const maxDifferences = 12

export class SpecPlayer {
  readonly #world: SpecWorld
  readonly #allowed: Allowed
  readonly #problems: string[] = []
  readonly #notes: SpecNote[] = []

  constructor(world: SpecWorld, allowed: Allowed) {
    this.#world = world
    this.#allowed = allowed
  }

  async play(object: KubeObject): Promise<PlayedOperation> {
    const { created, begin } = this.#world
    const trial = await begin(created.end)
    let changed: TrialResult
    try {
      changed = await trial.run({ step: this.#applying(object) })
      this.#judge(changed, trial)
      this.#judgeEffect(changed)
      await this.#rollBack(trial)
    } finally {
      await trial.stop()
    }
    if (!this.#notes.includes('not ready') && !this.#allowed.pathDependent) await this.#createAgain(object, changed)
    return { problems: this.#problems, notes: this.#notes }
  }

  /** An operator may fail if its object says so: that is judged afterwards. */
  #applying(object: KubeObject): ExploreStep {
    const act = async (cluster: Embedded): Promise<void> => void (await this.#world.apply(cluster, object))
    return { name: 'apply', act, expects: 'failing' }
  }

  #judge(result: TrialResult, { cluster: { failing } }: Trial): void {
    const { created, sample } = this.#world
    this.#problems.push(...result.problems, ...tooBusy(created, result))
    const object = objectsOf(result).find((each) => isSame(each, sample))
    const waits = object === undefined ? 'it is gone' : whyNotReady(object)
    if (waits !== undefined) this.#notes.push('not ready')
    if (failing.length > 0 && !reportsFailure(object)) this.#problems.push(failingText(failing))
    else if (object !== undefined && !isObserved(object)) this.#problems.push(`at rest, ${waits ?? ''}`)
  }

  #judgeEffect(changed: TrialResult): void {
    const { created, sample } = this.#world
    const options = this.#options(created, changed)
    const hasChanged = (seen: (objects: readonly KubeObject[]) => readonly KubeObject[]): boolean => {
      const state = (result: TrialResult): State => observedState(seen(objectsOf(result)), options)
      return differences(state(created), state(changed), 1).length > 0
    }
    if (hasChanged((objects) => objects.filter((each) => !isSame(each, sample)))) return
    if (hasChanged((objects) => objects.map((each) => (isSame(each, sample) ? asOperatorWrites(each) : each))))
      this.#notes.push('status only')
    else if (this.#allowed.noEffect) this.#notes.push('no effect')
    else this.#problems.push('it has no effect: neither the status nor any object that the operator writes changed')
  }

  async #rollBack(trial: Trial): Promise<void> {
    const { created, sample, apply } = this.#world
    const rejection = await apply(trial.cluster, sample, { dryRun: true }).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (rejection instanceof ApiError) {
      this.#notes.push('irreversible')
      return
    }
    const back = await trial.run({ step: this.#applying(sample) })
    this.#compare('after the rollback', created, back, [
      ...back.problems,
      ...tooBusy(created, back),
      ...(trial.cluster.failing.length > 0 ? [failingText(trial.cluster.failing)] : []),
    ])
  }

  async #createAgain(object: KubeObject, changed: TrialResult): Promise<void> {
    const trial = await this.#world.begin(this.#world.prepared)
    try {
      const created = await trial.run({ step: this.#applying(object) })
      // An apply of an empty list removes it, if there was one before.
      if (!equalJson(this.#contentAfter(created), this.#contentAfter(changed))) return
      this.#compare('compared with a new object of the same spec', created, changed, [])
      if (created.problems.length > 0) this.#problems.push(...created.problems.map((each) => `created again: ${each}`))
    } finally {
      await trial.stop()
    }
  }

  #contentAfter(result: TrialResult): JsonObject | undefined {
    const object = objectsOf(result).find((each) => isSame(each, this.#world.sample))
    return object === undefined ? undefined : contentOf(object)
  }

  #compare(when: string, expected: TrialResult, actual: TrialResult, problems: readonly string[]): void {
    const options = this.#options(expected, actual)
    const state = (result: TrialResult): State => observedState(objectsOf(result), options)
    const found = differences(state(expected), state(actual), maxDifferences)
    this.#problems.push(...[...problems, ...found].map((each) => `${when}: ${each}`))
  }

  #options(...results: readonly TrialResult[]): StateOptions {
    const { judge, created, ignore } = this.#world
    return { types: judge.types(created, ...results), ignore }
  }
}

function objectsOf({ end }: TrialResult): readonly KubeObject[] {
  return end.items.map(({ object }) => object)
}

function reportsFailure(object: KubeObject | undefined): boolean {
  const { conditions = [] } = kstatusOf(object)
  return conditions.some(
    ({ type, status }) => (type === 'Ready' && status === 'False') || (type === 'Stalled' && status === 'True'),
  )
}

function isObserved(object: KubeObject): boolean {
  const { observedGeneration } = kstatusOf(object)
  return observedGeneration === undefined || observedGeneration === object.metadata.generation
}
