/** docs/reference/testing.md: its examples run, and its tables match the code. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { docsPage } from '../../test/docs/page.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import type { ExploreOptions } from '../explore/explore.ts'
import type { ExploreSpecOptions } from '../explore/spec/explore-spec.ts'
import { faultNames, describeFault } from '../explore/faults.ts'
import { standardOracles } from '../explore/oracles.ts'
import { everyField, exhaustively, neverEmpty, quickly } from './testdata/docs-example.ts'

const { blocks, checkGenerated, table } = docsPage('reference/testing.md')

describe('docs/reference/testing.md', () => {
  it('docs/reference/testing.md shows code that is compiled', () => {
    const compiled = readFileSync(new URL('testdata/docs-example.ts', import.meta.url), 'utf8').replaceAll(/^ +/gm, '')
    const lines = blocks('ts').flatMap((text) => text.split('\n').map((line) => line.trim()))
    const shown = lines.filter((line) => line !== '' && !line.startsWith('import ') && !line.startsWith('expect('))
    expect(shown.length).toBeGreaterThan(10)
    for (const line of shown) expect(compiled).toContain(line)
  })

  it('docs/reference/testing.md shows a cluster, and an operator that converges', { timeout: 120_000 }, async () => {
    const cluster = await quickly()
    expect((await cluster.client.get(ConfigMap, { namespace: 'default', name: 'hello' })).data).toEqual({
      text: 'Hello, world!',
    })
    await cluster.stop()
    const report = await exhaustively([...standardOracles, neverEmpty])
    expect(report.failures, report.text).toEqual([])
  })

  it('docs/reference/testing.md explores every field of a spec', async () => {
    const report = await everyField()
    expect(report.operations.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    expect(report.text).toContain('Greeting: 3 of 3 properties covered')
    const options: Record<keyof ExploreSpecOptions, true> = {
      cluster: true,
      kind: true,
      sample: true,
      prepare: true,
      values: true,
      noEffect: true,
      pathDependent: true,
      oracles: true,
      ignore: true,
      types: true,
      atMost: true,
      seed: true,
      part: true,
      only: true,
      onProgress: true,
    }
    expect(table('option of `exploreSpec`').map(([name]) => name)).toEqual(
      Object.keys(options).map((name) => `\`${name}\``),
    )
  })

  it('docs/reference/testing.md has every fault and every option', () => {
    const faults = faultNames.map((name) => `| \`${name}\` | ${describeFault(name)} |`)
    checkGenerated('faults', ['| fault | what happens |', '|---|---|', ...faults])
    const options: Record<keyof ExploreOptions, true> = {
      cluster: true,
      steps: true,
      faults: true,
      oracles: true,
      ignore: true,
      types: true,
      atMost: true,
      pairs: true,
      random: true,
      seed: true,
      budgetMs: true,
      shrink: true,
      part: true,
      only: true,
      stopAtFirst: true,
      timelines: true,
      onProgress: true,
    }
    expect(table('option').map(([name]) => name)).toEqual(Object.keys(options).map((name) => `\`${name}\``))
  })
})
