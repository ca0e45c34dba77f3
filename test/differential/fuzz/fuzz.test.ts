/** Tests of the fuzzer's parts that need no server. */
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/api/json.ts'
import { fill } from '../case.ts'
import { generate, sequenceLength } from './generate.ts'
import { isLeftOut } from './left-out.ts'
import { asCase, shrink, withoutSteps } from './shrink.ts'
import { builtInSubjects, customSubjects, subjects } from './subjects.ts'
import { verbNames } from './verbs.ts'

describe('sequences', () => {
  it('fuzzed sequences depend on the seed alone', () => {
    expect(generate(7)).toEqual(generate(7))
    expect(generate(7)).not.toEqual(generate(8))
  })

  it('fuzzed sequences are long, and of many verbs on many kinds', () => {
    expect(verbNames.length).toBeGreaterThanOrEqual(12)
    expect(builtInSubjects.length).toBeGreaterThanOrEqual(25)
    expect(customSubjects.length).toBeGreaterThanOrEqual(10)
    const all = Array.from({ length: 300 }, (_, seed) => generate(seed).steps)
    for (const steps of all) expect(steps.length).toBeGreaterThanOrEqual(sequenceLength)
    const paths = all.flat().map(({ path }) => path)
    for (const { requests } of subjects.flatMap(({ versions }) => versions))
      expect(
        paths.some((path) => path.startsWith(requests.path)),
        requests.path,
      ).toBe(true)
  })

  it('fuzzed sequences refer to earlier steps only', () => {
    for (let seed = 0; seed < 50; seed++) {
      for (const [i, step] of generate(seed).steps.entries()) {
        for (const [, number] of JSON.stringify(step).matchAll(/\{\{(\d+)\./g))
          expect(Number(number)).toBeLessThanOrEqual(i)
      }
    }
  })
})

const step = (path: string, body = {}) => ({ method: 'PUT', path, body })

describe('requests that are left out', () => {
  const patch = (path: string, type: string, body: Json) => ({
    method: 'PATCH',
    path,
    body,
    headers: { 'content-type': `application/${type}` },
  })

  it('requests that are left out are those at which a real server panics', () => {
    expect(isLeftOut(patch('/a', 'json-patch+json', [{ op: 'test', path: '/a', value: [1, null] }]))).toBe(true)
    expect(
      isLeftOut(
        patch('/a', 'json-patch+json', [
          { op: 'test', path: '/a', value: null },
          { op: 'add', path: '/b', value: [null] },
        ]),
      ),
    ).toBe(false)
    expect(isLeftOut(patch('/a', 'strategic-merge-patch+json', { list: [{ name: { x: 1 } }] }))).toBe(true)
    expect(
      isLeftOut(patch('/a', 'strategic-merge-patch+json', { name: { x: 1 }, list: [{ name: 'x', other: [] }] })),
    ).toBe(false)
    expect(isLeftOut(step('/cronjobs/a', { spec: { successPolicy: {} } }))).toBe(true)
    expect(isLeftOut(step('/cronjobs/a', { spec: { successPolicy: {}, completions: 1 } }))).toBe(false)
  })
})

describe('shrinking', () => {
  it('shrinking keeps what shows the difference, and references right', async () => {
    const steps = [step('/a'), step('/b'), step('/c'), step('/d', { keep: '{{1.metadata.uid}}', drop: { deep: 1 } })]
    const small = await shrink(steps, async (fewer) => {
      const b = fewer.findIndex(({ path }) => path === '/b')
      return b >= 0 && JSON.stringify(fewer.at(-1)).includes(`{{${b}.metadata.uid}}`)
    })
    expect(small).toEqual([step('/b'), step('/d', { keep: '{{0.metadata.uid}}' })])
  })

  it('shrinking leaves no reference to a step that is gone', () => {
    expect(withoutSteps([step('/a'), step('/{{0.x}}')], 0, 1)).toEqual([step('/{{999.x}}')])
  })

  it('shrinking prints a case that can be pasted', () => {
    expect(asCase('found', [step('/a', { "it's": ['x', 1, null] })])).toBe(
      "{\n  name: 'found',\n  steps: [\n    request('PUT', '/a', { 'it\\'s': ['x', 1, null] }),\n  ],\n},",
    )
  })
})

describe('values of earlier answers', () => {
  const known = {
    namespace: 'here',
    answers: [{ body: { metadata: { uid: 'u', list: [1] } }, headers: { etag: '"e"' } }],
  }

  it('values of earlier answers are filled in, in keys and texts', () => {
    expect(fill({ 'in-{{ns}}': ['{{0.metadata.uid}}/{{0.metadata.list.0}}', '{{0@etag}}'] }, known)).toEqual({
      'in-here': ['u/1', '"e"'],
    })
  })

  it('values of earlier answers that do not exist are the same nonsense for both servers', () => {
    expect(fill('{{0.metadata.other}} {{5.x}} {{0@none}} {{0.metadata}}', known)).toBe(
      'absent-0 absent-5 absent-0 absent-0',
    )
  })
})
