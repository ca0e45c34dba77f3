/**
 * `npm run -s hostile [-- --baseline COMMIT] [--only TEXT]`: sends hostile inputs and the largest bodies to a server in
 * a process of its own, one for each input, and prints what they cost: CPU time, the longest turn of its event loop
 * (CPU time of the main thread), and the peak of its memory. Ends with code 1 if a turn takes more than 200 ms, or the
 * memory reaches 300 MiB. `--baseline` measures the build of another commit beside it; see bench/baseline/tree.ts.
 */
import { parseArgs } from 'node:util'
import { ask, path } from '../child.ts'
import { peakMemory, processorTime } from '../process-figures.ts'
import { startServer } from '../server-process.ts'
import { baselineTree, currentTree, type Tree } from '../baseline/tree.ts'
import { HostileClient } from './client.ts'
import { reviewInputs, type Input } from './inputs.ts'
import { largestInputs } from './largest.ts'

const usage = `npm run -s hostile [-- OPTIONS]
Sends hostile inputs and the largest bodies to a server, and prints CPU time, the longest turn and the peak of memory.

  --baseline COMMIT   also measure the build of another commit
  --only TEXT         only inputs whose names contain this text
  --help`

const maxTurnMs = 200
const maxMiB = 300

interface Figures {
  readonly status: string
  readonly kilobytes: number
  readonly cpuMs: number
  readonly turnMs: number
  readonly peakMiB: number
}

async function measure(input: Input, size: number, tree: Tree): Promise<Figures> {
  const server = await startServer(tree.side, input.options ?? [], tree.root, path('hostile/probe.mjs'))
  const client = new HostileClient(server.target)
  try {
    await input.prepare?.(client, size)
    for (let i = 0; i < 3; i++) await input.run(client, input.small, `small-${i}`)
    // The next turn is that of the input.
    await ask(server.child, {})
    client.bodyBytes = 0
    const before = processorTime(server.pid)
    const { status } = await input.run(client, size, 'large')
    const kilobytes = client.bodyBytes / 1000
    const longest = status === 0 ? Number.NaN : (await ask<{ longestMs: number }>(server.child, {})).longestMs
    const cpuMs = processorTime(server.pid) - before
    const shown = status === 0 ? 'no response in 30 s' : String(status)
    const turnMs = status === 0 ? cpuMs : longest
    return { status: shown, kilobytes, cpuMs, turnMs, peakMiB: peakMemory([server.pid]) ?? Number.NaN }
  } finally {
    client.close()
    server.child.kill('SIGKILL')
    await server.stop()
  }
}

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const cells = ({ status, cpuMs, turnMs, peakMiB }: Figures): string =>
  `${status} | ${whole(cpuMs)} | ${whole(turnMs)} | ${whole(peakMiB)}`

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { baseline: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean' } },
    strict: true,
  })
  if (values.help === true) {
    console.log(usage)
    return 0
  }
  const say = (text: string): void => void process.stderr.write(`${text}\n`)
  const old = values.baseline === undefined ? undefined : baselineTree(values.baseline, say)
  const four = 'response | CPU ms | longest turn ms | peak MiB'
  const before = old === undefined ? '' : ` before: ${four} |`
  console.log(`| input | size | body KB |${before} ${four} |`)
  console.log(`|---|--:|--:|${old === undefined ? '' : '---|--:|--:|--:|'}---|--:|--:|--:|`)
  const problems: string[] = []
  for (const input of [...reviewInputs, ...largestInputs]) {
    if (!input.name.includes(values.only ?? '')) continue
    for (const size of input.sizes) {
      const earlier = old === undefined ? '' : ` ${cells(await measure(input, size, old))} |`
      const figures = await measure(input, size, currentTree)
      const amount = `${size.toLocaleString('en')} ${input.unit}`
      console.log(`| ${input.name} | ${amount} | ${whole(figures.kilobytes)} |${earlier} ${cells(figures)} |`)
      if (figures.turnMs > maxTurnMs) problems.push(`${input.name}, ${amount}: a turn of ${whole(figures.turnMs)} ms`)
      if (figures.peakMiB >= maxMiB) problems.push(`${input.name}, ${amount}: ${whole(figures.peakMiB)} MiB`)
    }
  }
  for (const problem of problems) console.log(`OVER THE LIMIT: ${problem}`)
  if (problems.length === 0) console.log(`hostile: all below ${maxTurnMs} ms without yielding and ${maxMiB} MiB`)
  return problems.length === 0 ? 0 : 1
}

process.exitCode = await main()
