/** The part of the invariants about DaemonSets: what users do with them, and the rules that hold. */
import fc from 'fast-check'
import {
  ControllerRevision,
  controllerOf,
  DaemonSet,
  keyOf,
  Node,
  type JsonObject,
  type Live,
} from '../../src/index.ts'
import { controlledBy, isActive, isFinished, type ClusterState, type LivePod } from './cluster-state.ts'
import type { Choice, Scene } from './actions.ts'

const key = { namespace: 'default', name: 'agent' }

/** Without requests, so that a pod fits on its node whatever else is there. Version 0 never becomes ready. */
function template(version: number): JsonObject {
  const annotations = version === 0 ? { annotations: { 'coxswain.dev/fault': 'never-ready' } } : {}
  return {
    metadata: { labels: { app: 'agent' }, ...annotations },
    spec: { containers: [{ name: 'main', image: `agent:${version}` }], terminationGracePeriodSeconds: 5 },
  }
}

const strategy = fc.constantFrom(
  { type: 'OnDelete' as const },
  ...[
    [0, 1],
    [0, '100%'],
    [1, 0],
    ['50%', 0],
  ].map(([maxSurge, maxUnavailable]) => ({
    type: 'RollingUpdate' as const,
    rollingUpdate: { maxSurge, maxUnavailable },
  })),
)

export const createDaemonSet: fc.Arbitrary<Choice> = fc
  .record({ how: strategy, minReadySeconds: fc.constantFrom(0, 3), onSsd: fc.boolean(), limit: fc.nat({ max: 2 }) })
  .map(({ how, minReadySeconds, onSsd, limit }): Choice => ({
    what: `create agent, ${JSON.stringify(how)}, ready for ${minReadySeconds} s${onSsd ? ', on ssd' : ''}`,
    act: ({ world: { client } }) =>
      client.create(DaemonSet, {
        metadata: key,
        spec: {
          minReadySeconds,
          revisionHistoryLimit: limit,
          updateStrategy: how as NonNullable<DaemonSet['spec']>['updateStrategy'],
          selector: { matchLabels: { app: 'agent' } },
          template: onSsd ? withSelector(template(1)) : template(1),
        } as NonNullable<DaemonSet['spec']>,
      }),
  }))

function withSelector(of: JsonObject): JsonObject {
  return { ...of, spec: { ...(of['spec'] as JsonObject), nodeSelector: { disk: 'ssd' } } }
}

const roll = fc.record({ version: fc.nat({ max: 3 }), onSsd: fc.boolean() }).map(({ version, onSsd }): Choice => ({
  what: `roll agent to ${version}${onSsd ? ' on ssd' : ''}`,
  act: ({ world: { client } }) => putTemplate(client, onSsd ? withSelector(template(version)) : template(version)),
}))
const remove = fc.constantFrom('Background' as const, 'Foreground' as const, 'Orphan' as const).map((how): Choice => ({
  what: `delete agent (${how})`,
  act: ({ world: { client } }) => client.delete(DaemonSet, key, { propagationPolicy: how }),
}))
const label = fc
  .record({ index: fc.nat({ max: 2 }), disk: fc.constantFrom('ssd', null) })
  .map(({ index, disk }): Choice => ({
    what: `label node ${index} disk=${disk}`,
    act: async ({ world: { client }, rules }) => {
      const node = rules.state.nodes[index]
      if (node !== undefined)
        await client.patch(Node, keyOf(node), { type: 'merge', patch: { metadata: { labels: { disk } } } })
    },
  }))
const forget = fc.nat({ max: 2 }).map((index): Choice => ({
  what: `delete revision ${index}`,
  act: async ({ world: { client }, rules }) => {
    const revision = rules.state.revisions[index]
    if (revision !== undefined) await client.delete(ControllerRevision, keyOf(revision))
  },
}))

export const daemonSetChoices = fc.oneof(
  { weight: 4, arbitrary: createDaemonSet },
  { weight: 5, arbitrary: roll },
  { weight: 2, arbitrary: remove },
  { weight: 2, arbitrary: label },
  { weight: 1, arbitrary: forget },
)

function putTemplate(client: Scene['world']['client'], value: JsonObject): Promise<unknown> {
  return client.patch(DaemonSet, key, { type: 'json', patch: [{ op: 'replace', path: '/spec/template', value }] })
}

/** Replaces a template whose pods cannot become ready, and deletes pods that OnDelete keeps. */
export async function calmDaemonSets({ world: { client }, rules: { state } }: Scene): Promise<void> {
  for (const { spec } of state.daemonSets) {
    if (spec?.template.metadata?.annotations !== undefined) await putTemplate(client, template(1))
    if (spec?.updateStrategy?.type !== 'OnDelete') continue
    const rollingUpdate = { maxSurge: 0, maxUnavailable: 1 }
    const patch = { spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate } } }
    await client.patch(DaemonSet, key, { type: 'merge', patch })
  }
}

/** A pod was created: without a surge, its node had no other one of the set. */
export function secondPod(state: ClusterState, pod: LivePod): string | undefined {
  const set = state.daemonSets.find(({ metadata }) => metadata.uid === controllerOf(pod)?.uid)
  if (set === undefined) return undefined
  const surges = ![0, undefined].includes(set.spec?.updateStrategy?.rollingUpdate?.maxSurge as number | undefined)
  const others = controlledBy(set, state.pods).filter(
    (other) =>
      other.metadata.uid !== pod.metadata.uid &&
      !isFinished(other) &&
      nodeOf(other) === nodeOf(pod) &&
      (!surges || isActive(other)),
  )
  const most = surges ? 1 : 0
  return others.length > most ? `${nodeOf(pod)} has ${others.length + 1} pods of ${set.metadata.name}` : undefined
}

function nodeOf({ spec }: LivePod): string {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  return spec?.nodeName ?? terms?.[0]?.matchFields?.[0]?.values?.[0] ?? ''
}

export function daemonSetProblems(state: ClusterState): string[] {
  const uids = new Set(state.daemonSets.map(({ metadata }) => metadata.uid))
  return [
    ...state.daemonSets.flatMap((set) => problemsOf(state, set)),
    ...[...state.pods, ...state.revisions]
      .filter((object) => controllerOf(object)?.kind === 'DaemonSet' && !uids.has(controllerOf(object)?.uid ?? ''))
      .map(({ metadata }) => `${metadata.name} is left of a DaemonSet, which is gone`),
  ]
}

function problemsOf(state: ClusterState, set: Live<DaemonSet>): string[] {
  const { spec, status, metadata } = set
  const { nodeSelector = {} } = spec?.template.spec ?? {}
  const eligible = state.nodes.filter(({ metadata: { labels = {} } }) =>
    Object.entries(nodeSelector).every(([name, value]) => labels[name] === value),
  )
  const image = spec?.template.spec?.containers[0]?.image
  const pods = controlledBy(set, state.pods)
  const here = pods.map((pod) => `${pod.spec?.nodeName} ${pod.spec?.containers[0]?.image}`).toSorted()
  const should = eligible.map((node) => `${node.metadata.name} ${image}`).toSorted()
  const count = eligible.length
  const { observedGeneration, desiredNumberScheduled, currentNumberScheduled, numberMisscheduled, numberReady } =
    status ?? {}
  const { updatedNumberScheduled = 0, numberAvailable = 0, numberUnavailable = 0 } = status ?? {}
  const told = [
    observedGeneration,
    desiredNumberScheduled,
    currentNumberScheduled,
    numberMisscheduled,
    numberReady,
    updatedNumberScheduled,
    numberAvailable,
    numberUnavailable,
  ].join()
  const expected = [metadata.generation, count, count, 0, count, count, count, 0].join()
  const revisions = controlledBy(set, state.revisions)
  const data = new Set(revisions.map((revision) => JSON.stringify(revision.data)))
  return [
    ...(here.join() === should.join() ? [] : [`agent has ${here.join()} and should have ${should.join()}`]),
    ...(told === expected ? [] : [`the status of agent is ${told} and should be ${expected}`]),
    ...(data.size === revisions.length ? [] : ['agent has two revisions of one template']),
    ...(revisions.length <= 1 + (spec?.revisionHistoryLimit ?? 10) ? [] : [`agent has ${revisions.length} revisions`]),
  ]
}
