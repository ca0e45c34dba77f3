import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { runCommandLine } from './command-line.ts'

async function output(...args: string[]): Promise<{ readonly code: number; readonly out: readonly string[] }> {
  const out: string[] = []
  const write = (line: string): void => void out.push(line)
  const code = await runCommandLine(args, { out: write, error: write, stopped: new Promise(() => undefined) })
  return { code, out }
}

describe('coxswain', () => {
  it.each(['--version', '-V'])('coxswain: %s prints the version of the package', async (option) => {
    expect(await output(option)).toEqual({ code: 0, out: [packageJson.version] })
  })

  it('--help lists the commands and mentions --version', async () => {
    const { code, out } = await output('--help')
    expect(code).toBe(0)
    for (const text of ['demo', 'server', 'run', 'plan', 'manifests', 'coxswain --version'])
      expect(out[0]).toContain(text)
  })
})
