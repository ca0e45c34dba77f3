/** Where a fault happens in a step: at a call of the operator, or at an event of one of its watches. */

/**
 * `3`: the third call of the operator since the step began. `deployments.apps@2`: the second event that its watches of
 * this resource have received since then, without bookmarks.
 */
export type Point = string

/** An event of a watch. */
export interface Frame {
  /** `deployments.apps` */
  readonly resource: string
  /** Counts from 1. */
  readonly index: number
}

const callPattern = /^[1-9]\d*$/
const framePattern = /^([a-z][-.a-z0-9]*)@([1-9]\d*)$/

export function callPoint(call: number): Point {
  return String(call)
}

/** The number of the call; undefined if the point is something else. */
export function callAt(point: Point): number | undefined {
  return callPattern.test(point) ? Number(point) : undefined
}

export function framePoint({ resource, index }: Frame): Point {
  return `${resource}@${index}`
}

/** Undefined if the point is something else. */
export function frameAt(point: Point): Frame | undefined {
  const [, resource, index] = framePattern.exec(point) ?? []
  return resource === undefined ? undefined : { resource, index: Number(index) }
}
