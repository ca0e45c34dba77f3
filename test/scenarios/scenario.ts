/**
 * A scenario: the actions of a user on a cluster, step by step, and what is recorded. It is data; `run.ts` runs it, and
 * `steps.ts` has the functions to write steps. Requests are those of the differential suite: `{{ns}}` stands for the
 * scenario's namespace, which is created before the first step, `{{2.metadata.uid}}` for a value of the response to the
 * third request, `{{now}}` and `{{microtime}}` for the time.
 */
import type { Json, JsonObject } from '../../src/api/json.ts'
import type { Step as Request } from '../differential/case.ts'

export interface Scenario {
  /** Unique; the name of the file of the recorded outcome: `deployment-recreate`. */
  readonly name: string
  readonly steps: readonly Act[]
  /** Paths of further objects or lists to record, outside of the namespace. */
  readonly also?: readonly string[]
  /**
   * Compare the names of nodes, because the scheduler has no choice, or because the total of its choices is always the
   * same. Default false.
   */
  readonly places?: boolean
  /**
   * Reasons of events whose number and messages depend on the timing of a real cluster; only their presence is
   * compared. Default: none, all events are compared.
   */
  readonly anyNumber?: readonly string[]
  /** Annotations that are present at random on a real cluster, and are not compared. Default: none. */
  readonly byChance?: readonly string[]
  /** The rights of users count: ours authorizes by RBAC, as the real cluster always does. Default false. */
  readonly rights?: boolean
  /** Affects some other scenarios, for example by the number of nodes: starts when those are done. Default false. */
  readonly late?: boolean
  /** One of those other scenarios. Default false. */
  readonly early?: boolean
}

export type Act = Request | Until | Rest | Look | Each

/** Waits until the object at `path` meets a condition. A 404 is null. */
export interface Until {
  readonly until: string
  readonly says: string
  readonly holds: (found: JsonObject | null) => boolean
}

/** Waits until nothing changes any more in the scenario's namespace. */
export interface Rest {
  readonly rest: true
}

/** Waits until nothing changes, then records everything. Each scenario ends with the look `end`. */
export interface Look {
  readonly look: string
}

/** Runs steps for each object of a list, oldest first. */
export interface Each {
  readonly each: string
  readonly most?: number
  readonly acts: (object: JsonObject, index: number) => readonly Act[]
}

/** The outcome of a scenario in normal form (`normal-form.ts`), which is equal at every site. */
export interface Outcome {
  /** Rejected requests: `2 POST …/eviction: 429 TooManyRequests Cannot evict pod …`. */
  readonly refused: readonly string[]
  readonly looks: Readonly<Record<string, Seen>>
}

export interface Seen {
  /** By kind and name. Objects with generated names are grouped, with the number of each. */
  readonly objects: Readonly<Record<string, Json>>
  readonly events: readonly string[]
}
