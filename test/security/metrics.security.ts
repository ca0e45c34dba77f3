/** The labels of metrics depend on the operator, not on how many objects there are or what they say (item 21). */
import { describe, expect, it } from 'vitest'
import { WebApp } from '../../operators/webapp/schema/webapp.ts'
import { World } from '../../operators/webapp/testing/world.ts'

/** The time series, without their values. */
async function seriesWith(count: number): Promise<string[]> {
  const world = await World.open()
  try {
    for (let i = 0; i < count; i++) {
      const name = `app-${i}`
      await world.apply(
        { image: `nginx:${i}`, replicas: 1, env: { A: `value-${i}` } },
        { name, labels: { [`label-${i}`]: 'x' }, annotations: { [`note-${i}`]: 'y' } },
      )
    }
    await world.cluster.advance(60_000)
    for (let i = 0; i < count; i++) await world.cluster.client.delete(WebApp, world.key(`app-${i}`))
    await world.cluster.advance(60_000)
    return world.cluster.manager.metrics
      .text()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.replace(/ [^ ]*$/, ''))
  } finally {
    await world.close()
  }
}

describe('metrics', () => {
  it(
    'have hardly more time series for 40 objects than for two, and no names of objects',
    { timeout: 120_000 },
    async () => {
      const few = await seriesWith(2)
      const many = await seriesWith(40)
      expect(many.filter((line) => /app-\d|label-\d|note-\d|value-\d|nginx/.test(line))).toEqual([])
      // Some are about things that happen seldom, one for each kind.
      const more = many.filter((line) => !few.includes(line))
      expect(more.length, more.join('\n')).toBeLessThan(10)
      expect(few.length).toBeGreaterThan(50)
    },
  )
})
