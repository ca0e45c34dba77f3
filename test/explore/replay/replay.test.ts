import { expect, it } from 'vitest'
import { differentReplays } from './replays.ts'

it('a failing random schedule is repeated to the byte by another process', { timeout: 60_000 }, async () => {
  const told: string[] = []
  expect(await differentReplays([1], [process.execPath], (line) => told.push(line))).toEqual([])
  // It is a record of something.
  expect(Number(/(\d+) bytes/.exec(told.join())?.[1])).toBeGreaterThan(10_000)
})
