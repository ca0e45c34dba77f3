/** Orders that reach everything early: for searches that may end before they have tried all. */

/** Up to `most` of them, evenly spread, including the first and the last. */
export function spread<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all
  return Array.from(
    { length: most },
    (_, index) => all[Math.floor((index * (all.length - 1)) / Math.max(1, most - 1))] as T,
  )
}

/** The same elements in leaps, so that neighbours do not follow each other and each part of them is reached early. */
export function inLeaps<T>(all: readonly T[]): readonly T[] {
  // The golden ratio leaves no large gaps.
  let leap = Math.max(1, Math.round(all.length * 0.618))
  while (greatestDivisor(leap, all.length) > 1) leap++
  return all.map((_, index) => all[(index * leap) % all.length] as T)
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}

/** One element of each, then the next of each, until all have ended. */
export function* inTurns<T>(all: readonly Iterator<T>[]): Generator<T> {
  for (let left = all; left.length > 0;) {
    const next: Iterator<T>[] = []
    for (const each of left) {
      const { done, value } = each.next()
      if (done === true) continue
      yield value
      next.push(each)
    }
    left = next
  }
}
