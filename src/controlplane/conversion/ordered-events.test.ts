/** The order of converted events compared with a simple model, with conversions that take any time and may fail. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { apiError, type ApiError } from '../../api/status.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import type { VersionConversion } from '../contract/resource.ts'
import { MemoryStore } from '../storage/memory-store.ts'
import type { StoreEvent } from '../storage/store.ts'
import { followInOrder, maxPendingEvents } from './ordered-events.ts'
import { ConvertedVersions } from './converted-versions.ts'

const prefix = '/registry/sea.io/boats/'

function object(name: string, value: number, apiVersion = 'sea.io/v1'): KubeObject {
  return { apiVersion, kind: 'Boat', metadata: { name }, spec: { value } }
}

/** Values below zero cannot be converted. A conversion ends when `finish` is called. */
function slowConversion(): {
  readonly conversion: VersionConversion
  readonly finish: (() => void)[]
  readonly sizes: number[]
} {
  const finish: (() => void)[] = []
  const sizes: number[] = []
  const convertAll: VersionConversion['convertAll'] = async (objects, apiVersion) => {
    sizes.push(objects.length)
    await new Promise<void>((resolve) => finish.push(resolve))
    return objects.map((each) => {
      const { value } = each['spec'] as unknown as { readonly value: number }
      if (value < 0) throw apiError.internal('sunk')
      return object(each.metadata.name as string, value * 10, apiVersion)
    })
  }
  const convert = (): never => {
    throw new Error('nobody asks for one')
  }
  return {
    conversion: {
      apiVersion: 'sea.io/v2',
      storage: 'sea.io/v1',
      rereads: false,
      read: (each) => each,
      convert,
      convertAll,
    },
    finish,
    sizes,
  }
}

function reported(event: StoreEvent): string {
  try {
    const { value } = event.current.object['spec'] as unknown as { readonly value: number }
    return (
      `${event.type} ${event.current.object.metadata.name} ` +
      `${value}@${event.current.object.metadata.resourceVersion}`
    )
  } catch (error) {
    return (error as ApiError).message
  }
}

const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      name: fc.constantFrom('a', 'b', 'c'),
      value: fc.integer({ min: 0, max: 9 }),
      own: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), name: fc.constantFrom('a', 'b', 'c') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('finish' as const) }) },
)

it('converted events keep the order of the store, for every follower, whenever conversions end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      const store = new MemoryStore({ env: simulatedEnv() })
      const { conversion, finish } = slowConversion()
      const versions = new ConvertedVersions(conversion)
      const model: string[] = []
      const seen: string[][] = [[], []]
      for (const list of seen)
        followInOrder(
          versions,
          (onRaw) => store.watch(prefix, 0, onRaw),
          (event) => list.push(reported(event)),
        )
      for (const each of actions) {
        if (each.do === 'finish') {
          finish.splice(0).forEach((resolve) => resolve())
          await settled()
          continue
        }
        const key = prefix + each.name
        const live = store.get(key)
        const shown = ({ object: of, revision }: { object: KubeObject; revision: number }) => {
          const { value } = of['spec'] as unknown as { readonly value: number }
          return `${each.name} ${of.apiVersion === 'sea.io/v2' ? value : value * 10}@${revision}`
        }
        const stamp =
          (of: KubeObject) =>
          (revision: number): KubeObject => ({ ...of, metadata: { ...of.metadata, resourceVersion: String(revision) } })
        if (each.do === 'put') {
          const stored = store.put(
            key,
            live?.revision ?? 0,
            stamp(object(each.name, each.value, each.own ? 'sea.io/v2' : 'sea.io/v1')),
          )
          model.push(`put ${shown(stored as NonNullable<typeof stored>)}`)
        } else if (live !== undefined) {
          const gone = store.delete(key, live.revision, stamp(live.object))
          model.push(`delete ${shown(gone as NonNullable<typeof gone>)}`)
        }
      }
      for (let rounds = 0; rounds < 60; rounds++) {
        finish.splice(0).forEach((resolve) => resolve())
        await settled()
      }
      expect(seen).toEqual([model, model])
    }),
  )
})

it('the stream of converted events ends at what cannot be converted, and not before', async () => {
  const store = new MemoryStore({ env: simulatedEnv() })
  const { conversion, finish, sizes } = slowConversion()
  const seen: string[] = []
  const following = followInOrder(
    new ConvertedVersions(conversion),
    (onRaw) => store.watch(prefix, 0, onRaw),
    (event) => {
      seen.push(reported(event))
      if (seen.at(-1) === 'sunk') following.stop()
    },
  )
  for (const [name, value] of [
    ['a', 1],
    ['b', 2],
    ['c', -3],
    ['d', 4],
  ] as const)
    store.put(prefix + name, 0, (revision) => stamped(object(name, value), revision))
  expect(following.isBehind).toBe(true)
  for (let rounds = 0; rounds < 20; rounds++) {
    await settled()
    finish.splice(0).forEach((resolve) => resolve())
  }
  expect(seen).toEqual(['put a 10@1', 'put b 20@2', 'sunk'])
  expect(sizes).toEqual([4, 1, 1, 1, 1])
  expect(following.isBehind).toBe(false)
})

it('the stream of converted events ends when too much waits', () => {
  const store = new MemoryStore({ env: simulatedEnv() })
  const seen: string[] = []
  const following = followInOrder(
    new ConvertedVersions(slowConversion().conversion),
    (onRaw) => store.watch(prefix, 0, onRaw),
    (event) => seen.push(reported(event)),
  )
  for (let i = 0; i < maxPendingEvents; i++)
    store.put(`${prefix}${i}`, 0, (revision) => stamped(object(String(i), i), revision))
  expect([seen.length, following.isBehind]).toEqual([0, true])
  for (const name of ['one', 'more']) store.put(prefix + name, 0, (revision) => stamped(object(name, 1), revision))
  expect([seen, following.isBehind]).toEqual([
    ['the conversion webhook is too slow for this watch: start a new one'],
    false,
  ])
})

function stamped(of: KubeObject, revision: number): KubeObject {
  return { ...of, metadata: { ...of.metadata, resourceVersion: String(revision) } }
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await Promise.resolve()
}
