/**
 * The ClusterRole aggregation controller: gives a ClusterRole with an aggregationRule the rules of all ClusterRoles
 * that its selectors match. 1 collect the rules, selector by selector and by the names of the roles, each rule once,
 * 2 apply them if they differ.
 */
import { equalJson, labelSelectorFrom } from '../../api/index.ts'
import { changed } from '../../controller/index.ts'
import { ClusterRole, controller, keyOf, type Live } from '../../index.ts'

type Rule = NonNullable<Live<ClusterRole>['rules']>[number]

export const aggregatedRoles = controller(ClusterRole)
  .named('clusterrole-aggregation-controller')
  .only(isAggregated)
  .watches(ClusterRole, {
    map: (_, reads) => reads.lister(ClusterRole).list().filter(isAggregated).map(keyOf),
    when: changed<ClusterRole>(({ metadata, rules }) => [metadata.labels, rules]),
  })
  .options({ concurrency: 5 })
  .reconcile(async ({ object, list, client, signal }) => {
    // The rules of a role that is no longer aggregated stay.
    if (!isAggregated(object)) return
    const rules = collectedRules(object, await list(ClusterRole))
    if (equalJson(rules, object.rules ?? [])) return
    const { name } = object.metadata
    // Without rules the field is left out, as upstream: rules that others have set stay.
    const wanted = rules.length === 0 ? { metadata: { name } } : { metadata: { name }, rules }
    await client.apply(ClusterRole, wanted, { force: true, signal })
  })

function isAggregated({ aggregationRule }: Live<ClusterRole>): boolean {
  return aggregationRule !== undefined
}

function collectedRules(role: Live<ClusterRole>, all: readonly Live<ClusterRole>[]): readonly Rule[] {
  const others = all
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const found: Rule[] = []
  for (const wanted of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = labelSelectorFrom(wanted)
    // A role without rules has `rules: null`.
    for (const { rules } of others.filter(({ metadata }) => selector.matches(metadata.labels ?? {})))
      for (const rule of rules ?? []) if (!found.some((known) => equalJson(known, rule))) found.push(rule)
  }
  return found
}
