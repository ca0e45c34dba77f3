/** The addresses of pods: 10.244.NODE.N, with the lowest N that no pod of the node has. */
import type { Live, Pod } from '../index.ts'

export class PodAddresses {
  /** Assigned addresses by node and uid of the pod. The cache may not show them yet. */
  readonly #given = new Map<string, Map<string, string>>()

  /** The address of the pod, if it has one. */
  known({ metadata: { uid }, status }: Live<Pod>, node: string): string | undefined {
    return status?.podIP ?? this.#given.get(node)?.get(uid)
  }

  /** `others`: the pods of the node in the cache. */
  next({ metadata: { uid } }: Live<Pod>, node: string, others: readonly Live<Pod>[]): string {
    const given = this.#given.get(node) ?? new Map<string, string>()
    this.#given.set(node, given)
    const taken = new Set<string>()
    for (const { metadata, status } of others) {
      if (status?.podIP === undefined) continue
      taken.add(status.podIP)
      given.delete(metadata.uid)
    }
    // The remaining entries are not in the cache yet, or belong to deleted pods.
    for (const [other, address] of given) {
      if (others.some(({ metadata }) => metadata.uid === other)) taken.add(address)
      else given.delete(other)
    }
    const address = free(node, taken)
    given.set(uid, address)
    return address
  }
}

/** Beyond a thousand pods per node, addresses would repeat: no node is that large. */
function free(node: string, taken: ReadonlySet<string>): string {
  const middle = subnet(node)
  for (let n = 2; ; n++) {
    const address = `10.${244 + (n >> 8)}.${middle}.${n & 255}`
    if (!taken.has(address) || n >= 1000) return address
  }
}

function subnet(node: string): number {
  return (Number(node.replace(/^.*-/, '')) || 0) % 256
}
