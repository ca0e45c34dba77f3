/** How long a pod tolerates the taints of a node. */
import type { coreV1, Live, Pod } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'

type Taint = DeepReadonly<coreV1.Taint>
type Toleration = DeepReadonly<coreV1.Toleration>

/**
 * Milliseconds: 0 if it does not tolerate one of them, Infinity without a limit. The first matching toleration of a
 * taint counts.
 */
export function toleratedFor({ spec }: Live<Pod>, taints: readonly Taint[]): number {
  return Math.min(
    ...taints.map((taint) => {
      const toleration = (spec?.tolerations ?? []).find((each) => tolerates(each, taint))
      return toleration === undefined ? 0 : Math.max(0, toleration.tolerationSeconds ?? Infinity) * 1000
    }),
  )
}

function tolerates({ key = '', operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false
  return operator === 'Exists' ? key === '' || key === taint.key : key === taint.key && value === (taint.value ?? '')
}
