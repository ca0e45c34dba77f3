/** The order of API versions: v2 before v1, v1 before v1beta1, v1beta1 before v1alpha1, others last. */

const pattern = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/

/**
 * Positive if `a` is newer or more stable than `b`. Names that are not versions are the oldest, in alphabetical order.
 */
export function compareKubeAwareVersions(a: string, b: string): number {
  if (a === b) return 0
  const [left, right] = [pattern.exec(a), pattern.exec(b)]
  if (left === null || right === null) {
    if (left !== null) return 1
    if (right !== null) return -1
    return a < b ? 1 : -1
  }
  const byStability = stability(left[2]) - stability(right[2])
  if (byStability !== 0) return byStability
  return Number(left[1]) - Number(right[1]) || Number(left[3] ?? 0) - Number(right[3] ?? 0)
}

function stability(word: string | undefined): number {
  return word === undefined ? 2 : word === 'beta' ? 1 : 0
}
