/** Completion scripts: that of bash is run, the others are checked by their shells, where these are installed. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from './command-line.ts'
import { commands } from './commands.ts'
import { completionScript } from './completion.ts'

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-completion-'))
  mkdirSync(join(folder, 'deploy here'))
  writeFileSync(join(folder, 'operator.js'), '')
  writeFileSync(join(folder, 'my app.yaml'), '')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What bash offers for the last word. Words are separated as bash does it: `=` is a word. */
function offered(...words: readonly string[]): readonly string[] {
  const script = [
    completionScript('bash', commands),
    'COMP_WORDS=("$@")',
    'COMP_CWORD=$(($# - 1))',
    '_coxswain',
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ].join('\n')
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', 'coxswain', ...words], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((line) => line !== '')
}

describe.runIf(isInstalled('bash'))('completion in bash', () => {
  it('completion offers the commands', () => {
    expect(offered('')).toEqual([...commands.map(({ name }) => name), '--help', '--version'])
    expect(offered('pl')).toEqual(['plan'])
    expect(offered('nosuch', '')).toEqual([])
  })

  it.each(commands.map((command) => [command.name, command] as const))(
    'completion offers all options of %s',
    (name, { options }) => {
      expect(offered(name, '--')).toEqual(Object.keys(options).map((option) => `--${option}`))
    },
  )

  it('completion offers values: one of a few, files, folders, or nothing', () => {
    expect(offered('server', '--authorization-mode', '')).toEqual(['AlwaysAllow', 'RBAC'])
    expect(offered('server', '--authorization-mode', '=', 'R')).toEqual(['RBAC'])
    expect(offered('server', '--authorization-mode', '=')).toEqual(['AlwaysAllow', 'RBAC'])
    expect(offered('plan', '--from', 'my')).toEqual(['my app.yaml'])
    expect(offered('manifests', 'operator.js', '--out', '')).toEqual(['deploy here'])
    expect(offered('server', '--port', '')).toEqual([])
  })

  it('completion offers operands', () => {
    expect(offered('plan', 'oper')).toEqual(['operator.js'])
    expect(offered('plan', 'operator.js', 'my')).toEqual(['my app.yaml'])
    expect(offered('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect(offered('server', '')).toEqual([])
  })
})

describe('completion scripts', () => {
  it.each(['bash', 'zsh', 'fish'] as const)(
    'coxswain completion %s prints a script with every option',
    async (shell) => {
      const out: string[] = []
      const io = { out: (line: string) => out.push(line), error: () => undefined, stopped: new Promise<void>(() => {}) }
      expect(await runCommandLine(['completion', shell], io)).toBe(0)
      const script = out.join('\n')
      const dashes = shell === 'fish' ? '-l ' : '--'
      for (const { name, options } of commands) {
        expect(script).toContain(name)
        for (const option of Object.keys(options)) expect(script).toContain(`${dashes}${option}`)
      }
    },
  )

  for (const shell of ['bash', 'zsh', 'fish'] as const)
    it.runIf(isInstalled(shell))(`${shell} reads its script`, () => {
      const { status, stderr } = spawnSync(shell, ['-n'], {
        input: completionScript(shell, commands),
        encoding: 'utf8',
      })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    })

  it('texts of the help are quoted', () => {
    const help = "it's [a] b: $(touch x) `y` \\"
    const odd = {
      name: 'odd',
      summary: help,
      options: { o: { type: 'boolean', help } },
      examples: [],
      run: () => never,
    } as const
    const never = Promise.resolve(0)
    expect(completionScript('bash', [odd])).not.toContain('touch')
    expect(completionScript('zsh', [odd])).toContain(String.raw`'--o[it'\''s \[a\] b\: $(touch x) ` + "`y` \\\\]'")
    expect(completionScript('fish', [odd])).toContain(String.raw`-d 'it\'s [a] b: $(touch x) ` + "`y` \\\\'")
  })

  it.each([[[]], [['powershell']], [['bash', 'zsh']]])('completion %j is wrong usage', async (operands) => {
    const errors: string[] = []
    const io = {
      out: () => undefined,
      error: (line: string) => errors.push(line),
      stopped: new Promise<void>(() => {}),
    }
    expect(await runCommandLine(['completion', ...operands], io)).toBe(2)
    expect(errors).toEqual(['coxswain: give a SHELL: bash, zsh, fish (see: coxswain completion --help)'])
  })
})
