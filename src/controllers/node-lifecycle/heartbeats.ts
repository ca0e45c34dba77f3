/**
 * When each node was last heard of. Judged by the own clock since its lease or its status last changed, never by the
 * times that they say: clocks differ.
 */
import { findReady } from './conditions.ts'
import type { Lease, Live, Node } from '../../index.ts'

/** Milliseconds without a sign of life after which a node is given up. */
const gracePeriod = 50_000
/** For one that has never said anything: counted from its creation. */
const startupPeriod = 60_000

interface Heard {
  readonly signs: string
  readonly at: number
}

export class Heartbeats {
  readonly #heard = new Map<string, Heard>()

  isKnown(name: string): boolean {
    return this.#heard.has(name)
  }

  /** Milliseconds until the node is given up; not above 0: it should be. */
  left(node: Live<Node>, lease: Live<Lease> | undefined, now: number): number {
    const { name, creationTimestamp = '' } = node.metadata
    const ready = findReady(node)
    const signs = JSON.stringify([
      lease?.spec?.renewTime,
      ready?.reason === 'NodeStatusUnknown' ? undefined : [ready?.lastHeartbeatTime, ready?.status],
    ])
    const before = this.#heard.get(name)
    const at =
      before === undefined && ready === undefined
        ? Date.parse(creationTimestamp)
        : before?.signs === signs
          ? before.at
          : now
    this.#heard.set(name, { signs, at })
    return at + (ready === undefined ? startupPeriod : gracePeriod) - now
  }

  forget(name: string): void {
    this.#heard.delete(name)
  }
}
