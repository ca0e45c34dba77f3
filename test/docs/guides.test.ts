/** Guides whose code is that of an example or of its test. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import bucketsOperator from '../../examples/finalizer-with-external-system.ts'
import { plan } from '../../src/plan/plan.ts'
import { planText } from '../../src/plan/plan-text.ts'
import { docsPage } from './page.ts'

const read = (name: string): string => readFileSync(new URL(`../../examples/${name}`, import.meta.url), 'utf8')

describe('guides', () => {
  it.each([
    ['call-an-external-system', 'finalizer-with-external-system'],
    ['finalizer', 'finalizer-with-external-system'],
  ])('docs/how-to/%s.md shows code of the example', (guide, example) => {
    const code = read(`${example}.ts`) + read(`${example}.test.ts`)
    const shown = docsPage(`how-to/${guide}.md`).blocks('ts')
    expect(shown).not.toEqual([])
    // `// …` stands for code that is left out.
    for (const part of shown.flatMap((block) => block.split(/^ *\/\/ …\n/m))) expect(code).toContain(part)
  })

  it('docs/how-to/call-an-external-system.md shows what a plan says', async () => {
    const bucket = {
      apiVersion: 'example.dev/v1',
      kind: 'Bucket',
      metadata: { name: 'photos', namespace: 'default' },
      spec: { region: 'eu-central' },
    }
    const made = await plan({ operator: bucketsOperator, apply: [bucket], now: Date.parse('2026-11-17T00:00:00Z') })
    const [shown = ''] = docsPage('how-to/call-an-external-system.md').blocks('console')
    expect(shown).toBe(`$ coxswain plan operator.js bucket.yaml --offline\n${planText(made)}\n`)
  })
})
