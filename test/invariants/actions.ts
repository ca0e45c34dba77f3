/**
 * The actions of users and the faults, as data that can be shrunk: objects are selected by index, modulo the number of
 * existing objects.
 */
import fc from 'fast-check'
import {
  ApiError,
  Deployment,
  keyOf,
  mutableCopy,
  Node,
  Pod,
  ReplicaSet,
  type JsonObject,
  type Live,
} from '../../src/index.ts'
import { lostAnnotation } from '../../src/kubelet/index.ts'
import type { Fault } from '../../src/testing/index.ts'
import { calmDaemonSets, createDaemonSet, daemonSetChoices } from './daemon-sets.ts'
import type { Rules } from './rules.ts'
import { programNames, type World } from './world.ts'

const namespace = 'default'
const names = ['a', 'b', 'c'] as const

export interface Scene {
  readonly world: World
  readonly rules: Rules
}

export interface Action {
  readonly what: string
  readonly act: (scene: Scene) => Promise<unknown>
  /** Milliseconds that pass after it; `rest`: until the cluster is settled. */
  readonly pause: number | 'rest'
}

export interface Choice {
  readonly what: string
  readonly act: (scene: Scene) => Promise<unknown>
}

const which = fc.nat({ max: 5 })
const name = fc.constantFrom(...names)
const size = fc.nat({ max: 4 })
const program = fc.constantFrom(...programNames)

/** Templates differ only in the version. Pods of version 0 never become ready. */
export function template(app: string, version: number): JsonObject {
  return {
    metadata: { labels: { app }, ...(version === 0 ? { annotations: { 'coxswain.dev/fault': 'never-ready' } } : {}) },
    spec: {
      containers: [{ name: 'main', image: `web:${version}`, resources: { requests: { cpu: '500m' } } }],
      terminationGracePeriodSeconds: 5,
    },
  }
}

const strategy = fc.oneof(
  fc.constant({ type: 'Recreate' as const }),
  fc.constantFrom([1, 0], [0, 1], [1, 1], [2, 1], ['25%', '25%'], ['50%', 0]).map(([maxSurge, maxUnavailable]) => ({
    type: 'RollingUpdate' as const,
    rollingUpdate: { maxSurge, maxUnavailable },
  })),
)

const createOf = (app: fc.Arbitrary<string>): fc.Arbitrary<Choice> =>
  fc
    .record({
      app,
      replicas: size,
      how: strategy,
      minReadySeconds: fc.constantFrom(0, 0, 3),
      version: fc.constantFrom(1, 2),
    })
    .map(({ app, replicas, how, minReadySeconds, version }): Choice => ({
      what: `create ${app} with ${replicas} of ${version}, ${JSON.stringify(how)}, ready for ${minReadySeconds} s`,
      act: ({ world: { client } }) =>
        client.create(Deployment, {
          metadata: { name: app, namespace },
          spec: {
            replicas,
            minReadySeconds,
            strategy: how,
            selector: { matchLabels: { app } },
            template: template(app, version),
          },
        }),
    }))

function change(what: string, app: string, patch: JsonObject): Choice {
  return {
    what: `${what} ${app}`,
    act: ({ world: { client } }) => client.patch(Deployment, { namespace, name: app }, { type: 'merge', patch }),
  }
}

function putTemplate({ world: { client } }: Scene, app: string, value: JsonObject): Promise<unknown> {
  return client.patch(
    Deployment,
    { namespace, name: app },
    { type: 'json', patch: [{ op: 'replace', path: '/spec/template', value }] },
  )
}

const scale = fc
  .record({ app: name, replicas: size })
  .map(({ app, replicas }) => ({ ...change(`scale to ${replicas}`, app, { spec: { replicas } }) }))
const roll = fc.record({ app: name, version: fc.constantFrom(0, 1, 2, 3) }).map(({ app, version }): Choice => ({
  what: `roll to ${version} ${app}`,
  act: (scene) => putTemplate(scene, app, template(app, version)),
}))
const hold = fc
  .record({ app: name, paused: fc.boolean() })
  .map(({ app, paused }) => change(paused ? 'pause' : 'resume', app, { spec: { paused } }))
const label = fc
  .record({ app: name, value: fc.constantFrom('x', 'y') })
  .map(({ app, value }) =>
    change(`label ${value}`, app, { metadata: { labels: { team: value }, annotations: { note: value } } }),
  )

/** As kubectl does: applies the template of the ReplicaSet with the previous revision. */
const undo = name.map((app): Choice => ({
  what: `undo ${app}`,
  act: async (scene) => {
    const { world, rules } = scene
    const deployment = await world.client.get(Deployment, { namespace, name: app })
    const revision = ({ metadata }: Live<ReplicaSet>): number =>
      Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0)
    const [, before] = [...rules.state.setsOf(deployment)].sort((a, b) => revision(b) - revision(a))
    if (before === undefined) return
    const old = mutableCopy<ReplicaSet>(before).spec?.template
    delete old?.metadata?.labels?.['pod-template-hash']
    await putTemplate(scene, app, old as unknown as JsonObject)
  },
}))

export const policy = fc.constantFrom('Background', 'Foreground', 'Orphan' as const)
const remove = fc.record({ app: name, how: policy }).map(({ app, how }): Choice => ({
  what: `delete ${app} (${how})`,
  act: ({ world: { client } }) =>
    client.delete(Deployment, { namespace, name: app }, { propagationPolicy: how as 'Orphan' }),
}))

const createSet = size.map((replicas): Choice => ({
  what: `create ReplicaSet solo with ${replicas}`,
  act: ({ world: { client } }) =>
    client.create(ReplicaSet, {
      metadata: { name: 'solo', namespace },
      spec: { replicas, selector: { matchLabels: { app: 'solo' } }, template: template('solo', 1) },
    }),
}))
const scaleSet = size.map((replicas): Choice => ({
  what: `scale solo to ${replicas}`,
  act: ({ world: { client } }) =>
    client.patch(ReplicaSet, { namespace, name: 'solo' }, { type: 'merge', patch: { spec: { replicas } } }),
}))
const removeSet = policy.map((how): Choice => ({
  what: `delete solo (${how})`,
  act: ({ world: { client } }) =>
    client.delete(ReplicaSet, { namespace, name: 'solo' }, { propagationPolicy: how as 'Orphan' }),
}))

export const removePod = fc.record({ index: which, force: fc.boolean() }).map(({ index, force }): Choice => ({
  what: `delete pod ${index}${force ? ' by force' : ''}`,
  act: async ({ world: { client }, rules }) => {
    rules.disturbed()
    const pod = pick(rules.state.pods, index)
    if (pod !== undefined) await client.delete(Pod, keyOf(pod), force ? { gracePeriodSeconds: 0 } : {})
  },
}))
const labelPod = fc
  .record({ index: which, app: fc.constantFrom('a', 'b', 'nobody') })
  .map(({ index, app }): Choice => ({
    what: `label pod ${index} app=${app}`,
    act: async ({ world: { client }, rules }) => {
      rules.disturbed()
      const pod = pick(rules.state.pods, index)
      if (pod !== undefined)
        await client.patch(Pod, keyOf(pod), { type: 'merge', patch: { metadata: { labels: { app } } } })
    },
  }))

const cordon = fc.record({ index: which, unschedulable: fc.boolean() }).map(({ index, unschedulable }): Choice => ({
  what: `${unschedulable ? 'cordon' : 'uncordon'} node ${index}`,
  act: async ({ world: { client }, rules }) => {
    const node = pick(rules.state.nodes, index)
    if (node !== undefined) await client.patch(Node, keyOf(node), { type: 'merge', patch: { spec: { unschedulable } } })
  },
}))
const lose = fc.record({ index: which, lost: fc.boolean() }).map(({ index, lost }): Choice => ({
  what: `${lost ? 'lose' : 'find'} node ${index}`,
  act: async ({ world: { client }, rules }) => {
    rules.disturbed()
    const node = pick(rules.state.nodes, index)
    if (node !== undefined)
      await client.patch(Node, keyOf(node), {
        type: 'merge',
        patch: { metadata: { annotations: { [lostAnnotation]: lost ? 'yes' : null } } },
      })
  },
}))

export const crash = program.map((who): Choice => ({
  what: `${who} crash`,
  act: async ({ world }) => world.crash(who),
}))

const fault = fc.constantFrom<Fault>(
  { type: 'crash', when: 'before' },
  { type: 'crash', when: 'after' },
  { type: 'answer', status: 409 },
  { type: 'answer', status: 500 },
  { type: 'drop-before' },
  { type: 'drop-after' },
  { type: 'drop-after' },
  { type: 'duplicate' },
  { type: 'delay', ms: 700 },
  { type: 'hold-watches', ms: 2000 },
)
export const mishap = fc
  .record({ who: program, happens: fault, writes: fc.nat({ max: 8 }) })
  .map(({ who, happens, writes }): Choice => ({
    what: `${JSON.stringify(happens)} at write ${writes} of ${who}`,
    act: async ({ world }) => world.plan(who, happens, writes),
  }))

const choice = fc.oneof(
  { weight: 5, arbitrary: createOf(name) },
  { weight: 4, arbitrary: scale },
  { weight: 6, arbitrary: roll },
  { weight: 2, arbitrary: undo },
  { weight: 2, arbitrary: hold },
  { weight: 1, arbitrary: label },
  { weight: 2, arbitrary: remove },
  { weight: 1, arbitrary: createSet },
  { weight: 1, arbitrary: scaleSet },
  { weight: 1, arbitrary: removeSet },
  { weight: 2, arbitrary: removePod },
  { weight: 1, arbitrary: labelPod },
  { weight: 1, arbitrary: cordon },
  { weight: 1, arbitrary: lose },
  { weight: 2, arbitrary: crash },
  { weight: 6, arbitrary: mishap },
  { weight: 6, arbitrary: daemonSetChoices },
)

export const told = ({ what, act }: Choice, pause: Action['pause']): Action =>
  ({ what, act, pause, [fc.toStringMethod]: () => `${what}; then ${pause}` }) as Action

export const withPause = (choices: fc.Arbitrary<Choice>): fc.Arbitrary<Action> =>
  fc
    .tuple(choices, fc.constantFrom<Action['pause']>(0, 0, 10, 600, 1500, 4000, 'rest', 'rest'))
    .map(([each, pause]) => told(each, pause))

/** Starts with one Deployment. */
export const story: fc.Arbitrary<readonly Action[]> = fc
  .tuple(createOf(fc.constant('a')), fc.array(withPause(choice), { minLength: 4, maxLength: 20 }))
  .map(([first, actions]) => [told(first, 'rest'), ...actions])

const daemonSetChoice = fc.oneof(
  { weight: 12, arbitrary: daemonSetChoices },
  { weight: 2, arbitrary: removePod },
  { weight: 1, arbitrary: labelPod },
  { weight: 1, arbitrary: cordon },
  { weight: 2, arbitrary: lose },
  { weight: 2, arbitrary: crash },
  { weight: 6, arbitrary: mishap },
)

/** Starts with one DaemonSet. */
export const daemonSetStory: fc.Arbitrary<readonly Action[]> = fc
  .tuple(createDaemonSet, fc.array(withPause(daemonSetChoice), { minLength: 4, maxLength: 20 }))
  .map(([first, actions]) => [told(first, 'rest'), ...actions])

/** The API may reject an action: the object is missing, or exists already. */
export async function perform(scene: Scene, { act, pause }: Action): Promise<void> {
  try {
    await act(scene)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
  if (pause !== 'rest') return scene.world.env.advanceAsync(pause)
  await scene.world.settle()
  scene.rules.rested()
}

/** Removes all faults, and replaces templates whose pods cannot become ready. */
export async function makePeace(scene: Scene): Promise<void> {
  const { world, rules } = scene
  world.heal()
  await calmDaemonSets(scene)
  for (const node of rules.state.nodes) {
    const patch = { spec: { unschedulable: false }, metadata: { annotations: { [lostAnnotation]: null } } }
    await world.client.patch(Node, keyOf(node), { type: 'merge', patch })
  }
  for (const { metadata, spec } of rules.state.deployments) {
    await world.client.patch(Deployment, keyOf({ metadata }), { type: 'merge', patch: { spec: { paused: false } } })
    if (spec?.template?.metadata?.annotations !== undefined)
      await putTemplate(scene, metadata.name, template(metadata.name, 1))
  }
}

export function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)]
}
