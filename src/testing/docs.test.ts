/** docs/reference/testing.md: its examples run, and its tables are what the code says. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import type { ExploreOptions } from './explore.ts'
import { faultNames, whatHappens } from './explore-faults.ts'
import { standardOracles } from './explore-oracles.ts'
import { exhaustively, neverEmpty, quickly } from './testdata/docs-example.ts'

const page = readFileSync(new URL('../../docs/reference/testing.md', import.meta.url), 'utf8')

/** The rows of the table with this head, as their cells. */
function table(head: string): string[][] {
  const lines = page.split('\n')
  const rows = lines.slice(lines.findIndex((line) => line.startsWith(`| ${head} |`)) + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((row) => row.slice(2, -2).split(' | '))
}

describe('docs/reference/testing.md', () => {
  it('shows code that is compiled', () => {
    const compiled = readFileSync(new URL('testdata/docs-example.ts', import.meta.url), 'utf8').replaceAll(/^ +/gm, '')
    const lines = [...page.matchAll(/```ts\n([\s\S]*?)```/g)]
      .flatMap(([, text = '']) => text.split('\n'))
      .map((line) => line.trim())
    const shown = lines.filter((line) => line !== '' && !line.startsWith('import ') && !line.startsWith('expect('))
    expect(shown.length).toBeGreaterThan(10)
    for (const line of shown) expect(compiled).toContain(line)
  })

  it('shows a cluster, and an operator that converges', { timeout: 120_000 }, async () => {
    const cluster = await quickly()
    expect((await cluster.client.get(ConfigMap, { namespace: 'default', name: 'hello' })).data).toEqual({
      text: 'Hello, world!',
    })
    await cluster.stop()
    const report = await exhaustively([...standardOracles, neverEmpty])
    expect(report.failures, report.text).toEqual([])
  })

  it('has every fault and every option', () => {
    expect(table('fault')).toEqual(faultNames.map((name) => [`\`${name}\``, whatHappens(name)]))
    const options: Record<keyof ExploreOptions, true> = {
      cluster: true,
      steps: true,
      faults: true,
      oracles: true,
      ignore: true,
      types: true,
      atMost: true,
      part: true,
      only: true,
      onProgress: true,
    }
    expect(table('option').map(([name]) => name)).toEqual(Object.keys(options).map((name) => `\`${name}\``))
  })
})
