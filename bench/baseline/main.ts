/**
 * `npm run bench -- --baseline COMMIT`: compares this tree with the tree of another commit, in alternating rounds of
 * one run. The load comes from this tree's benchmarks and runs against the builds of both (entry-points.ts finds the
 * exported names). The comparison uses processor time, not elapsed time: a busy machine affects it far less.
 */
import { compareCluster } from './cluster-part.ts'
import type { Comparison } from './comparison.ts'
import { parseOptions, usage, type Options, type PartName } from './options.ts'
import { comparisonTable, notes } from './report.ts'
import { compareRuntime } from './runtime-part.ts'
import { compareHttp, compareInProcess } from './server-part.ts'
import { baselineTree, currentTree, type Trees } from './tree.ts'
import { compareWebapp, webappSite } from './webapp-part.ts'

const say = (text: string): void => void process.stderr.write(`${text}\n`)

type Compare = (trees: Trees, options: Options) => Promise<Comparison>

/** The comparisons of a part, by title, in the order of the output. */
function comparisons(part: PartName, options: Options): ReadonlyMap<string, Compare> {
  switch (part) {
    case 'server': {
      const all: readonly (readonly [string, string, Compare])[] = [
        ['http', 'server, HTTP with TLS', compareHttp],
        ['in-process', 'server, in process', compareInProcess],
      ]
      return new Map(
        all
          .filter(([transport]) => options.transports.has(transport))
          .map(([, title, compare]) => [title, compare] as const),
      )
    }
    case 'runtime':
      return new Map([['runtime', compareRuntime]])
    case 'cluster':
      return new Map([['cluster', compareCluster]])
    case 'webapp': {
      const server = webappSite(options) === 'real' ? 'a real kube-apiserver' : 'our server'
      return new Map([[`webapp, ${options.apps} apps on ${server}`, (trees) => compareWebapp(trees, options, say)]])
    }
  }
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2))
  if (options === undefined) {
    console.log(usage)
    return 0
  }
  const trees = { baseline: baselineTree(options.baseline, say), current: currentTree }
  const worse: string[] = []
  for (const part of options.parts) {
    for (const [title, compare] of comparisons(part, options)) {
      say(`${title} …`)
      const { lines } = await compare(trees, options)
      if (lines.length === 0) continue
      console.log(`${comparisonTable(title, lines)}\n`)
      worse.push(...lines.filter((line) => line.isWorse()).map((line) => `${title}: ${line.title}: ${line.verdict()}`))
    }
  }
  console.log(notes)
  if (worse.length === 0) return 0
  console.log(`\n${worse.join('\n')}`)
  return 1
}

// Exit on signals, so that the exit handlers end operators and servers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
try {
  process.exitCode = await main()
} catch (error) {
  say(`bench: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 2
}
