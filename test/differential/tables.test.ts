/** Checks that every case has recorded answers: otherwise it would never be compared. */
import { describe, expect, it } from 'vitest'
import { answeredOf, namespaceOf } from './case.ts'
import { expand } from './compact.ts'
import { loadTopic, storedTopics } from './fixtures.ts'
import { liveRequest } from './record.ts'
import { topics } from './topics.ts'

const hint = 'npm run test:cluster -- --update records the answers again (needs Go)'

it('the differential suite has recorded answers for each topic', () => {
  expect(storedTopics(), hint).toEqual(topics.map(({ name }) => name).toSorted())
})

describe.each(topics)('$name', (topic) => {
  it('has recorded answers to these very requests', () => {
    const stored = new Map(loadTopic(topic.name).map((each) => [each.name, each.records]))
    expect([...stored.keys()], hint).toEqual(topic.cases.map(({ name }) => name))
    for (const each of topic.cases) {
      const records = stored.get(each.name) ?? []
      const known = { namespace: namespaceOf(topic, each), answers: records.slice(1).map(answeredOf) }
      const asked = each.steps.map((step) => liveRequest(step, known))
      const recorded = records.slice(1).map((record) => ({
        method: record['method'],
        path: record['watch'] ?? record['path'],
        token: record['tok'],
        headers: record['headers'],
        body: record['body'] === undefined ? undefined : expand(record['body']),
      }))
      expect(recorded, `${each.name}: ${hint}`).toEqual(asked)
    }
  })

  it('has a namespace of its own for each case', () => {
    const names = topic.cases.map((each) => namespaceOf(topic, each))
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,50}[a-z0-9])?$/)
  })
})
