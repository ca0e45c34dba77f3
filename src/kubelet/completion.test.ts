/** Pods that end: exit codes, restart policies, init containers, sidecars, deadlines, and pods of Jobs. */
import { afterEach, describe, expect, it } from 'vitest'
import { Pod, type Live } from '../index.ts'
import { embedded, type Embedded } from '../testing/index.ts'
import type { BehaviourRule } from './index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(behaviours: readonly BehaviourRule[] = []): Promise<Embedded> {
  const cluster = await embedded({ nodes: 1, builtin: ['none'], behaviours })
  running.push(cluster)
  return cluster
}

type Annotations = Readonly<Record<string, string>>
const pod = (spec: object, annotations: Annotations = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'a',
    namespace: 'default',
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [`coxswain.dev/${name}`, value]),
    ),
    ...metadata,
  },
  spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'i' }], ...spec },
})
const get = ({ client }: Embedded): Promise<Live<Pod>> => client.get(Pod, { namespace: 'default', name: 'a' })

/** `main:terminated 3 Error ×2`: the state, its code and reason, and the restarts. */
const states = ({ status }: Live<Pod>): string[] =>
  [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(
    ({ name, state, restartCount }) => {
      const { terminated, waiting } = state ?? {}
      const why =
        terminated === undefined ? (waiting?.reason ?? 'running') : `${terminated.exitCode} ${terminated.reason}`
      return `${name} ${why}${restartCount === 0 ? '' : ` ×${restartCount}`}`
    },
  )
const condition = ({ status }: Live<Pod>, type: string): string => {
  const found = status?.conditions?.find((each) => each.type === type)
  return `${found?.status} ${found?.reason ?? ''}`.trim()
}
const job = {
  ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true }],
}

describe('a pod that ends', () => {
  it.each([
    ['Never', '0', 'Succeeded', ['main 0 Completed']],
    ['Never', '3', 'Failed', ['main 3 Error']],
    ['OnFailure', '0', 'Succeeded', ['main 0 Completed']],
    ['OnFailure', '1,2,0', 'Succeeded', ['main 0 Completed ×2']],
    ['OnFailure', '1', 'Running', ['main CrashLoopBackOff ×2']],
    ['Always', '0', 'Running', ['main CrashLoopBackOff ×2']],
  ])('a pod that ends: %s and exit code %s: %s', async (restartPolicy, code, phase, wanted) => {
    const cluster = await start()
    await cluster.apply(pod({ restartPolicy }, { 'exit-after': '2s', 'exit-code': code }))
    await cluster.advance(20_000)
    const found = await get(cluster)
    expect([found.status?.phase, ...states(found)]).toEqual([phase, ...wanted])
    if (phase !== 'Running')
      expect([condition(found, 'Ready'), condition(found, 'PodReadyToStartContainers')]).toEqual([
        phase === 'Failed' ? 'False PodFailed' : 'False PodCompleted',
        'False',
      ])
  })

  it('a pod that ends has a termination message', async () => {
    const cluster = await start()
    await cluster.apply(pod({ restartPolicy: 'Never' }, { 'exit-after': '1s', 'termination-message': 'out of paper' }))
    await cluster.advance(5000)
    expect((await get(cluster)).status?.containerStatuses?.[0]?.state?.terminated?.message).toBe('out of paper')
  })

  it('a pod that ends does so when its last container has ended, each by its own behaviour', async () => {
    const cluster = await start([{ container: 'slow', behaviour: { exitAfterMs: 5000 } }])
    const containers = ['quick', 'slow'].map((name) => ({ name, image: 'i' }))
    await cluster.apply(
      pod({ restartPolicy: 'Never', containers }, { 'exit-after.quick': '1s', 'exit-code.quick': '4' }),
    )
    await cluster.advance(4000)
    expect([(await get(cluster)).status?.phase, ...states(await get(cluster))]).toEqual([
      'Running',
      'quick 4 Error',
      'slow running',
    ])
    await cluster.advance(5000)
    expect([(await get(cluster)).status?.phase, ...states(await get(cluster))]).toEqual([
      'Failed',
      'quick 4 Error',
      'slow 0 Completed',
    ])
  })

  it('a pod that ends restarts containers by their own policy and rules', async () => {
    const cluster = await start()
    const containers = [
      { name: 'never', image: 'i', restartPolicy: 'Never' },
      {
        name: 'ruled',
        image: 'i',
        restartPolicy: 'Never',
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
      },
    ]
    await cluster.apply(pod({ containers }, { 'exit-after': '1s', 'exit-code.ruled': '42,7', 'exit-code.never': '42' }))
    await cluster.advance(10_000)
    expect([(await get(cluster)).status?.phase, ...states(await get(cluster))]).toEqual([
      'Failed',
      'never 42 Error',
      'ruled 7 Error ×1',
    ])
  })

  it('a pod that exceeds its deadline fails', async () => {
    const cluster = await start()
    await cluster.apply(pod({ activeDeadlineSeconds: 10, restartPolicy: 'Never' }))
    await cluster.advance(9000)
    expect((await get(cluster)).status?.phase).toBe('Running')
    await cluster.advance(3000)
    const found = await get(cluster)
    expect(found.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' })
    expect(states(found)).toEqual(['main 143 Error'])
    const { revision } = cluster.plane.store
    await cluster.advance(60_000)
    // The node renews its lease every 10 seconds.
    expect(cluster.plane.store.revision).toBe(revision + 6)
    const events = (await cluster.events(found)).map(({ reason }) => reason)
    expect(events.slice(-2)).toEqual(['DeadlineExceeded', 'Killing'])
  })
})

describe('init containers', () => {
  const initContainers = [
    { name: 'one', image: 'i' },
    { name: 'two', image: 'i' },
  ]

  it('init containers that fail are tried again, and the others wait', async () => {
    const cluster = await start()
    await cluster.apply(pod({ initContainers }, { 'exit-code.one': '1,1,0' }))
    await cluster.advance(5000)
    expect([(await get(cluster)).status?.phase, ...states(await get(cluster))]).toEqual([
      'Pending',
      'one CrashLoopBackOff ×1',
      'two PodInitializing',
      'main PodInitializing',
    ])
    expect(condition(await get(cluster), 'Initialized')).toBe('False ContainersNotInitialized')
    await cluster.advance(15_000)
    expect([(await get(cluster)).status?.phase, ...states(await get(cluster))]).toEqual([
      'Running',
      'one 0 Completed ×2',
      'two 0 Completed',
      'main running',
    ])
    expect(condition(await get(cluster), 'Initialized')).toBe('True')
  })

  it('init containers that fail end a pod that does not restart', async () => {
    const cluster = await start()
    await cluster.apply(pod({ initContainers, restartPolicy: 'Never' }, { 'exit-code.two': '9' }))
    await cluster.advance(10_000)
    expect([(await get(cluster)).status?.phase, ...states(await get(cluster))]).toEqual([
      'Failed',
      'one 0 Completed',
      'two 9 Error',
      'main PodInitializing',
    ])
  })
})

describe('sidecars', () => {
  const initContainers = ['first', 'second'].map((name) => ({ name, image: 's', restartPolicy: 'Always' }))

  it('sidecars stop after the other containers, in reverse order, and do not count', async () => {
    const cluster = await start()
    await cluster.apply(
      pod({ initContainers, restartPolicy: 'Never' }, { 'exit-after.main': '2s', 'stop-takes': '3s' }),
    )
    const seen = new Set<string>()
    for (let second = 0; second < 15; second++) {
      await cluster.advance(1000)
      seen.add([(await get(cluster)).status?.phase, ...states(await get(cluster))].join(', '))
    }
    expect([...seen].slice(-5)).toEqual([
      'Running, first running, second running, main running',
      'Running, first running, second running, main 0 Completed',
      'Running, first running, second 0 Completed, main 0 Completed',
      'Succeeded, first 0 Completed, second 0 Completed, main 0 Completed',
    ])
  })

  it('sidecars that end are started again, and a pod is not ready without them', async () => {
    const cluster = await start()
    await cluster.apply(pod({ initContainers }, { 'exit-after.first': '4s', 'exit-code.first': '1' }))
    await cluster.advance(11_000)
    const found = await get(cluster)
    expect([found.status?.phase, ...states(found)]).toEqual([
      'Running',
      'first CrashLoopBackOff ×1',
      'second running',
      'main running',
    ])
    expect([condition(found, 'Initialized'), condition(found, 'Ready')]).toEqual(['True', 'False ContainersNotReady'])
  })
})

describe('a pod of a Job', () => {
  it.each([
    [{}, 'Succeeded'],
    [{ 'exit-code': '2' }, 'Failed'],
    [{ 'exit-after': 'never' }, 'Running'],
  ] as [Annotations, string][])('a pod of a Job with %j: %s', async (annotations, phase) => {
    const cluster = await start()
    await cluster.apply(pod({ restartPolicy: 'Never' }, annotations, job))
    await cluster.advance(5000)
    expect((await get(cluster)).status?.phase).toBe(phase)
  })

  it('a pod of a Job that is deleted while it runs has failed, and stays until its finalizer is removed', async () => {
    const cluster = await start()
    const finalizers = ['batch.kubernetes.io/job-tracking']
    await cluster.apply(pod({ restartPolicy: 'Never' }, { 'exit-after': 'never' }, { ...job, finalizers }))
    await cluster.advance(5000)
    await cluster.client.delete(Pod, { namespace: 'default', name: 'a' })
    await cluster.advance(5000)
    const found = await get(cluster)
    expect([found.status?.phase, ...states(found)]).toEqual(['Failed', 'main 143 Error'])
    const { revision } = cluster.plane.store
    await cluster.advance(60_000)
    expect(cluster.plane.store.revision).toBe(revision + 6)
    await cluster.client.patch(
      Pod,
      { namespace: 'default', name: 'a' },
      { type: 'merge', patch: { metadata: { finalizers: [] } } },
    )
    await expect(get(cluster)).rejects.toThrow('not found')
  })
})
