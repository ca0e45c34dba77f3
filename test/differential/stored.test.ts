/**
 * Checks docs/internals/conformance.md as a whole: it has all topics, and its sums and texts follow from its rows.
 * `recorded-answers.ts` checks the rows themselves.
 */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { toRecords } from '../conformance/golden.ts'
import { markdownReport } from '../conformance/report.ts'
import type { Summary, TopicSummary } from '../conformance/summary.ts'
import { loadTopic, pageUrl, storedTopics } from './fixtures.ts'

const transports = ['HTTP', 'in process']

it('docs/internals/conformance.md has a row for each recorded topic, and their sums', () => {
  const page = readFileSync(pageUrl, 'utf8')
  const topics = storedTopics().map((topic) => topicOf(page, topic))
  const sum = (key: 'total' | 'equal' | 'explained' | 'unexplained') =>
    topics.reduce((total, topic) => total + topic[key], 0)
  const summary: Summary = {
    transports,
    topics: topics.toSorted((a, b) => (a.topic < b.topic ? -1 : 1)),
    total: sum('total'),
    equal: sum('equal'),
    explained: sum('explained'),
    unexplained: sum('unexplained'),
    stale: [],
  }
  const isAllEqual = summary.equal === summary.total
  expect(
    upTo(markdownReport(summary), isAllEqual),
    'docs/internals/conformance.md is not current: npm run conformance',
  ).toBe(upTo(page, isAllEqual))
})

/** Leaves out the list of differences at the end, which each replay checks. */
function upTo(page: string, isAllEqual: boolean): string {
  return isAllEqual ? page : page.slice(0, page.indexOf('## Explained differences'))
}

/** The summary of a topic from the page, with its recorded answers. */
function topicOf(page: string, topic: string): TopicSummary {
  const row = page.split('\n').find((line) => line.startsWith(`| ${topic} |`))
  expect(row, `docs/internals/conformance.md has no topic ${topic}`).toBeDefined()
  const [total = 0, equal = 0, http = 0, inProcess = 0, explained = 0, unexplained = 0] = (row ?? '')
    .split('|')
    .slice(2, 8)
    .map(Number)
  const records = loadTopic(topic).flatMap(
    ({ records: raw }) => toRecords(raw.map((record) => ({ file: topic, record }))).records,
  )
  return {
    topic,
    total,
    equal,
    explained,
    unexplained,
    equalBy: { HTTP: http, 'in process': inProcess },
    records: records.map((golden) => ({ golden, differences: [], reason: undefined, open: undefined })),
  }
}
