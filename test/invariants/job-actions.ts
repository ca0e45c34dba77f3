/** What users do with Jobs. */
import fc from 'fast-check'
import { Job, keyOf, Pod } from '../../src/index.ts'
import type { Fault } from '../../src/testing/index.ts'
import { isFinished } from './cluster-state.ts'
import { failureCode } from './job-rules.ts'
import { crash, mishap, removePod, told, type Action, type Choice } from './actions.ts'

const namespace = 'default'
const lastWrite: Fault = { type: 'crash', when: 'after' }
const names = fc.constantFrom('a', 'b')
const parallelism = fc.nat({ max: 3 })

const failing = { 'coxswain.dev/exit-after': '1s', 'coxswain.dev/exit-code': `${failureCode}` }
/** How its pods end: well, with a failure, or never. */
const end = fc.constantFrom<Record<string, string>>(
  { 'coxswain.dev/exit-after': '2s' },
  { 'coxswain.dev/exit-after': '2s' },
  failing,
  { 'coxswain.dev/exit-after': 'never' },
)

const mode = fc.constantFrom<object>(
  { completions: 3 },
  { completions: 3 },
  {},
  { completions: 3, completionMode: 'Indexed' },
  { completions: 3, completionMode: 'Indexed', backoffLimitPerIndex: 1 },
)

const failurePolicy = (action: string): object => ({
  podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [failureCode] } }] },
})
const ignoring = failurePolicy('Ignore')
/** What happens when pods are deleted or have failed. */
const policy = fc.constantFrom<object>(
  {},
  {},
  { podReplacementPolicy: 'Failed' },
  failurePolicy('FailJob'),
  failurePolicy('Count'),
  ignoring,
)

const createOf = (job: fc.Arbitrary<string>): fc.Arbitrary<Choice> =>
  fc
    .record({ job, size: parallelism, how: mode, after: policy, annotations: end, backoffLimit: fc.nat({ max: 2 }) })
    // A Job that ignores the failures of all its pods never ends.
    .filter(({ after, annotations }) => after !== ignoring || annotations !== failing)
    .map(({ job: called, size, how, after, annotations, backoffLimit }) =>
      created(called, { parallelism: size, backoffLimit, ...how, ...after }, annotations),
    )

function created(name: string, spec: object, annotations: Record<string, string>): Choice {
  const containers = [{ name: 'main', image: 'work' }]
  const pod = { restartPolicy: 'Never' as const, terminationGracePeriodSeconds: 2, containers }
  return {
    what: `create Job ${name} ${JSON.stringify({ ...spec, annotations })}`,
    act: ({ world: { client } }) =>
      client.create(Job, {
        metadata: { name, namespace },
        spec: { ...spec, template: { metadata: { annotations }, spec: pod } },
      }),
  }
}

const change = (spec: fc.Arbitrary<object>): fc.Arbitrary<Choice> =>
  fc.record({ job: names, spec }).map(({ job, spec: value }): Choice => ({
    what: `change ${job} ${JSON.stringify(value)}`,
    act: ({ world: { client } }) =>
      client.patch(Job, { namespace, name: job }, { type: 'merge', patch: { spec: value } as never }),
  }))

const remove = fc
  .record({ job: names, how: fc.constantFrom('Background' as const, 'Foreground' as const, 'Orphan' as const) })
  .map(({ job, how }): Choice => ({
    what: `delete ${job} (${how})`,
    act: ({ world: { client } }) => client.delete(Job, { namespace, name: job }, { propagationPolicy: how }),
  }))

const failPod = fc.nat({ max: 5 }).map((index): Choice => ({
  what: `let pod ${index} fail`,
  act: async ({ world: { client }, rules }) => {
    const pods = rules.state.pods.filter((pod) => !isFinished(pod))
    const pod = pods[index % Math.max(1, pods.length)]
    if (pod === undefined) return
    await client.patch(Pod, keyOf(pod), { type: 'merge', patch: { metadata: { annotations: failing } } })
  },
}))

const choice = fc.oneof(
  { weight: 5, arbitrary: createOf(names) },
  { weight: 3, arbitrary: change(parallelism.map((size) => ({ parallelism: size }))) },
  { weight: 3, arbitrary: change(fc.boolean().map((suspend) => ({ suspend }))) },
  { weight: 2, arbitrary: remove },
  { weight: 3, arbitrary: removePod },
  { weight: 3, arbitrary: failPod },
  { weight: 2, arbitrary: crash },
  { weight: 6, arbitrary: mishap },
)

/** One Job of one pod, whose controller crashes after its nth write. */
export const crashAfter = (writes: number): readonly Action[] => [
  told({ what: `crash at write ${writes}`, act: async ({ world }) => world.plan('controllers', lastWrite, writes) }, 0),
  told(created('a', { parallelism: 1, completions: 1 }, { 'coxswain.dev/exit-after': '2s' }), 'rest'),
]

/** Starts with one Job. */
export const jobStory: fc.Arbitrary<readonly Action[]> = fc
  .tuple(
    createOf(fc.constant('a')),
    fc.array(fc.tuple(choice, fc.constantFrom<Action['pause']>(0, 0, 10, 600, 1500, 4000, 'rest')), {
      minLength: 4,
      maxLength: 16,
    }),
  )
  .map(([first, actions]) => [told(first, 1500), ...actions.map(([each, pause]) => told(each, pause))])
