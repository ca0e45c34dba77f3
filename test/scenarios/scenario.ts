/**
 * A scenario: what a user does to a cluster, step by step, and what is looked at. It is a value; how it is run is in
 * `run.ts`, how steps are written in `steps.ts`. Requests are those of the differential suite: `{{ns}}` stands for the
 * scenario's namespace, which is made before the first step, `{{2.metadata.uid}}` for a value of the answer to the
 * third request, `{{now}}` and `{{microtime}}` for the time.
 */
import type { Json, JsonObject } from '../../src/api/json.ts'
import type { Step as Request } from '../differential/case.ts'

export interface Scenario {
  /** Unique; names the file of the recorded outcome: `deployment-recreate`. */
  readonly name: string
  readonly steps: readonly Act[]
  /** Paths of more objects or lists to look at, beyond those of the namespace. */
  readonly also?: readonly string[]
  /**
   * The names of nodes count, as the scheduler has no choice or the sum of its choices is always the same. Default
   * false.
   */
  readonly places?: boolean
  /**
   * Reasons of events whose number and texts depend on how quickly things happen on a real cluster; only that there are
   * such events is compared. Default: none, all count.
   */
  readonly anyNumber?: readonly string[]
  /**
   * Annotations that are there or not, as chance has it on a real cluster: they are not compared. Default: none, all
   * count.
   */
  readonly byChance?: readonly string[]
  /** Changes what some others see, such as the number of nodes: begins when those are done. Default false. */
  readonly late?: boolean
  /** One of those others. Default false. */
  readonly early?: boolean
}

export type Act = Request | Until | Rest | Look | Each

/** Waits until what is at `path` is as it should be. An answer that is none (404) is null. */
export interface Until {
  readonly until: string
  readonly says: string
  readonly holds: (found: JsonObject | null) => boolean
}

/** Waits until nothing changes any more in the scenario's namespace. */
export interface Rest {
  readonly rest: true
}

/** Waits for rest, then notes everything. Each scenario ends with one that is called `end`. */
export interface Look {
  readonly look: string
}

/** Does something with each object of a list, in the order of their creation. */
export interface Each {
  readonly each: string
  readonly most?: number
  readonly acts: (object: JsonObject, index: number) => readonly Act[]
}

/** What was seen of a scenario, in normal form (`normal-form.ts`): the same wherever it ran. */
export interface Outcome {
  /** Requests that were refused: `2 POST …/eviction: 429 TooManyRequests Cannot evict pod …`. */
  readonly refused: readonly string[]
  readonly looks: Readonly<Record<string, Seen>>
}

export interface Seen {
  /**
   * By kind and name; pods and others with names made by the server stand together, with how many there are of each.
   */
  readonly objects: Readonly<Record<string, Json>>
  readonly events: readonly string[]
}
