/** The command behind `npm run conformance`; see `options.ts`. */
import { writeFileSync } from 'node:fs'
import { loadRecording } from './golden.ts'
import { httpTarget } from './http-target.ts'
import { parseOptions, usage } from './options.ts'
import type { Options } from './options.ts'
import { markdownReport, textReport, verdict } from './report.ts'
import { baselineUrl, embeddedTargets, pageUrl, readBaseline, runAll } from './run.ts'
import { failures, summarise } from './summary.ts'
import type { Run, Summary } from './summary.ts'

async function main(options: Options): Promise<number> {
  const recording = loadRecording()
  const { url, file, record } = options
  const targets =
    url === undefined
      ? embeddedTargets(recording, options.http, options.inProcess)
      : [async () => httpTarget({ url, tokens: options.tokens })]
  const single = file !== undefined && record !== undefined
  const runs = await runAll(recording, targets, {
    patience: options.wait,
    ...(single ? { until: { file, n: record } } : {}),
  })
  if (single) return showExchange(runs, file, record)

  const summary = summarise(recording, runs)
  const complete = url === undefined && options.http && options.inProcess
  if (complete) writeFileSync(pageUrl, markdownReport(summary))
  if (complete && options.update) {
    const counts = Object.fromEntries(summary.files.map((part) => [part.file, part.equal]))
    writeFileSync(baselineUrl, `${JSON.stringify(counts, null, 2)}\n`)
  }
  const failed = failures(summary, complete ? readBaseline() : undefined)
  if (options.json) {
    console.log(JSON.stringify(jsonReport(summary, failed), null, 2))
  } else {
    console.log(textReport(summary, { all: options.all, ...(file === undefined ? {} : { file }) }))
    for (const text of failed) console.log(`failed: ${text}`)
    console.log(verdict(summary))
  }
  return failed.length > 0 ? 1 : 0
}

function showExchange(runs: readonly Run[], file: string, n: number): number {
  let differs = false
  for (const { transport, results } of runs) {
    const result = results.findLast(({ golden }) => golden.file === file && golden.n === n)
    if (result === undefined) {
      console.error(`there is no record ${file}/${n}`)
      return 2
    }
    const { golden, request, answer, differences } = result
    const print = (title: string, value: unknown): void => console.log(`${title}: ${JSON.stringify(value, null, 2)}`)
    console.log(`== ${file}/${n}, ${transport}`)
    print('request', request)
    print('recorded answer', { status: golden.status, headers: golden.headers, body: golden.answer })
    print('answer', answer)
    print('differences', differences)
    differs ||= differences.length > 0
  }
  return differs ? 1 : 0
}

function jsonReport(summary: Summary, failed: readonly string[]): unknown {
  return {
    ...summary,
    failed,
    files: summary.files.map(({ records, ...file }) => ({
      ...file,
      open: records
        .filter(({ differences }) => differences.length > 0)
        .map(({ golden: { n, request }, differences, reason }) => {
          return { n, method: request.method, path: request.path, reason, differences }
        }),
    })),
  }
}

try {
  const options = parseOptions(process.argv.slice(2))
  if (options.help) console.log(usage)
  else process.exitCode = await main(options)
} catch (error) {
  console.error(error instanceof TypeError ? `${error.message}\n\n${usage}` : error)
  process.exitCode = 2
}
