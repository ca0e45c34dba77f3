/**
 * Assigns shards without coordination, by rendezvous hashing: every replica ranks the members by a hash of both names.
 * Replicas that know the same members get the same assignment, and a member that joins or leaves moves few shards.
 */

/** The shard of a key. */
export function shardOf(key: string, shards: number): number {
  const hash = textHash(key)
  let best = 0
  let highest = -1
  for (let shard = 0; shard < shards; shard++) {
    const rank = mixed(hash ^ mixed(shard + 1))
    if (rank > highest) [best, highest] = [shard, rank]
  }
  return best
}

/** The holder of each shard: the highest-ranked member among those that do not have their fair share yet. */
export function assignShards(shards: number, members: readonly string[]): readonly string[] {
  const most = Math.ceil(shards / members.length)
  const loads = new Map(members.map((member) => [member, 0]))
  return Array.from({ length: shards }, (_, shard) => {
    const ranked = members
      .filter((member) => (loads.get(member) as number) < most)
      .map((member) => ({ member, rank: mixed(textHash(member) ^ mixed(shard + 1)) }))
      .sort((a, b) => b.rank - a.rank || (a.member < b.member ? -1 : 1))
    const { member } = ranked[0] as { readonly member: string }
    loads.set(member, (loads.get(member) as number) + 1)
    return member
  })
}

/** FNV-1a. */
function textHash(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return mixed(hash)
}

/** Mixes the bits (the last step of MurmurHash3), so that every bit affects every other one. */
function mixed(number: number): number {
  let x = number
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}
