/** The index of pods by their node. */
import type { Pod } from '../index.ts'
import type { InformerOptions } from '../cache/index.ts'

export const podsByNode = 'coxswain.dev/pods-by-node'

const none: readonly string[] = []

export const podNodeIndex: InformerOptions<Pod> = {
  indexes: { [podsByNode]: ({ spec }) => (spec?.nodeName === undefined ? none : [spec.nodeName]) },
}
