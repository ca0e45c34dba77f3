/**
 * The pure parts: phase, verdict, revisions, troubles of pods, memory of failures, pace, fields of others, and the
 * checker itself.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Deployment, Live, Pod } from 'coxswain'
import { defaults } from '../options.ts'
import { WebApp, type WebAppInput, type WebAppStatus } from '../schema/webapp.ts'
import { applies, leftToOthers, onlyFields, parsePath, withoutFields } from '../steps/left-to-others.ts'
import { violations } from '../testing/invariants.ts'
import { conditionList, conditionsOf } from './conditions.ts'
import type { Facts } from './facts.ts'
import { afterFailure, untilRetry, withHistory } from './failure.ts'
import { reportIn } from './pace.ts'
import { phaseOf, startingPhase } from './phase.ts'
import { podIssue, withoutBulk } from './pod-issue.ts'
import { target } from './revision.ts'
import { rollout } from './rollout.ts'
import { statusOf } from './status.ts'
import { assessment } from './assessment.ts'

const at = '2026-01-01T00:00:00Z'
const app = (spec: Partial<WebAppInput['spec']> = {}, status: WebAppStatus = {}): Live<WebApp> =>
  ({
    ...WebApp.defaulted({
      metadata: { name: 'hello', generation: 1, uid: 'u', resourceVersion: '1' },
      spec: { image: 'nginx:1.20', ...spec },
    }),
    status,
  }) as unknown as Live<WebApp>
const condition = (type: string, status: 'True' | 'False' = 'True', reason = 'Because') => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: at,
  observedGeneration: 1,
})
const deployment = (status: object, spec: object = { replicas: 2 }): Live<Deployment> =>
  ({
    metadata: { name: 'hello', generation: 1 },
    spec,
    status: { observedGeneration: 1, ...status },
  }) as unknown as Live<Deployment>
const complete = {
  replicas: 2,
  updatedReplicas: 2,
  readyReplicas: 2,
  availableReplicas: 2,
  conditions: [{ type: 'Available', status: 'True' }],
}
const facts = (change: Partial<Facts> = {}): Facts => {
  const object = change.app ?? app()
  return {
    app: object,
    config: { missing: [] },
    target: target(object, undefined),
    isApplied: true,
    drift: [],
    deployment: deployment(complete),
    pods: [],
    ...change,
  }
}

describe('the phase', () => {
  const good = { digest: 'a', at, template: '{"spec":{}}' }
  it.each<[string, WebAppStatus, object]>([
    ['Pending', {}, {}],
    ['Pending', { conditions: [condition('Ready', 'False')] }, {}],
    ['Creating', { conditions: [condition('Available', 'False')] }, {}],
    ['Running', { conditions: [condition('Available', 'False')], lastGoodRevision: good }, {}],
    ['Failed', { conditions: [condition('Available'), condition('Stalled')], lastGoodRevision: good }, {}],
    ['Failed', { conditions: [condition('Stalled')] }, {}],
    ['Deleting', { conditions: [condition('Stalled')] }, { deletionTimestamp: at }],
  ])('the phase of an app is %s by %j', (phase, status, metadata) => {
    expect(phaseOf({ metadata, status })).toBe(phase)
    expect(phaseOf({ metadata, status: { ...status, phase: 'Running' } })).toBe(phase)
  })

  it('the phase of an app whose deletion was not reported yet is the one before', () => {
    const status: WebAppStatus = { phase: 'Creating', conditions: [condition('Available')] }
    expect(startingPhase({ metadata: { deletionTimestamp: at }, status })).toBe('Creating')
    expect(startingPhase({ metadata: { deletionTimestamp: at }, status: { ...status, phase: 'Deleting' } })).toBe(
      'Deleting',
    )
  })
})

describe('the target', () => {
  const status = (template: string): WebAppStatus => ({
    lastGoodRevision: { digest: 'good', at, template },
    failedRevision: { digest: target(app({ onFailure: 'Rollback' }), undefined).digest, at, reason: 'x', attempts: 1 },
  })
  it('the target is the last good revision once that of the spec has failed', () => {
    const { isPinned, digest, spec } = target(
      app({ onFailure: 'Rollback', replicas: 7 }),
      undefined,
      status('{"spec":{"image":"old:1","port":1}}'),
    )
    expect([isPinned, digest, spec.image, spec.port, spec.replicas]).toEqual([true, 'good', 'old:1', 1, 7])
    const older = target(app({ onFailure: 'Rollback' }), undefined, status({ spec: { image: 'old:1' } } as never))
    expect([older.isPinned, older.spec.image, older.template]).toEqual([true, 'old:1', '{"spec":{"image":"old:1"}}'])
  })

  it.each(['', 'null', '7', '{}', '{"spec":', '{"spec":"x"}', '{"spec":null}'])(
    'the target is that of the spec where the last good one cannot be read: %s',
    (template) => {
      expect(target(app({ onFailure: 'Rollback' }), undefined, status(template)).isPinned).toBe(false)
    },
  )
})

describe('the verdict', () => {
  const settled: WebAppStatus = {
    observedGeneration: 1,
    currentRevision: target(app(), undefined).digest,
    conditions: [condition('Ready')],
    lastGoodRevision: { digest: 'a', at, template: '{"spec":{}}' },
  }
  const stuck = {
    ...complete,
    availableReplicas: 1,
    conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
  }
  const crashed = {
    metadata: { name: 'p' },
    status: {
      containerStatuses: [
        {
          ready: false,
          image: 'x',
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 2 } },
        },
      ],
    },
  } as unknown as Live<Pod>
  it.each<[string, Partial<Facts>]>([
    ['Ready Ready', {}],
    ['Suspended Suspended', { app: app({ suspend: true }) }],
    ['Stalled NotOwned', { app: app({ suspend: true }, { conditions: [condition('Stalled', 'True', 'NotOwned')] }) }],
    ['Stalled Invalid', { rejection: { reason: 'Invalid', message: '', kind: 'Service' } }],
    ['Reconciling ConfigMissing', { deployment: undefined, config: { missing: [{ path: 'a', message: 'b' }] } }],
    ['Degraded ConfigMissing', { config: { missing: [{ path: 'a', message: 'b' }] } }],
    ['Reconciling Creating', { deployment: undefined }],
    ['Reconciling Creating', { deployment: deployment({ ...complete, availableReplicas: 1 }) }],
    ['Reconciling RollingOut', { app: app({}, settled), deployment: deployment({ ...complete, updatedReplicas: 1 }) }],
    [
      'Degraded ReplicasUnavailable',
      { app: app({}, settled), deployment: deployment({ ...complete, availableReplicas: 1 }) },
    ],
    [
      'Degraded CrashLooping',
      { app: app({}, settled), deployment: deployment({ ...complete, availableReplicas: 1 }), pods: [crashed] },
    ],
    ['Stalled ProgressDeadlineExceeded', { deployment: deployment(stuck) }],
    ['Stalled CrashLooping', { deployment: deployment(stuck), pods: [crashed] }],
    ['Reconciling Creating', { deployment: deployment({ ...stuck, observedGeneration: 0 }) }],
    ['Drifted Drifted', { drift: [{ kind: 'Service', field: 'spec.type', culprit: 'mallory' }] }],
  ])('the verdict: %s', (expected, change) => {
    const { state, reason } = assessment(facts(change))
    expect(`${state} ${reason}`).toBe(expected)
  })

  it('the verdict always results in a status that keeps every invariant', () => {
    const count = fc.integer({ min: 0, max: 3 })
    const bool = fc.boolean()
    fc.assert(
      fc.property(
        fc.record({
          replicas: count,
          updatedReplicas: count,
          readyReplicas: count,
          availableReplicas: count,
          observedGeneration: fc.integer({ min: 0, max: 1 }),
        }),
        fc.record({
          suspend: bool,
          hasDeployment: bool,
          isStuck: bool,
          isRefused: bool,
          isMissing: bool,
          isDrifted: bool,
          isCrashed: bool,
          wasStalled: bool,
          wasGood: bool,
          isApplied: bool,
        }),
        (counts, is) => {
          const before: WebAppStatus = {
            ...(is.wasGood ? settled : {}),
            ...(is.wasStalled ? { conditions: [condition('Stalled', 'True', 'NotOwned')] } : {}),
          }
          const all = facts({
            app: app({ suspend: is.suspend }, before),
            isApplied: is.isApplied,
            deployment: is.hasDeployment
              ? deployment({ ...counts, conditions: is.isStuck ? stuck.conditions : [] })
              : undefined,
            rejection: is.isRefused ? { reason: 'Forbidden', message: 'no', kind: 'Deployment' } : undefined,
            config: { missing: is.isMissing ? [{ path: 'a', message: 'b' }] : [] },
            drift: is.isDrifted ? [{ kind: 'Service' }] : [],
            pods: is.isCrashed ? [crashed] : [],
          })
          const status = statusOf(all, assessment(all), before, 0)
          expect(violations({ metadata: { generation: 1 }, status })).toEqual([])
          // The same facts again say nothing new.
          expect(reportIn(status, statusOf(all, assessment(all), status, 1000), 1000, defaults)).toBeUndefined()
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('the checker of invariants', () => {
  const ready: WebAppStatus = { observedGeneration: 1, phase: 'Pending', conditions: [condition('Ready')] }
  it.each<[string, WebAppStatus, number]>([
    ['Ready is always there', { observedGeneration: 1, phase: 'Pending', conditions: [] }, 1],
    ['nothing abnormal', { ...ready, conditions: [condition('Ready'), condition('Degraded')] }, 1],
    ['Ready is false', { ...ready, phase: 'Failed', conditions: [condition('Ready'), condition('Stalled')] }, 1],
    [
      'never true together',
      {
        ...ready,
        phase: 'Failed',
        conditions: [condition('Ready', 'False'), condition('Stalled'), condition('Reconciling')],
      },
      1,
    ],
    ['no more than generation', { ...ready, observedGeneration: 2 }, 1],
    ['was not observed', { ...ready }, 2],
    ['of the observed generation', { ...ready, conditions: [{ ...condition('Ready'), observedGeneration: 0 }] }, 1],
    ['only while it is true', { ...ready, conditions: [condition('Ready', 'False'), condition('Paused', 'False')] }, 1],
    ['the phase is a truth', { ...ready, phase: 'Running' }, 1],
  ])('the checker of invariants sees that %s', (rule, status, generation) => {
    expect(violations({ metadata: { generation }, status }).join('; ')).toContain(rule)
  })

  it('the checker of invariants is content with a status that is right', () => {
    expect(violations({ metadata: { generation: 1 }, status: ready })).toEqual([])
  })
})

describe('conditions', () => {
  it('conditions of an app are listed Ready first, without those that are not true', () => {
    expect(conditionsOf(facts(), assessment(facts())).map(({ type }) => type)).toEqual([
      'Ready',
      'Available',
      'ServiceReady',
      'Progressing',
    ])
  })

  it('conditions of an app keep their list when nothing differs, and lose those that are gone', () => {
    const before = [condition('Ready'), condition('Degraded')]
    const [first] = before
    expect(conditionList(before, before, 1, at)).toBe(before)
    expect(conditionList(before, [{ type: 'Ready', status: true, reason: 'Because' }], 1, at)).toEqual([first])
  })
})

describe('a revision', () => {
  it('a revision is the same for the same pods, and another for others', () => {
    const { digest } = target(app({ env: { A: '1', B: '2' } }), undefined)
    expect(target(app({ env: { B: '2', A: '1' }, replicas: 5, suspend: true }), undefined).digest).toBe(digest)
    expect(target(app({ env: { A: '1', B: '3' } }), undefined).digest).not.toBe(digest)
    expect(target(app({ env: { A: '1', B: '2' } }), 'sum').digest).not.toBe(digest)
    expect(target(app({ env: { A: '1', B: '2' }, configRollout: 'Manual' }), 'a').digest).toBe(
      target(app({ env: { A: '1', B: '2' }, configRollout: 'Manual' }), 'b').digest,
    )
  })

  it('a revision that failed is replaced by the last good one, until the spec is another', () => {
    const good = target(app({ env: { A: '1' } }), undefined)
    const bad = app({ image: 'bad:1', onFailure: 'Rollback' })
    const status = {
      lastGoodRevision: { digest: good.digest, at, template: good.template as never },
      failedRevision: { digest: target(bad, undefined).digest, at, reason: 'x', attempts: 1 },
    }
    const pinned = target(bad, undefined, status)
    expect(pinned).toMatchObject({
      isPinned: true,
      digest: good.digest,
      spec: { image: 'nginx:1.20', env: { A: '1' }, onFailure: 'Rollback' },
    })
    expect(target(bad, undefined, status, true).isPinned).toBe(false)
    expect(target(app({ image: 'bad:2', onFailure: 'Rollback' }), undefined, status).isPinned).toBe(false)
    expect(target(app({ image: 'bad:1' }), undefined, status).isPinned).toBe(false)
  })
})

describe('memory of failures', () => {
  const failing = { state: 'Stalled', reason: 'NotOwned', message: 'm', isFailedRollout: false } as const
  it('the memory of failures doubles the time between tries, up to a limit', () => {
    let memory: WebAppStatus = {}
    const waits: number[] = []
    for (let i = 0; i < 6; i++) {
      memory = afterFailure(memory, target(app(), undefined), failing, 0, { baseMs: 1000, maxMs: 10_000 })
      waits.push(untilRetry(memory, 0))
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000])
    expect(
      afterFailure(memory, target(app({ image: 'b:1' }), undefined), failing, 0, { baseMs: 1000, maxMs: 10_000 })
        .failedRevision?.attempts,
    ).toBe(1)
  })

  it('the memory of failures keeps five, the newest first, each once', () => {
    const entry = (digest: string) => ({ digest, at, outcome: 'Good' as const })
    const history = ['a', 'b', 'b', 'c', 'd', 'e', 'f'].reduce<readonly ReturnType<typeof entry>[]>(
      (all, digest) => withHistory(all, entry(digest)) as never,
      [],
    )
    expect(history.map(({ digest }) => digest)).toEqual(['f', 'e', 'd', 'c', 'b'])
  })
})

describe('the pace', () => {
  const before: WebAppStatus = { phase: 'Running', readyReplicas: 1, observedGeneration: 1, lastReconcileTime: at }
  const now = Date.parse(at) + 1000
  it('status writes: nothing when nothing is new, important changes at once, progress a little later', () => {
    expect(reportIn(before, { ...before }, now, defaults)).toBeUndefined()
    expect(reportIn(before, { ...before, phase: 'Failed' }, now, defaults)).toBe(0)
    expect(reportIn(before, { ...before, readyReplicas: 2 }, now, defaults)).toBe(4000)
    expect(reportIn(before, { ...before, readyReplicas: 2 }, now + 4000, defaults)).toBe(0)
    expect(reportIn({ readyReplicas: 1 }, { readyReplicas: 2 }, now, defaults)).toBe(0)
  })

  it('a rollout has a second to complete before the status reports that it is in progress', () => {
    const under = (type: string) => [
      { type, status: 'True' as const, reason: 'RollingOut', message: '', lastTransitionTime: at },
    ]
    const next: WebAppStatus = { ...before, observedGeneration: 2, conditions: under('Reconciling') }
    expect(reportIn(before, next, now, defaults)).toBe(1000)
    expect(reportIn({ ...before, observedGeneration: 2 }, next, now, defaults)).toBe(0)
    expect(reportIn({ ...before, phase: 'Creating' }, next, now, defaults)).toBe(0)
    expect(reportIn(before, { ...next, conditions: under('Ready') }, now, defaults)).toBe(0)
  })
})

describe('a pod', () => {
  const pod = (status: object, metadata: object = {}): Live<Pod> =>
    ({ metadata: { name: 'p', ...metadata }, status }) as unknown as Live<Pod>
  const container = (state: object, rest: object = {}) => ({
    containerStatuses: [{ name: 'web', image: 'x:1', ready: false, state, lastState: {}, ...rest }],
  })
  it.each<[string | undefined, object]>([
    [undefined, container({ running: {} })],
    [undefined, container({ waiting: { reason: 'ContainerCreating' } })],
    [undefined, container({ waiting: { reason: 'ErrImagePull' } }, { ready: true })],
    ['ImagePullFailed', container({ waiting: { reason: 'ErrImagePull', message: 'no' } })],
    ['ContainerNotCreated', container({ waiting: { reason: 'CreateContainerConfigError' } })],
    ['CrashLooping', container({ waiting: { reason: 'CrashLoopBackOff' } })],
    ['ContainerExited', container({ terminated: { exitCode: 1, message: 'boom' } })],
    ['OutOfMemory', container({ terminated: { exitCode: 137, reason: 'OOMKilled' } })],
    [
      'Unschedulable',
      { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'm' }] },
    ],
    ['PodFailed', { phase: 'Failed', reason: 'Evicted' }],
  ])('a pod summary has %s', (reason, status) => {
    expect(podIssue(pod(status))?.reason).toBe(reason)
    expect(podIssue(pod(status, { deletionTimestamp: at }))).toBeUndefined()
    expect(podIssue(withoutBulk(pod(status) as unknown as Pod) as unknown as Live<Pod>)?.reason).toBe(reason)
  })

  it('a pod summary is kept small', () => {
    const big = pod(
      { podIP: '1.2.3.4', containerStatuses: [{ name: 'a', volumeMounts: [] }] },
      { managedFields: [{}], annotations: { a: 'b' } },
    ) as unknown as Pod
    expect(JSON.stringify(withoutBulk({ ...big, spec: { containers: [] } }))).not.toMatch(
      /spec|podIP|managedFields|annotations|volumeMounts/,
    )
  })
})

describe('a roll-out', () => {
  it('a rollout status of an older generation is ignored', () => {
    expect(rollout(deployment({ ...complete, observedGeneration: 0 }))).toMatchObject({
      isComplete: false,
      isRolling: true,
      isStuck: false,
    })
    expect(rollout(deployment(complete))).toMatchObject({ isComplete: true, isRolling: false, isAvailable: true })
    expect(rollout(deployment({}, { replicas: 0 }))).toMatchObject({ isComplete: true })
    expect(rollout(deployment({ ...complete, replicas: 3 }))).toMatchObject({ isComplete: false, isRolling: true })
  })

  it('a rollout that waits for old pods to go is not the one that was stuck before', () => {
    const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }]
    const recreate = { replicas: 2, strategy: { type: 'Recreate' } }
    expect(rollout(deployment({ replicas: 2, conditions }, recreate)).isStuck).toBe(false)
    expect(rollout(deployment({ replicas: 2, updatedReplicas: 2, conditions }, recreate)).isStuck).toBe(true)
    expect(
      rollout(deployment({ conditions: [...conditions, { type: 'ReplicaFailure', status: 'True' }] }, recreate))
        .isStuck,
    ).toBe(true)
    expect(rollout(deployment({ replicas: 2, conditions })).isStuck).toBe(true)
  })
})

describe('fields of others', () => {
  it('fields of others are named by paths', () => {
    expect(parsePath("metadata.annotations['example.dev/note'].x")).toEqual([
      'metadata',
      'annotations',
      'example.dev/note',
      'x',
    ])
    expect(
      leftToOthers(
        app({ autoscaling: { max: 2, cpu: 1 }, drift: { ignore: [{ kind: 'Deployment', fields: ['spec.paused'] }] } }),
        'Deployment',
      ),
    ).toEqual([
      ['spec', 'replicas'],
      ['spec', 'paused'],
    ])
    expect(leftToOthers(app({ autoscaling: { max: 2, cpu: 1 } }), 'Service')).toEqual([])
  })

  it('fields of others are taken out, or are all that is left', () => {
    const object = { metadata: { labels: { a: '1', b: '2' } }, spec: { replicas: 3, other: 1 } }
    const paths = [
      ['spec', 'replicas'],
      ['metadata', 'labels', 'a'],
      ['not', 'there'],
    ]
    expect(withoutFields(object, paths)).toEqual({ metadata: { labels: { b: '2' } }, spec: { other: 1 } })
    expect(onlyFields(object, paths)).toEqual({ metadata: { labels: { a: '1' } }, spec: { replicas: 3 } })
  })

  it('fields of others are ours as long as we have applied them', () => {
    const object = {
      metadata: {
        managedFields: [
          { manager: 'webapp', operation: 'Apply' as const, fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
        ],
      },
    }
    expect(applies(object, 'webapp', ['spec', 'replicas'])).toBe(true)
    expect(applies(object, 'webapp', ['spec', 'paused'])).toBe(false)
    expect(applies(object, 'other', ['spec', 'replicas'])).toBe(false)
  })
})
