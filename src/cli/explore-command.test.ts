import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from './command-line.ts'
import { ExploreProgress } from './explore-progress.ts'

const guestbook = fileURLToPath(new URL('../manifests/testdata/guestbook.ts', import.meta.url))

async function coxswain(...args: string[]): Promise<{ readonly code: number; readonly error: string }> {
  const error: string[] = []
  const code = await runCommandLine(['explore', ...args], {
    out: () => undefined,
    error: (line) => void error.push(line),
    stopped: new Promise(() => undefined),
  })
  return { code, error: error.join('\n') }
}

describe('coxswain explore', () => {
  it.each<[string[], string]>([
    [[], 'give a MODULE'],
    [[guestbook], 'exports no exploration'],
    [[guestbook, '--processes', '0'], '--processes is "0"'],
    [[guestbook, '--spec'], 'exports no exploration of a spec: write export default { cluster'],
    [[guestbook, '--spec', '--pairs', '3'], '--spec cannot be combined with --pairs'],
    [['no-such-module.js'], 'there is no module no-such-module.js'],
  ])('%j is wrong usage', async (args, message) => {
    const { code, error } = await coxswain(...args)
    expect(error).toContain(message)
    expect(code).toBe(2)
  })

  it('tells its progress on a terminal all the time, otherwise every ten seconds', () => {
    const told = (isTerminal: boolean): readonly string[] => {
      const lines: string[] = []
      let now = 0
      const write = (line: string): number => lines.push(line)
      const progress = new ExploreProgress(isTerminal ? { error: write, status: write } : { error: write }, () => now)
      for (const at of [1000, 6000, 11_000]) {
        now = at
        progress.show(at / 1000, 100)
      }
      return lines
    }
    expect(told(false)).toEqual(['11 of 100 schedules, 2 min left'])
    expect(told(true)).toHaveLength(4)
  })
})
