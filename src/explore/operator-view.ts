/** What is known of the operator under test from its definitions. */
import { embeddedControllers } from '../cluster/live-cluster.ts'
import type { Kind } from '../schema/kind.ts'
import type { OperatorView } from './changes.ts'
import type { ExploredCluster } from './trial.ts'

/** Managers are added as the operator uses them. */
export type GrowingOperatorView = OperatorView & { readonly managers: Set<string> }

export function operatorView(cluster: ExploredCluster): GrowingOperatorView {
  const { controllers = [], tasks = [] } = cluster
  const definitions = typeof controllers === 'function' ? controllers() : controllers
  return {
    kinds: definitions.map(({ kind }) => kind),
    owned: definitions.flatMap(({ sources }) =>
      sources.filter(({ type }) => type === 'owned').map((source) => source.kind),
    ),
    managers: new Set([
      ...definitions.map(({ name, options }) => options.fieldManager ?? name),
      ...tasks.map(({ name, fieldManager }) => fieldManager ?? name),
    ]),
    readsEvents: definitions.some(({ kind, sources }) => [kind, ...sources.map((source) => source.kind)].some(isEvent)),
    isCollected: runs(embeddedControllers(cluster), 'garbage-collector-controller'),
    leaderElection: cluster.leaderElection,
  }
}

function runs(chosen: readonly string[], name: string): boolean {
  return chosen.includes(name) || (chosen.includes('all') && !chosen.includes(`-${name}`))
}

function isEvent({ kind, apiVersion }: Kind): boolean {
  return kind === 'Event' && /^(v1|events\.k8s\.io\/v1)$/.test(apiVersion)
}
