/** The order of API versions, as `kubectl api-versions` and discovery prefer them. */

const versionPattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/
const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1, stable: 2 }

/**
 * Negative if `a` is less preferred than `b`: v2 > v1 > v1beta2 > v1beta1 > v1alpha1 > anything else, in alphabetical
 * order.
 */
export function compareKubeAwareVersions(a: string, b: string): number {
  if (a === b) return 0
  const left = versionPattern.exec(a)
  const right = versionPattern.exec(b)
  if (left === null && right === null) return a < b ? 1 : -1
  if (left === null) return -1
  if (right === null) return 1
  return (
    (stages[left[2] ?? 'stable'] as number) - (stages[right[2] ?? 'stable'] as number) ||
    Number(left[1]) - Number(right[1]) ||
    Number(left[3] ?? 0) - Number(right[3] ?? 0)
  )
}
