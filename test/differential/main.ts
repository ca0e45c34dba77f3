/** `npm run differential` and `npm run conformance`: see `options.ts`. The last line is the verdict. */
import { writeFileSync } from 'node:fs'
import { markdownReport, textReport, verdict } from '../conformance/report.ts'
import { failures, summarise } from '../conformance/summary.ts'
import type { Result } from '../conformance/replay.ts'
import type { Run } from '../conformance/summary.ts'
import type { Topic } from './case.ts'
import { embeddedTargets } from './embedded.ts'
import { loadTopic, pageUrl, removeOtherTopics, storeTopic } from './fixtures.ts'
import { parseOptions, usage } from './options.ts'
import type { Options } from './options.ts'
import { recordTopics } from './record.ts'
import type { RecordedCase } from './record.ts'
import { withReference } from './reference.ts'
import { replayTopics } from './replay-cases.ts'
import { topics } from './topics.ts'

/** Concurrent cases on the real server. */
const atOnce = 8

function chosen({ topic, case: part }: Options): Topic[] {
  const found = topics
    .filter(({ name }) => topic === undefined || name === topic || name.startsWith(`${topic}-`))
    .map((each) => ({ ...each, cases: each.cases.filter(({ name }) => part === undefined || name.includes(part)) }))
    .filter(({ cases }) => cases.length > 0)
  if (found.length > 0) return found
  throw new TypeError(`no such case; topics: ${topics.map(({ name }) => name).join(', ')}`)
}

async function main(options: Options): Promise<number> {
  const wanted = chosen(options)
  const recorded = options.stored ? wanted.map(storedCases) : await ask(options, wanted)
  if (options.update) keep(options, wanted, recorded)
  let runs = await replayTopics(recorded, embeddedTargets(options.http, options.inProcess))
  if (!options.stored && !options.update && options.url === undefined) runs = await askAgain(options, wanted, runs)
  const summary = summarise(runs)
  console.log(textReport(summary))
  if (options.show) showDifferences(runs)
  const complete = options.topic === undefined && options.case === undefined && options.http && options.inProcess
  if (complete && (options.stored || options.update)) writeFileSync(pageUrl, markdownReport(summary))
  const failed = [...panics(recorded.flat()), ...failures(summary)]
  for (const text of failed) console.log(`failed: ${text}`)
  console.log(verdict(options.stored ? 'conformance' : 'differential', summary))
  return failed.length > 0 ? 1 : 0
}

/**
 * Repeats the cases that differ on a fresh real server, at most twice. A real server is not deterministic: caches lag,
 * and maps have no order. A case that is equal once does not differ.
 */
async function askAgain(options: Options, wanted: readonly Topic[], runs: Run[]): Promise<Run[]> {
  let current = runs
  for (let attempt = 0; attempt < 2; attempt++) {
    const key = ({ golden }: Result): string => `${golden.file} ${golden.case}`
    const differing = new Set(
      current.flatMap(({ results }) => results.filter(({ differences }) => differences.length > 0).map(key)),
    )
    if (differing.size === 0) return current
    const again = wanted
      .map((topic) => ({ ...topic, cases: topic.cases.filter(({ name }) => differing.has(`${topic.name} ${name}`)) }))
      .filter(({ cases }) => cases.length > 0)
    console.log(
      textReport(
        summarise(
          current.map(({ transport, results }) => ({
            transport,
            results: results.filter((result) => differing.has(key(result))),
          })),
        ),
      ),
    )
    console.log(`repeating: ${[...differing].join(', ')}`)
    const fresh = await replayTopics(await ask(options, again), embeddedTargets(options.http, options.inProcess))
    current = current.map(({ transport, results }, i) => ({
      transport,
      results: [...results.filter((result) => !differing.has(key(result))), ...(fresh[i]?.results ?? [])],
    }))
  }
  return current
}

function keep({ topic }: Options, wanted: readonly Topic[], recorded: readonly RecordedCase[][]): void {
  for (const [i, { name }] of wanted.entries()) storeTopic(name, recorded[i] ?? [])
  if (topic === undefined) removeOtherTopics(wanted.map(({ name }) => name))
}

async function ask(options: Options, wanted: readonly Topic[]): Promise<RecordedCase[][]> {
  const count = wanted.reduce((sum, { cases }) => sum + cases.length, 0)
  let done = 0
  const tell = (): void => {
    if (++done % 50 === 0) console.error(`${done} of ${count} cases`)
  }
  const recorded = new Map<Topic, RecordedCase[]>()
  for (const config of new Set(wanted.map(({ runtimeConfig = [] }) => runtimeConfig.join()))) {
    const group = wanted.filter(({ runtimeConfig = [] }) => runtimeConfig.join() === config)
    const { runtimeConfig = [] } = group[0] as Topic
    const cases = await withReference({ ...options, runtimeConfig, sockets: 3 * atOnce }, (real) =>
      recordTopics(real, group, { atOnce, prefix: options.prefix, done: tell }),
    )
    for (const [i, topic] of group.entries()) recorded.set(topic, cases[i] ?? [])
  }
  return wanted.map((topic) => recorded.get(topic) ?? [])
}

function storedCases({ name, cases }: Topic): RecordedCase[] {
  const names = new Set(cases.map((each) => each.name))
  return loadTopic(name).filter((each) => names.has(each.name))
}

/** Steps at which the real server panics must be removed from the case: they cannot be compared. */
function panics(recorded: readonly RecordedCase[]): string[] {
  return recorded.flatMap(({ topic, name, panicked }) => {
    return panicked === undefined ? [] : [`${topic}: ${name}: the real server panics at step ${panicked}; remove it`]
  })
}

function showDifferences(runs: readonly Run[]): void {
  for (const { golden, request, answer, differences } of runs[0]?.results ?? []) {
    if (differences.length === 0) continue
    console.log(`== ${golden.file}: ${String(golden.case)} (${golden.n})`)
    console.log('request', JSON.stringify(request, null, 2))
    console.log('real', golden.status, JSON.stringify(golden.answer, null, 2))
    console.log('ours', answer.status, JSON.stringify(answer.body, null, 2))
  }
}

try {
  const options = parseOptions(process.argv.slice(2))
  if (options === undefined) console.log(usage)
  else process.exitCode = await main(options)
} catch (error) {
  console.error(error instanceof TypeError ? `${error.message}\n\n${usage}` : error)
  process.exitCode = 2
}
