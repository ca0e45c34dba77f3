/** `npm run -s explore`: every fault at every call of the operator, over the whole life of an app, on all cores. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { explore, joinReports, type ExploreReport } from 'coxswain/testing'
import { exploration, wholeLife } from './exploration.ts'

const usage = `npm run -s explore [-- OPTIONS]
  --steps A,B       these steps only: ${wholeLife.map(({ name }) => name).join(', ')}
  --only ID         one run alone, as a report names it: create/3/crash-after
  --at-most N       so many runs, spread evenly over all
  --processes N     how many at a time (${availableParallelism()})
  --help`

const { values } = parseArgs({
  options: {
    steps: { type: 'string' },
    only: { type: 'string' },
    'at-most': { type: 'string' },
    processes: { type: 'string' },
    part: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

async function run(index: number, of: number): Promise<ExploreReport> {
  const names = values.steps?.split(',')
  const unknown = names?.find((name) => !wholeLife.some((step) => step.name === name))
  if (unknown !== undefined) throw new Error(`--steps: there is no step called ${unknown}`)
  const steps = names === undefined ? wholeLife : wholeLife.filter(({ name }) => names.includes(name))
  const atMost = values['at-most']
  return explore({
    ...exploration(steps),
    only: values.only,
    part: { index, of },
    atMost: atMost === undefined ? undefined : Number(atMost),
    onProgress: (done, all) => {
      if (index === 0 && done % 50 === 0) process.stderr.write(`${done * of} of ${all * of}\n`)
    },
  })
}

/** The same program once more, for its part of the runs. */
async function runApart(index: number, of: number): Promise<ExploreReport> {
  const runner = fileURLToPath(new URL('../../../scripts/run-ts.mjs', import.meta.url))
  const child = fork(runner, [fileURLToPath(import.meta.url), ...process.argv.slice(2), '--part', `${index}/${of}`], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [report] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`a process ended with code ${String(code)}`))),
  ])) as [ExploreReport]
  return report
}

if (values.help) {
  process.stdout.write(`${usage}\n`)
} else if (values.part !== undefined) {
  const [index = 0, of = 1] = values.part.split('/').map(Number)
  process.send?.(await run(index, of))
  process.disconnect()
} else {
  const of = values.only === undefined ? Number(values.processes ?? availableParallelism()) : 1
  const reports =
    of === 1 ? [await run(0, 1)] : await Promise.all(Array.from({ length: of }, (_, index) => runApart(index, of)))
  const { text, failures } = joinReports(reports)
  process.stdout.write(`${text}\n`)
  process.exitCode = failures.length === 0 ? 0 : 1
}
