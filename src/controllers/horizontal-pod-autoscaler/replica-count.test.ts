import { describe, expect, it } from 'vitest'
import type { Live, Pod } from '../../index.ts'
import { demandByUtilization, demandByValue, demandInAll, demandPerPod, type PodsDemand } from './replica-count.ts'

const now = Date.parse('2026-01-01T01:00:00Z')

interface Given {
  readonly phase?: string
  readonly ready?: 'True' | 'False'
  /** Thousandths of a CPU; absent: missing. */
  readonly uses?: number
  readonly startedAt?: string
  readonly readySince?: string
  readonly deleted?: true
}

function query(pods: readonly Given[], resource = 'cpu'): PodsDemand {
  const made = pods.map(
    (
      {
        phase = 'Running',
        ready = 'True',
        startedAt = '2026-01-01T00:00:00Z',
        readySince = '2026-01-01T00:00:10Z',
        deleted,
      },
      i,
    ) => ({
      metadata: { name: `p${i}`, ...(deleted === undefined ? {} : { deletionTimestamp: '2026-01-01T00:59:00Z' }) },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
      status: {
        phase,
        startTime: startedAt,
        conditions: [{ type: 'Ready', status: ready, lastTransitionTime: readySince }],
      },
    }),
  ) as unknown as Live<Pod>[]
  const metrics = new Map(
    pods.flatMap(({ uses }, i) =>
      uses === undefined ? [] : [[`p${i}`, { value: uses, time: now, window: 60_000 }] as const],
    ),
  )
  return { pods: made, metrics, current: pods.length, tolerances: { down: 0.1, up: 0.1 }, now, resource }
}
const byCpu = (pods: readonly Given[], target = 50): number =>
  demandByUtilization(query(pods), target, undefined).replicas

describe('replicas by the use of a resource', () => {
  it.each<[string, readonly Given[], number]>([
    ['as many as there are when use is near the target', [{ uses: 540 }, { uses: 470 }], 2],
    ['more when it is above', [{ uses: 900 }, { uses: 700 }], 4],
    ['fewer when it is below', [{ uses: 100 }, { uses: 100 }, { uses: 100 }], 1],
    ['a pod without metrics counts as idle when scaling up', [{ uses: 900 }, {}], 2],
    ['and as busy when scaling down', [{ uses: 100 }, { uses: 100 }, {}], 3],
    ['one that is pending counts as idle, too', [{ uses: 1200 }, { uses: 1200 }, { phase: 'Pending', uses: 0 }], 5],
    ['but holds nobody back from scaling down', [{ uses: 100 }, { uses: 100 }, { phase: 'Pending' }], 1],
    ['one that ends does not count', [{ uses: 500 }, { uses: 2000, deleted: true }], 2],
    ['nor does one that has failed', [{ uses: 900 }, { phase: 'Failed', uses: 0 }], 2],
    [
      'what a pod uses while it starts is not looked at',
      [{ uses: 500 }, { uses: 2000, startedAt: '2026-01-01T00:58:00Z', readySince: '2026-01-01T00:59:30Z' }],
      2,
    ],
    [
      'what it uses later is, though it is not ready',
      [{ uses: 500 }, { uses: 1500, ready: 'False', readySince: '2026-01-01T00:30:00Z' }],
      4,
    ],
  ])('%s', (_, pods, replicas) => {
    expect(byCpu(pods)).toBe(replicas)
  })

  it('replicas by the use of a resource reports what is used, on average and in per cent', () => {
    expect(demandByUtilization(query([{ uses: 250 }, { uses: 500 }]), 50, undefined)).toEqual({
      replicas: 2,
      usage: 375,
      utilization: 37,
    })
    expect(demandByValue(query([{ uses: 250 }, { uses: 500 }]), 100)).toEqual({ replicas: 8, usage: 375 })
    expect(demandByUtilization(query([{ uses: 250 }]), 50, 'c').utilization).toBe(25)
  })

  it('replicas by the use of a resource says what it lacks', () => {
    expect(() => byCpu([])).toThrow('no pods returned by selector while calculating replica count')
    expect(() => byCpu([{ phase: 'Pending' }])).toThrow(
      'did not receive metrics for targeted pods (pods might be unready)',
    )
    expect(() => demandByUtilization(query([{ uses: 1 }], 'gpu'), 50, undefined)).toThrow(
      'missing request for gpu in container c of Pod p0',
    )
    expect(() => demandByUtilization(query([{ uses: 1 }]), 50, 'x')).toThrow('container x not found in Pod p0')
  })
})

describe("replicas by a value that is not the pods'", () => {
  const { pods, tolerances } = query([{}, {}, { ready: 'False' }])
  it.each([
    [100_000, 3],
    [150_000, 3],
    [160_000, 4],
    [20_000, 1],
  ])("replicas by a value that is not the pods' in all: %i", (usage, replicas) => {
    expect(demandInAll(usage, 100_000, 3, pods, tolerances)).toEqual({ replicas, usage })
  })
  it("replicas by a value that is not the pods' from none: as many as it takes", () => {
    expect(demandInAll(250_000, 100_000, 0, [], tolerances).replicas).toBe(3)
    expect(() => demandInAll(250_000, 100_000, 1, [], tolerances)).toThrow('unable to calculate ready pods')
  })
  it.each([
    [300_000, 3, 100_000],
    [310_000, 3, 103_334],
    [500_000, 5, 166_667],
  ])("replicas by a value that is not the pods' for each pod: %i", (usage, replicas, each) => {
    expect(demandPerPod(usage, 100_000, 3, tolerances)).toEqual({ replicas, usage: each })
  })
})
