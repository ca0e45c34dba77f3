/** Watches in a version that a webhook converts to. */
import { beforeEach, describe, expect, it } from 'vitest'
import { afterMicrotasks } from '../../env/real.ts'
import { at, BoatPlane, merge } from './testdata/boat-plane.ts'
import { boat } from './testdata/boats.ts'

let boats: BoatPlane
beforeEach(async () => {
  boats = await BoatPlane.start()
})

describe('watches', () => {
  it('watches of converted objects send the state and all changes in order, however slow conversions are', async () => {
    await boats.send('POST', at('v1'), boat('v1', 'a', { size: 1 }))
    boats.hold()
    const watch = await boats.watch('v2')
    expect(await watch.seen()).toEqual([])
    boats.letGo()
    expect(await watch.seen()).toEqual(['ADDED a 1m'])
    boats.hold()
    await boats.send('PATCH', at('v1', '/a'), { spec: { size: 2 } }, merge)
    await afterMicrotasks()
    await boats.send('POST', at('v1'), boat('v1', 'b', { size: 7 }))
    await boats.send('PATCH', at('v1', '/a'), { spec: { size: 3 } }, merge)
    await boats.send('DELETE', at('v1', '/a'))
    expect(await watch.seen()).toEqual([])
    boats.questions()
    boats.letGo()
    expect(await watch.seen()).toEqual(['MODIFIED a 2m', 'ADDED b 7m', 'MODIFIED a 3m', 'DELETED a 3m'])
    expect(boats.questions()).toEqual(['v2 of b,a'])
    watch.stop()
  })

  it('watches of converted objects end the state with a bookmark, after what had to be converted', async () => {
    await boats.send('POST', at('v1'), boat('v1', 'a', { size: 1 }))
    boats.hold()
    const watch = await boats.watch(
      'v2',
      '&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan',
    )
    await boats.send('POST', at('v1'), boat('v1', 'b', { size: 2 }))
    expect(await watch.seen()).toEqual([])
    boats.letGo()
    expect(await watch.seen()).toEqual(['ADDED a 1m', 'ADDED b 2m', 'BOOKMARK'])
    watch.stop()
  })

  it('watches of converted objects share conversions, and go on from a revision', async () => {
    const { body } = await boats.send('POST', at('v1'), boat('v1', 'a', { size: 1 }))
    const [first, second] = [await boats.watch('v2'), await boats.watch('v2')]
    expect([await first.seen(), await second.seen()]).toEqual([['ADDED a 1m'], ['ADDED a 1m']])
    boats.questions()
    await boats.send('PATCH', at('v1', '/a'), { spec: { size: 2 } }, merge)
    await boats.send('DELETE', at('v1', '/a'))
    expect(await first.seen()).toEqual(['MODIFIED a 2m', 'DELETED a 2m'])
    expect(await second.seen()).toEqual(['MODIFIED a 2m', 'DELETED a 2m'])
    expect(boats.questions()).toEqual(['v2 of a'])
    const again = await boats.watch('v2', `&resourceVersion=${String(body.metadata['resourceVersion'])}`)
    expect(await again.seen()).toEqual(['MODIFIED a 2m', 'DELETED a 2m'])
    expect(boats.questions()).toEqual([])
    for (const each of [first, second, again]) each.stop()
  })

  it('watches of converted objects say in no bookmark more than they told', async () => {
    const watch = await boats.watch('v2', '&allowWatchBookmarks=true')
    boats.hold()
    await boats.send('POST', at('v1'), boat('v1', 'a', { size: 1 }))
    await boats.env.advanceAsync(62_000)
    expect(await watch.seen()).toEqual([])
    boats.letGo()
    expect(await watch.seen()).toEqual(['ADDED a 1m'])
    await boats.env.advanceAsync(62_000)
    expect((await watch.seen())[0]).toMatch(/^BOOKMARK/)
    watch.stop()
  })

  it('watches of converted objects end with the failure of a conversion, after what came before it', async () => {
    await boats.send('POST', at('v1'), boat('v1', 'a', { size: 1 }))
    const watch = await boats.watch('v2')
    expect(await watch.seen()).toEqual(['ADDED a 1m'])
    await boats.send('PATCH', at('v1', '/a'), { spec: { size: 2 } }, merge)
    await afterMicrotasks()
    boats.mode = 'failure'
    await boats.send('PATCH', at('v1', '/a'), { spec: { size: 3 } }, merge)
    expect(await watch.seen()).toEqual([
      'MODIFIED a 2m',
      'ERROR conversion webhook for sea.io/v1, Kind=Boat failed: no such boat',
    ])
    expect(await (await boats.watch('v2')).seen()).toEqual([
      'ERROR conversion webhook for sea.io/v1, Kind=Boat failed: no such boat',
    ])
    boats.mode = 'right'
    expect(await (await boats.watch('v2')).seen()).toEqual(['ADDED a 3m'])
  })

  it('watches of converted objects that were stopped while a conversion was on its way hear no more', async () => {
    const watch = await boats.watch('v2')
    await watch.seen()
    boats.hold()
    await boats.send('POST', at('v1'), boat('v1', 'a', { size: 1 }))
    watch.stop()
    boats.letGo()
    expect(await watch.seen()).toEqual([])
  })
})
