/** The fuzzer's parts that need no server. */
import { describe, expect, it } from 'vitest'
import { fill } from '../case.ts'
import { generate, sequenceLength, verbNames } from './generate.ts'
import { asCase, shrink, withoutSteps } from './shrink.ts'
import { subjects } from './subjects.ts'

describe('sequences', () => {
  it('depend on the seed alone', () => {
    expect(generate(7)).toEqual(generate(7))
    expect(generate(7)).not.toEqual(generate(8))
  })

  it('are long, and of many verbs on many kinds', () => {
    expect(verbNames.length).toBeGreaterThanOrEqual(12)
    expect(subjects.length).toBeGreaterThanOrEqual(25)
    const all = Array.from({ length: 300 }, (_, seed) => generate(seed).steps)
    for (const steps of all) expect(steps.length).toBeGreaterThanOrEqual(sequenceLength)
    const paths = all.flat().map(({ path }) => path)
    for (const { requests } of subjects) expect(paths.some((path) => path.startsWith(requests.path))).toBe(true)
  })

  it('refer to earlier steps only', () => {
    for (let seed = 0; seed < 50; seed++) {
      for (const [i, step] of generate(seed).steps.entries()) {
        for (const [, number] of JSON.stringify(step).matchAll(/\{\{(\d+)\./g)) expect(Number(number)).toBeLessThanOrEqual(i)
      }
    }
  })
})

const step = (path: string, body = {}) => ({ method: 'PUT', path, body })

describe('shrinking', () => {
  it('keeps what shows the difference, and references right', async () => {
    const steps = [step('/a'), step('/b'), step('/c'), step('/d', { keep: '{{1.metadata.uid}}', drop: { deep: 1 } })]
    const small = await shrink(steps, async (fewer) => {
      const b = fewer.findIndex(({ path }) => path === '/b')
      return b >= 0 && JSON.stringify(fewer.at(-1)).includes(`{{${b}.metadata.uid}}`)
    })
    expect(small).toEqual([step('/b'), step('/d', { keep: '{{0.metadata.uid}}' })])
  })

  it('leaves no reference to a step that is gone', () => {
    expect(withoutSteps([step('/a'), step('/{{0.x}}')], 0, 1)).toEqual([step('/{{999.x}}')])
  })

  it('prints a case that can be pasted', () => {
    expect(asCase('found', [step('/a', { "it's": ['x', 1, null] })])).toBe(
      "{\n  name: 'found',\n  steps: [\n    request('PUT', '/a', { 'it\\'s': ['x', 1, null] }),\n  ],\n},",
    )
  })
})

describe('values of earlier answers', () => {
  const known = { namespace: 'here', answers: [{ body: { metadata: { uid: 'u', list: [1] } }, headers: { etag: '"e"' } }] }

  it('are filled in, in keys and texts', () => {
    expect(fill({ 'in-{{ns}}': ['{{0.metadata.uid}}/{{0.metadata.list.0}}', '{{0@etag}}'] }, known)).toEqual({ 'in-here': ['u/1', '"e"'] })
  })

  it('that do not exist are the same nonsense for both servers', () => {
    expect(fill('{{0.metadata.other}} {{5.x}} {{0@none}} {{0.metadata}}', known)).toBe('absent-0 absent-5 absent-0 absent-0')
  })
})
