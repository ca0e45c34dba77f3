/** The addresses of pods: 10.244.NODE.N, the lowest that no pod of the node has. */
import type { Live, Pod } from '../index.ts'

export class PodAddresses {
  /** Given out, by node and the pod's uid. The cache may not show them yet. */
  readonly #given = new Map<string, Map<string, string>>()

  /** `others`: the pods of the node, as the cache knows them. */
  of({ metadata: { uid }, status }: Live<Pod>, node: string, others: readonly Live<Pod>[]): string {
    const given = this.#given.get(node) ?? new Map<string, string>()
    this.#given.set(node, given)
    const known = status?.podIP ?? given.get(uid)
    if (known !== undefined) return known
    const present = new Map(others.map((pod) => [pod.metadata.uid, pod.status?.podIP]))
    for (const other of given.keys()) if (!present.has(other)) given.delete(other)
    const taken = new Set([...present.values(), ...given.values()])
    const address = free(node, taken)
    given.set(uid, address)
    return address
  }
}

/** Beyond a thousand pods on a node addresses repeat: no node is that large. */
function free(node: string, taken: ReadonlySet<string | undefined>): string {
  for (let n = 2; ; n++) {
    const address = `10.${244 + (n >> 8)}.${subnet(node)}.${n & 255}`
    if (!taken.has(address) || n >= 1000) return address
  }
}

function subnet(node: string): number {
  return (Number(node.replace(/^.*-/, '')) || 0) % 256
}
