import { describe, expect, it } from 'vitest'
import type { autoscalingV2 } from '../../index.ts'
import { decide, rememberScale, type ScaleHistory, type ScaleRequest } from './limits.ts'

const fresh = (): ScaleHistory => ({ recommendations: [], ups: [], downs: [] })
const wish = (over: Partial<ScaleRequest>): ScaleRequest => ({
  current: 4,
  desired: 4,
  least: 1,
  most: 100,
  behavior: undefined,
  now: 0,
  ...over,
})

type Rules = autoscalingV2.HPAScalingRules

const rules = (policies: readonly ['Percent' | 'Pods', number, number][], more: Rules = {}): Rules => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: policies.map(([type, value, periodSeconds]) => ({ type, value, periodSeconds })),
  ...more,
})
const usual = {
  scaleUp: rules([
    ['Pods', 4, 15],
    ['Percent', 100, 15],
  ]),
  scaleDown: rules([['Percent', 100, 15]]),
}

describe('without a behaviour', () => {
  it.each<[string, Partial<ScaleRequest>, number, string]>([
    ['as desired', { desired: 6 }, 6, 'DesiredWithinRange'],
    ['twice as many at most', { desired: 20 }, 8, 'ScaleUpLimit'],
    ['four in any case', { current: 1, desired: 20 }, 4, 'ScaleUpLimit'],
    ['no more than the most', { desired: 20, most: 6 }, 6, 'TooManyReplicas'],
    ['no fewer than the least', { desired: 1, least: 2 }, 2, 'TooFewReplicas'],
  ])('%s', (_, over, replicas, reason) => {
    const decision = decide(wish(over), fresh())
    expect([decision.replicas, decision.scalingLimited.reason, decision.scalingLimited.isLimited]).toEqual([
      replicas,
      reason,
      reason !== 'DesiredWithinRange',
    ])
  })

  it('an autoscaler without a behaviour goes down only when all of five minutes agree', () => {
    const memory = fresh()
    const at = (now: number, desired: number) => decide(wish({ now, desired }), memory)
    expect(at(0, 4).replicas).toBe(4)
    expect(at(15_000, 2)).toMatchObject({ replicas: 4, ableToScale: { reason: 'ScaleDownStabilized' } })
    expect(at(300_000, 3).replicas).toBe(4)
    expect(at(300_001, 1)).toMatchObject({ replicas: 3 })
    expect(at(700_000, 1)).toMatchObject({ replicas: 1, ableToScale: { reason: 'ReadyForNewScale' } })
    expect(memory.recommendations).toHaveLength(1)
  })
})

describe('with a behaviour', () => {
  it('an autoscaler with a behaviour goes by the policy that allows most, least, or none', () => {
    const up = (more: Rules) =>
      decide(
        wish({
          current: 10,
          desired: 50,
          behavior: {
            ...usual,
            scaleUp: rules(
              [
                ['Pods', 4, 15],
                ['Percent', 100, 15],
              ],
              more,
            ),
          },
        }),
        fresh(),
      )
    expect(up({})).toMatchObject({ replicas: 20, scalingLimited: { reason: 'ScaleUpLimit', isLimited: true } })
    expect(up({ selectPolicy: 'Min' }).replicas).toBe(14)
    expect(up({ selectPolicy: 'Disabled' }).replicas).toBe(10)
    const down = (more: Rules) =>
      decide(
        wish({
          current: 10,
          desired: 1,
          behavior: {
            ...usual,
            scaleDown: rules(
              [
                ['Pods', 4, 15],
                ['Percent', 10, 15],
              ],
              more,
            ),
          },
        }),
        fresh(),
      )
    expect(down({})).toMatchObject({ replicas: 6, scalingLimited: { reason: 'ScaleDownLimit' } })
    expect(down({ selectPolicy: 'Min' }).replicas).toBe(9)
    expect(down({ selectPolicy: 'Disabled' }).replicas).toBe(10)
  })

  it('an autoscaler with a behaviour counts what it did within the period', () => {
    const memory = fresh()
    const behavior = { ...usual, scaleUp: rules([['Pods', 4, 60]]) }
    rememberScale(memory, behavior, 10, 13, 0)
    expect(decide(wish({ current: 13, desired: 50, behavior, now: 30_000 }), memory).replicas).toBe(14)
    expect(decide(wish({ current: 13, desired: 50, behavior, now: 60_000 }), memory).replicas).toBe(17)
    rememberScale(memory, behavior, 13, 17, 120_000)
    expect(memory.ups).toEqual([{ replicas: 4, at: 120_000 }])
    rememberScale(memory, undefined, 13, 17, 120_000)
    expect(memory.ups).toHaveLength(1)
  })

  it('an autoscaler with a behaviour waits both ways, as long as it is told to', () => {
    const memory = fresh()
    const behavior = {
      scaleUp: { ...usual.scaleUp, stabilizationWindowSeconds: 60 },
      scaleDown: { ...usual.scaleDown, stabilizationWindowSeconds: 120 },
    }
    const at = (now: number, desired: number) => decide(wish({ now, desired, behavior }), memory)
    expect(at(0, 4).replicas).toBe(4)
    expect(at(30_000, 6)).toMatchObject({ replicas: 4, ableToScale: { reason: 'ScaleUpStabilized' } })
    expect(at(61_000, 7).replicas).toBe(6)
    expect(at(150_001, 2)).toMatchObject({ replicas: 4, ableToScale: { reason: 'ScaleDownStabilized' } })
    expect(at(200_000, 2).replicas).toBe(2)
  })

  it('an autoscaler with a behaviour has bounds of its own', () => {
    expect(decide(wish({ desired: 50, most: 5, behavior: usual }), fresh())).toMatchObject({
      replicas: 5,
      scalingLimited: { reason: 'TooManyReplicas' },
    })
    expect(decide(wish({ desired: 1, least: 2, behavior: usual }), fresh())).toMatchObject({
      replicas: 2,
      scalingLimited: { reason: 'TooFewReplicas' },
    })
  })
})
