/** Tests the list of scenarios, and that a comparison finds differences. `outcomes-*.test.ts` test the outcomes. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { differencesOf, textOf } from './compare.ts'
import { page, pageUrl } from './page.ts'
import { load, recordedNames } from './recorded.ts'
import { scenarios } from './scenarios.ts'

const hint = 'npm run -s scenarios -- --update, where Go is, records anew'

describe('the scenarios', () => {
  it('the scenarios have names of their own, which are names of namespaces too, and are all recorded', () => {
    const names = scenarios.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,50}[a-z0-9])$/)
    expect(recordedNames(), hint).toEqual(names.toSorted())
  })

  it('the scenarios are told of in docs/internals/scenarios.md, with the rules by which they are compared', () => {
    expect(readFileSync(pageUrl, 'utf8'), 'npm run -s scenarios -- --stored writes it').toBe(page())
  })

  it.each(['README.md', 'docs/explanation/fidelity.md'])('the scenarios are counted in %s', (path) => {
    const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
    expect(text.match(/\d+ scenarios/g)).toEqual([`${scenarios.length} scenarios`])
  })
})

describe('a comparison', () => {
  const outcome = load('deployment-created')
  const changed = (from: string, to: string): string[] => {
    const text = JSON.stringify(outcome)
    expect(text).toContain(from)
    return differencesOf(outcome, JSON.parse(text.replace(from, to)) as typeof outcome).map(textOf)
  }

  it('a comparison sees another number, condition, message, event and owner', () => {
    expect(changed('"availableReplicas":2', '"availableReplicas":1')).toEqual([
      'looks.end.objects.Deployment/web.status.availableReplicas: real 2, ours 1',
    ])
    expect(changed('"reason":"MinimumReplicasAvailable"', '"reason":"Other"')).toHaveLength(1)
    expect(changed('has minimum availability', 'is well')).toHaveLength(1)
    expect(changed('Created pod: web-#1-* ×2', 'Created pod: web-#1-*')).toHaveLength(2)
    expect(changed('"kind":"Deployment","name":"web"', '"kind":"Deployment","name":"other"')).toHaveLength(1)
  })
})
