/** The exit codes that the help and docs/reference/cli.md name are those of the installed command. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandHelp, commonExitCodes, parseArguments } from './command.ts'
import { commands } from './commands.ts'
import { kubeconfigText } from './kubeconfig.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const kinds = `import { ConfigMap, controller, operator, resource, t } from 'coxswain'
const Note = resource('example.dev/v1', 'Note', { spec: t.object({ text: t.string() }) })
const note = { apiVersion: 'example.dev/v1', kind: 'Note', metadata: { name: 'a' }, spec: { text: 'b' } }
const copies = controller(Note).owns(ConfigMap).reconcile(async ({ object, apply }) => {
  await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: object.spec })
})
const failing = controller(Note).owns(ConfigMap).reconcile(async () => {
  throw new Error('the database is down')
})
const scenario = (controller) => ({
  cluster: { controllers: [controller] },
  steps: [{ name: 'create', act: (cluster) => cluster.apply(note) }],
})
`
const files = {
  'operator.mjs': `${kinds}export default operator({ name: 'notes', controllers: [copies] })`,
  'failing.mjs': `${kinds}export default operator({ name: 'notes', controllers: [failing] })`,
  'exploration.mjs': `${kinds}export default scenario(copies)`,
  'failing-exploration.mjs': `${kinds}export default scenario(failing)`,
  unreachable: kubeconfigText({ url: 'http://127.0.0.1:1', caCert: '', token: 'none' }),
  'note.yaml': 'apiVersion: example.dev/v1\nkind: Note\nmetadata: {name: a, namespace: default}\nspec: {text: b}\n',
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-exit-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, 'node_modules'))
  mkdirSync(join(folder, 'empty'))
  symlinkSync(root, join(folder, 'node_modules', 'coxswain'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function exitCode(args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { ...process.env, KUBECONFIG: join(folder, 'none') }
  const child = spawn(process.execPath, [join(root, 'dist/coxswain.cjs'), ...args], { cwd: folder, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })))
}

const cases: readonly (readonly [code: number, args: readonly string[]])[] = [
  [0, ['--version']],
  [0, ['server', '--help']],
  [0, ['completion', 'bash']],
  [1, ['run', 'operator.mjs', '--metrics-bind-address=0', '--health-probe-bind-address=0']],
  [2, []],
  [2, ['nosuch']],
  [2, ['server', '--nosuch']],
  [2, ['plan', 'nosuch.mjs']],
  [0, ['plan', 'operator.mjs', 'note.yaml', '--offline']],
  [0, ['plan', 'operator.mjs', '--offline', '--exit-code']],
  [1, ['plan', 'failing.mjs', 'note.yaml', '--offline']],
  [3, ['plan', 'operator.mjs', 'note.yaml', '--offline', '--exit-code']],
  [1, ['doctor', 'configmap/a', '--kubeconfig', 'unreachable']],
  [2, ['doctor', 'configmap']],
  [0, ['explore', 'exploration.mjs', '--at-most', '1', '--processes', '1']],
  [1, ['explore', 'failing-exploration.mjs', '--at-most', '1', '--processes', '1']],
  [0, ['manifests', 'operator.mjs']],
  [1, ['manifests', 'operator.mjs', '--out', 'empty', '--check']],
]

describe('exit codes', () => {
  it.concurrent.each(cases)('exit code %i: %j', async (code, args) => {
    const ended = await exitCode(args)
    expect(ended.code, ended.output).toBe(code)
  })

  it('every documented exit code has a case', () => {
    const tried = new Set(cases.map(([code, [name]]) => `${name ?? ''} ${code}`))
    for (const code of Object.keys(commonExitCodes))
      expect([...tried].some((each) => each.endsWith(` ${code}`))).toBe(true)
    for (const { name, exitCodes = {} } of commands)
      for (const code of Object.keys(exitCodes)) expect(tried).toContain(`${name} ${code}`)
  })
})

describe('help', () => {
  it.each(commands.map((command) => [command.name, command] as const))(
    'the help of %s has examples that are understood',
    (name, command) => {
      expect(command.examples.length).toBeGreaterThan(0)
      for (const example of command.examples) {
        const [, text = ''] = /coxswain ([^|>#)&]+)/.exec(example) ?? []
        const [first, ...args] = text.trim().split(/\s+/)
        expect(first, example).toBe(name)
        expect(() => parseArguments(command, args), example).not.toThrow()
      }
      const help = commandHelp(command)
      for (const [code, meaning] of Object.entries({ ...commonExitCodes, ...command.exitCodes }))
        expect(help).toContain(`  ${code}  ${meaning}`)
    },
  )
})
