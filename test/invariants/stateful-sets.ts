/** StatefulSets under random actions: the actions, the rules for every write, and the rules for a settled cluster. */
import fc from 'fast-check'
import { controllerOf, keyOf, Node, Pod, StatefulSet, type JsonObject, type LiveObject } from '../../src/index.ts'
import { lostAnnotation } from '../../src/kubelet/index.ts'
import {
  crash,
  mishap,
  policy,
  removePod,
  template,
  told,
  withPause,
  type Action,
  type Choice,
  type Scene,
} from './actions.ts'
import { controlledBy, isActive, type ClusterState, type LivePod, type LiveStatefulSet } from './cluster-state.ts'
import type { Workloads } from './play.ts'

const namespace = 'default'
const name = fc.constantFrom('a', 'b')
const size = fc.nat({ max: 4 })
const indexLabel = 'apps.kubernetes.io/pod-index'
const revisionLabel = 'controller-revision-hash'

const claim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } },
}

const createOf = (app: fc.Arbitrary<string>): fc.Arbitrary<Choice> =>
  fc
    .record({
      app,
      replicas: size,
      how: fc.constantFrom('OrderedReady' as const, 'Parallel' as const),
      minReadySeconds: fc.constantFrom(0, 0, 3),
      version: fc.constantFrom(1, 2),
      start: fc.constantFrom(0, 0, 3),
      claims: fc.boolean(),
    })
    .map(({ app, replicas, how, minReadySeconds, version, start, claims }): Choice => ({
      what: `create ${app} with ${replicas} of ${version}, ${how}, from ${start}${claims ? ', with claims' : ''}`,
      act: ({ world: { client } }) =>
        client.create(StatefulSet, {
          metadata: { name: app, namespace },
          spec: {
            replicas,
            minReadySeconds,
            podManagementPolicy: how,
            serviceName: app,
            revisionHistoryLimit: 1,
            ordinals: { start },
            selector: { matchLabels: { app } },
            template: template(app, version),
            ...(claims ? { volumeClaimTemplates: [claim] } : {}),
          },
        }),
    }))

function change(what: string, app: string, patch: JsonObject): Choice {
  return {
    what: `${what} ${app}`,
    act: ({ world: { client } }) => client.patch(StatefulSet, { namespace, name: app }, { type: 'merge', patch }),
  }
}

function putTemplate({ world: { client } }: Scene, app: string, version: number): Promise<unknown> {
  const patch = [{ op: 'replace' as const, path: '/spec/template', value: template(app, version) }]
  return client.patch(StatefulSet, { namespace, name: app }, { type: 'json', patch })
}

const scale = fc
  .record({ app: name, replicas: size })
  .map(({ app, replicas }) => change(`scale to ${replicas}`, app, { spec: { replicas } }))
const roll = fc.record({ app: name, version: fc.constantFrom(0, 1, 2, 3) }).map(({ app, version }): Choice => ({
  what: `roll to ${version} ${app}`,
  act: (scene) => putTemplate(scene, app, version),
}))
const strategy = fc
  .record({ app: name, how: fc.constantFrom({ type: 'OnDelete', rollingUpdate: null }, { type: 'RollingUpdate' }) })
  .map(({ app, how }) => change(how.type, app, { spec: { updateStrategy: how } }))
const partition = fc.record({ app: name, first: fc.nat({ max: 3 }) }).map(({ app, first }) =>
  change(`partition ${first}`, app, {
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: first } } },
  }),
)
const remove = fc.record({ app: name, how: policy }).map(({ app, how }): Choice => ({
  what: `delete ${app} (${how})`,
  act: ({ world: { client } }) =>
    client.delete(StatefulSet, { namespace, name: app }, { propagationPolicy: how as 'Orphan' }),
}))

const choice = fc.oneof(
  { weight: 4, arbitrary: createOf(name) },
  { weight: 4, arbitrary: scale },
  { weight: 5, arbitrary: roll },
  { weight: 1, arbitrary: strategy },
  { weight: 1, arbitrary: partition },
  { weight: 2, arbitrary: remove },
  { weight: 2, arbitrary: removePod },
  { weight: 2, arbitrary: crash },
  { weight: 6, arbitrary: mishap },
)

/** Starts with one StatefulSet. */
export const statefulSetStory: fc.Arbitrary<readonly Action[]> = fc
  .tuple(createOf(fc.constant('a')), fc.array(withPause(choice), { minLength: 4, maxLength: 16 }))
  .map(([first, actions]) => [told(first, 'rest'), ...actions])

export const statefulSets: Workloads = { watch, makePeace, problemsAtRest }

/** Never two pods of one ordinal, and never one of an ordinal that nobody has asked for since the last rest. */
function watch({ world, rules }: Scene): readonly string[] {
  const violations: string[] = []
  world.plane.store.watch('/registry/pods/', world.plane.store.revision, ({ type, current, previous, revision }) => {
    if (type !== 'put' || previous !== undefined) return
    const pod = current.object as unknown as LivePod
    const twins = rules.state.pods.filter(
      (other) =>
        controllerOf(other)?.uid === controllerOf(pod)?.uid &&
        other.metadata.labels?.[indexLabel] === pod.metadata.labels?.[indexLabel],
    )
    if (twins.length > 1) violations.push(`${pod.metadata.name} is there twice (revision ${revision})`)
    const name = `${controllerOf(pod)?.name}-${pod.metadata.labels?.[indexLabel]}`
    if (pod.metadata.name !== name) violations.push(`${pod.metadata.name} should be ${name} (revision ${revision})`)
  })
  return violations
}

/** Removes all faults, and replaces templates and pods that cannot become ready. */
async function makePeace(scene: Scene): Promise<void> {
  const { world, rules } = scene
  world.heal()
  for (const node of rules.state.nodes) {
    const patch = { spec: { unschedulable: false }, metadata: { annotations: { [lostAnnotation]: null } } }
    await world.client.patch(Node, keyOf(node), { type: 'merge', patch })
  }
  for (const { metadata } of rules.state.statefulSets) {
    await putTemplate(scene, metadata.name, 1)
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 0 } }
    const patch = { spec: { updateStrategy } }
    await world.client.patch(StatefulSet, keyOf({ metadata }), { type: 'merge', patch })
  }
  await world.settle()
  // As with kube-controller-manager, a user must delete what never became ready, and an adopted pod without the claims.
  for (const pod of rules.state.pods)
    if (pod.metadata.annotations !== undefined || lacksClaims(pod, rules.state.statefulSets))
      await world.client.delete(Pod, keyOf(pod), {})
}

function lacksClaims(pod: LivePod, sets: readonly LiveStatefulSet[]): boolean {
  const set = sets.find(({ metadata }) => metadata.uid === controllerOf(pod)?.uid)
  const hasClaim = pod.spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)
  return set?.spec?.volumeClaimTemplates !== undefined && hasClaim !== true
}

function problemsAtRest(state: ClusterState): readonly string[] {
  const { statefulSets: sets, pods, revisions } = state
  return [
    ...sets.flatMap((set) => setProblems(state, set)),
    ...[...sets, ...pods]
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata }) => `${metadata.name} is half deleted`),
    ...leftBehind([...pods, ...revisions], sets),
  ]
}

function setProblems(state: ClusterState, set: LiveStatefulSet): string[] {
  const { metadata, spec, status } = set
  const wanted = spec?.replicas ?? 1
  const names = Array.from({ length: wanted }, (_, index) => `${metadata.name}-${(spec?.ordinals?.start ?? 0) + index}`)
  const pods = controlledBy(set, state.pods).filter(isActive)
  const { observedGeneration, replicas, updatedReplicas = 0, currentReplicas = 0, readyReplicas = 0 } = status ?? {}
  const is = {
    observedGeneration,
    counts: [replicas, updatedReplicas, currentReplicas, readyReplicas, status?.availableReplicas],
    pods: pods.map((pod) => pod.metadata.name),
    revisions: [...new Set([status?.currentRevision, ...pods.map((pod) => pod.metadata.labels?.[revisionLabel])])],
    missingClaims: missingClaims(state, set, names),
    // One of them is current, one may be kept.
    isHistoryShort: controlledBy(set, state.revisions).length <= 2,
  }
  const should = {
    observedGeneration: metadata.generation,
    counts: Array.from({ length: 5 }, () => wanted),
    pods: names,
    revisions: [status?.updateRevision],
    missingClaims: [],
    isHistoryShort: true,
  }
  const [told, expected] = [JSON.stringify(is), JSON.stringify(should)]
  return told === expected ? [] : [`${metadata.name} is ${told} and should be ${expected}`]
}

function missingClaims(state: ClusterState, { spec }: LiveStatefulSet, pods: readonly string[]): string[] {
  if (spec?.volumeClaimTemplates === undefined) return []
  const existing = new Set(state.claims.map(({ metadata }) => metadata.name))
  return pods.map((pod) => `data-${pod}`).filter((each) => !existing.has(each))
}

function leftBehind(objects: readonly LiveObject[], owners: readonly LiveObject[]): string[] {
  const uids = new Set(owners.map(({ metadata }) => metadata.uid))
  return objects
    .filter((object) => controllerOf(object)?.kind === 'StatefulSet' && !uids.has(controllerOf(object)?.uid ?? ''))
    .map((object) => `${object.metadata.name} is left of ${controllerOf(object)?.name}, which is gone`)
}
