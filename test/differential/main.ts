/** The differential suite: see `options.ts`. Its last line is the verdict. */
import { httpTarget } from '../conformance/http-target.ts'
import { textReport } from '../conformance/report.ts'
import { embeddedTargetsAt } from '../conformance/run.ts'
import { failures, summarise } from '../conformance/summary.ts'
import type { Run } from '../conformance/summary.ts'
import type { Topic } from './case.ts'
import { storeTopic } from './fixtures.ts'
import { parseOptions, usage } from './options.ts'
import type { Options } from './options.ts'
import { recordTopics } from './record.ts'
import { replayTopics } from './replay-cases.ts'
import { topics } from './topics.ts'

/** Cases sent to the real server at a time. */
const atOnce = 8

function chosen({ topic, case: part }: Options): Topic[] {
  const found = topics
    .filter(({ name }) => topic === undefined || name === topic)
    .map(({ name, cases }) => ({ name, cases: cases.filter((each) => part === undefined || each.name.includes(part)) }))
    .filter(({ cases }) => cases.length > 0)
  if (found.length > 0) return found
  throw new TypeError(`no such case; topics: ${topics.map(({ name }) => name).join(', ')}`)
}

async function main(options: Options): Promise<number> {
  if (options.url === undefined) throw new TypeError('--url is needed')
  const wanted = chosen(options)
  const tokens = new Map([['admintoken', options.token], ['alicetoken', options.userToken]])
  const real = httpTarget({ url: options.url, tokens, sockets: 3 * atOnce })
  const recorded = await recordTopics(real, wanted, { atOnce, prefix: options.prefix }).finally(() => real.close())
  if (options.update) for (const [i, { name }] of wanted.entries()) storeTopic(name, recorded[i] ?? [])
  const runs = await replayTopics(recorded, embeddedTargetsAt(Date.now(), options.http, options.inProcess))
  const records = runs[0]?.results.map(({ golden }) => golden) ?? []
  const titles = new Map(wanted.map(({ name }) => [name, name]))
  const summary = summarise({ records, titles, from: 0, to: 0 }, runs)
  console.log(textReport(summary))
  if (options.show) showDifferences(runs)
  const failed = failures(summary, undefined)
  for (const text of failed) console.log(`failed: ${text}`)
  const { equal, total, explained, unexplained } = summary
  console.log(`differential: ${equal} of ${total} equal, ${explained} explained, ${unexplained} unexplained`)
  return failed.length > 0 ? 1 : 0
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
