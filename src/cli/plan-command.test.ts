import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from './command-line.ts'
import { planExitCode } from './plan-command.ts'

const module = fileURLToPath(new URL('../manifests/testdata/guestbook.ts', import.meta.url))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-plan-'))
  mkdirSync(join(folder, 'empty'))
  writeFileSync(join(folder, 'broken.yaml'), 'a: [')
  writeFileSync(join(folder, 'nameless.yaml'), 'apiVersion: v1\nkind: ConfigMap\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function coxswain(...args: string[]): Promise<{ readonly code: number; readonly error: string }> {
  const error: string[] = []
  const code = await runCommandLine(args, {
    out: () => undefined,
    error: (line) => void error.push(line),
    stopped: new Promise(() => undefined),
  })
  return { code, error: error.join('\n') }
}

describe('coxswain plan', () => {
  it.each<[string[], string]>([
    [[], 'give a MODULE (see: coxswain plan --help)'],
    [[module, '--json=x'], "Option '--json' does not take an argument"],
    [[module, '--delete'], '--delete needs a FILE with the objects to delete'],
    [['no-such-module.js'], 'there is no module no-such-module.js'],
    [['EMPTY'], 'has no operator.js and no index.js: give the file of the operator'],
  ])('%j is wrong usage', async (args, message) => {
    const { code, error } = await coxswain(
      'plan',
      ...args.map((arg) => (arg === 'EMPTY' ? join(folder, 'empty') : arg)),
    )
    expect(error).toContain(message)
    expect(code).toBe(2)
  })

  it('the exit code says that the operator failed, or that there is something to do', () => {
    const failure = { controller: 'site', object: 'Site default/one', failures: 18, error: 'fetch failed' }
    expect([planExitCode({ failures: [failure] }, 1), planExitCode({ failures: [] }, 1)]).toEqual([1, 3])
    expect(planExitCode({ failures: [] }, 0)).toBe(0)
  })
})
