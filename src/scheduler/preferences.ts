/** Scores the nodes that passed the filters by the preferred affinities of the pod. */
import { termMatches, matchesTerm, podsInDomain, type Placement } from './affinity.ts'

/** The sum of the weights of matching preferred terms, minus those of preferred anti-affinity. */
export function scoreOf({ incoming: { pod }, node, nodes, usageOf }: Placement): number {
  if (pod.spec?.affinity === undefined) return 0
  const { nodeAffinity, podAffinity, podAntiAffinity } = pod.spec.affinity
  const onNode = (nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).filter(({ preference }) =>
    matchesTerm(preference, node.metadata.labels ?? {}, node.metadata.name),
  )
  const met = (terms: NonNullable<typeof podAffinity>['preferredDuringSchedulingIgnoredDuringExecution']): number =>
    (terms ?? []).reduce(
      (sum, { weight, podAffinityTerm: term }) =>
        sum +
        weight *
          podsInDomain(term.topologyKey, node, nodes, usageOf).filter((other) => termMatches(term, pod, other.pod))
            .length,
      0,
    )
  return (
    onNode.reduce((sum, { weight }) => sum + weight, 0) +
    met(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution) -
    met(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution)
  )
}
