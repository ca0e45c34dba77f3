import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import guestbook from '../manifests/testdata/guestbook.ts'
import { runCommandLine } from './command-line.ts'

const module = fileURLToPath(new URL('../manifests/testdata/guestbook.ts', import.meta.url))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-manifests-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function coxswain(
  ...args: string[]
): Promise<{ readonly code: number; readonly out: string; readonly error: string }> {
  const [out, error]: [string[], string[]] = [[], []]
  const code = await runCommandLine(args, {
    out: (line) => void out.push(line),
    error: (line) => void error.push(line),
    stopped: new Promise(() => undefined),
  })
  return { code, out: out.join('\n'), error: error.join('\n') }
}

describe('coxswain manifests', () => {
  it('coxswain manifests prints all of them as one', async () => {
    const { files } = await guestbook.manifests({
      namespace: 'ops',
      namespaces: ['a', 'b'],
      image: 'x:1',
      replicas: 1,
      args: ['--log-level=debug', '--shards=2'],
    })
    const printed = await coxswain(
      'manifests',
      module,
      '--namespace',
      'ops',
      '--namespaces',
      'a,b',
      '--image=x:1',
      '--replicas',
      '1',
      '--args=--log-level=debug,--shards=2',
    )
    expect(printed).toEqual({ code: 0, error: '', out: Object.values(files).join('').trimEnd() })
  })

  it('coxswain manifests writes them to a folder, and says how a folder differs', async () => {
    const out = join(folder, 'deploy')
    expect((await coxswain('manifests', module, '--out', out, '--check')).error).toContain('crds.yaml is missing')
    expect((await coxswain('manifests', module, '--out', out)).code).toBe(0)
    const { files } = await guestbook.manifests()
    expect(Object.fromEntries(readdirSync(out).map((name) => [name, readFileSync(join(out, name), 'utf8')]))).toEqual(
      files,
    )

    writeFileSync(join(out, 'others.yaml'), 'mine')
    expect(await coxswain('manifests', module, '--out', out, '--check')).toEqual({ code: 0, out: '', error: '' })
    const roles = join(out, 'roles.yaml')
    writeFileSync(roles, readFileSync(roles, 'utf8').replace('- services', '- servces'))
    const { code, error } = await coxswain('manifests', module, '--out', out, '--check')
    expect(code).toBe(1)
    expect(error).toMatch(/^.*roles\.yaml:\d+ has "- servces", not "- services"$/)
  })

  it.each([
    [['manifests'], 'give one MODULE'],
    [['manifests', 'a', 'b'], 'give one MODULE'],
    [['manifests', module, '--check'], '--check compares with the files in --out'],
    [['manifests', module, '--replicas', '0'], '--replicas is "0": give a whole number of at least 1'],
    [['manifests', module, '--oout', 'x'], "Unknown option '--oout'"],
    [['run'], 'give a MODULE'],
    [['run', '--kubeconfig', 'x'], "Unknown option '--kubeconfig'"],
  ])('coxswain manifests: %j is reported to be wrong', async (args, message) => {
    const { code, error } = await coxswain(...args)
    expect([code, error]).toEqual([2, expect.stringContaining(message)])
  })

  it('coxswain manifests reports what a module has that exports no operator', async () => {
    const other = fileURLToPath(new URL('../operator/manifest-files.ts', import.meta.url))
    const { code, error } = await coxswain('manifests', other)
    expect([code, error]).toEqual([
      2,
      `coxswain: ${other} has no operator as its default export (it has manifestDifferences, ` +
        'writeManifests): write export default operator({ … })',
    ])
  })
})
