/** What a pod would rather have: among the nodes that fit, those that grant more of its wishes come first. */
import { isMeant, matchesTerm, neighbours, type Placement } from './affinity.ts'

/**
 * The sum of the weights of the wishes that a node grants, less those of the neighbours that the pod would rather not
 * have.
 */
export function wishesGranted({ pod, node, nodes, podsOn }: Placement): number {
  if (pod.spec?.affinity === undefined) return 0
  const { nodeAffinity, podAffinity, podAntiAffinity } = pod.spec.affinity
  const onNode = (nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).filter(({ preference }) =>
    matchesTerm(preference, node.metadata.labels ?? {}, node.metadata.name),
  )
  const met = (terms: NonNullable<typeof podAffinity>['preferredDuringSchedulingIgnoredDuringExecution']): number =>
    (terms ?? []).reduce(
      (sum, { weight, podAffinityTerm: term }) =>
        sum +
        weight * neighbours(term.topologyKey, node, nodes, podsOn).filter((other) => isMeant(term, pod, other)).length,
      0,
    )
  return (
    onNode.reduce((sum, { weight }) => sum + weight, 0) +
    met(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution) -
    met(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution)
  )
}
