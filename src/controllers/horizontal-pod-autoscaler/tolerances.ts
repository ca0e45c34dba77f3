/** How far a metric may deviate from its target without scaling. */
import { milliValue, parseQuantity } from '../../api/index.ts'
import type { HorizontalPodAutoscaler, Live } from '../../index.ts'
import type { Tolerances } from './replica-count.ts'

const usual = 0.1

export function tolerancesOf({ spec }: Live<HorizontalPodAutoscaler>): Tolerances {
  const { scaleDown, scaleUp } = spec?.behavior ?? {}
  return { down: share(scaleDown?.tolerance), up: share(scaleUp?.tolerance) }
}

function share(quantity: string | number | undefined): number {
  return quantity === undefined ? usual : Number(milliValue(parseQuantity(String(quantity)))) / 1000
}
