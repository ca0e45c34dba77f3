/**
 * The last heartbeat of each node, by the controller's own clock since the lease or the status last changed. Times
 * inside these objects are not used: clocks differ.
 */
import { readyCondition } from './conditions.ts'
import type { Lease, Live, Node } from '../../index.ts'

/** The grace period: how long a node may be without a heartbeat. */
const gracePeriodMs = 50_000
/** For a node that never had a heartbeat: from its creation. */
const startupPeriodMs = 60_000

interface LastHeartbeat {
  readonly signs: string
  readonly at: number
}

export class Heartbeats {
  readonly #lastHeartbeats = new Map<string, LastHeartbeat>()

  isKnown(name: string): boolean {
    return this.#lastHeartbeats.has(name)
  }

  /** Milliseconds until the grace period ends; 0 or less: it has ended. */
  left(node: Live<Node>, lease: Live<Lease> | undefined, now: number): number {
    const { name, creationTimestamp = '' } = node.metadata
    const ready = readyCondition(node)
    const signs = JSON.stringify([
      lease?.spec?.renewTime,
      ready?.reason === 'NodeStatusUnknown' ? undefined : [ready?.lastHeartbeatTime, ready?.status],
    ])
    const before = this.#lastHeartbeats.get(name)
    const at =
      before === undefined && ready === undefined
        ? Date.parse(creationTimestamp)
        : before?.signs === signs
          ? before.at
          : now
    this.#lastHeartbeats.set(name, { signs, at })
    return at + (ready === undefined ? startupPeriodMs : gracePeriodMs) - now
  }

  forget(name: string): void {
    this.#lastHeartbeats.delete(name)
  }
}
