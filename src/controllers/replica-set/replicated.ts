/** The two kinds that keep a number of equal pods. They differ in the form of their selector. */
import type { Kind, LabelSelector, Live, ReplicaSet, ReplicationController } from '../../index.ts'

export type Replicated = ReplicaSet | ReplicationController

/** The selector of a ReplicationController is only labels. */
export function selectorOf({ kind }: Kind, { spec }: Live<Replicated>): LabelSelector | undefined {
  const { selector } = spec ?? {}
  if (selector === undefined) return undefined
  return (kind === 'ReplicationController' ? { matchLabels: selector } : selector) as LabelSelector
}
