/** One of several processes that share an exploration. */

export interface Part {
  readonly index: number
  readonly of: number
}

/** How many of `all` this part does. */
export function ownShare(all: number, { index, of }: Part): number {
  return all === Infinity ? Infinity : Math.floor(all / of) + (index < all % of ? 1 : 0)
}
