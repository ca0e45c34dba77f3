import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { program } from '../cluster/programs.ts'
import { build } from './builds.ts'
import { client, clientNames, sourceFolder } from './clients.ts'

const page = readFileSync(new URL('../../docs/internals/foreign-clients.md', import.meta.url), 'utf8')

it('docs/internals/foreign-clients.md reports the versions of the lock files, and what each build needs', () => {
  const rows = [...page.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|/gm)]
    .map((row) => row.slice(1))
    .filter(([name]) => name !== 'client')
  const commands: Readonly<Record<string, string>> = {
    go: 'Go',
    python3: 'Python',
    cargo: 'Rust',
    javac: 'Java',
    mvn: 'Maven',
  }
  const wanted = clientNames.map((name) => {
    const { version, build: language } = client(name)
    const needs = build(language)
      .tools.filter(({ least }) => least !== '')
      .map(({ command, least }) => `${commands[command]} ${least}`)
    return [name, version, needs]
  })
  expect(rows.map(([name, version]) => [name, version])).toEqual(wanted.map(([name, version]) => [name, version]))
  for (const [i, [name = '', , needs]] of wanted.entries()) {
    for (const need of needs as string[]) expect(rows[i]?.[2], String(name)).toContain(need)
  }
})

it('each client has tests', () => {
  const folder = new URL('.', import.meta.url)
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.clients.ts'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const tested = texts.flatMap((text) => text.match(/describeClient\('([^']+)'/)?.[1] ?? [])
  expect(tested.sort()).toEqual([...clientNames].sort())
})

it("the Go clients are of the reference cluster's version", () => {
  expect(client('client-go').version.replace('v0.', 'v1.')).toBe(program('kubectl').version)
})

it('versions are exact', () => {
  const read = (file: string): string => readFileSync(`${sourceFolder}${file}`, 'utf8')
  const pins = read('python/requirements.txt')
    .split('\n')
    .filter((line) => line !== '')
  for (const pin of pins) expect(pin).toMatch(/^[\w-]+==\d[\w.]*$/)
  const locked = Object.values(
    (JSON.parse(read('node/package-lock.json')) as { packages: Record<string, { integrity?: string }> }).packages,
  )
  expect(locked.slice(1).every(({ integrity }) => integrity !== undefined)).toBe(true)
  expect(read('java/pom.xml')).not.toMatch(/<version>[^<]*(\[|,|LATEST|RELEASE|SNAPSHOT)/)
})
