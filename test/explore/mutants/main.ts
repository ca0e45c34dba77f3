/** `npm run -s explore:mutants`: which of the mistakes of the corpus does the explorer find? */
import { parseArgs } from 'node:util'
import { mutants, type Mutant } from './corpus/index.ts'
import { runMutant, type MutantResult } from './run-mutant.ts'
import { survivors } from './survivors.ts'

const usage = `npm run -s explore:mutants [-- OPTIONS]
Explores the WebApp operator with one mistake at a time, and says which are found. The last line is
"mutants: N of M killed". The exit code is 1 if a mutant survives that survivors.ts does not explain.
  --only ID,ID      these mutants; a part of an id selects all that contain it
  --seconds N       the time for each mutant (60)
  --list            the mutants, without a run
  --help`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

function chosen(): readonly Mutant[] {
  const parts = values.only?.split(',')
  const found = parts === undefined ? mutants : mutants.filter(({ id }) => parts.some((part) => id.includes(part)))
  if (found.length === 0) throw new Error(`--only: no mutant is called ${values.only ?? ''}`)
  return found
}

function line({ id }: Mutant, { outcome, schedules, detail, tookMs }: MutantResult): string {
  const needs = survivors.find((each) => each.id === id)?.needs
  const why = outcome === 'killed' || needs === undefined ? detail : `needs ${needs}`
  const text = why.replaceAll(/\s+/g, ' ').slice(0, 240)
  return `${outcome.padEnd(8)}  ${id}  ${schedules} schedules in ${(tookMs / 1000).toFixed(1)} s  ${text}`
}

async function run(): Promise<number> {
  const all = chosen()
  const limitMs = Number(values.seconds) * 1000
  let killed = 0
  const unexplained: string[] = []
  for (const [index, mutant] of all.entries()) {
    const result = await runMutant(mutant, limitMs)
    const isExplained = survivors.some(({ id }) => id === mutant.id)
    if (result.outcome === 'killed') killed++
    else if (!isExplained) unexplained.push(mutant.id)
    process.stdout.write(`${index + 1}/${all.length}  ${line(mutant, result)}\n`)
    if (result.outcome === 'killed' && isExplained)
      process.stdout.write(`  ${mutant.id} is found: remove it from survivors.ts\n`)
  }
  if (unexplained.length > 0) process.stdout.write(`not explained: ${unexplained.join(', ')}\n`)
  process.stdout.write(`mutants: ${killed} of ${all.length} killed\n`)
  return unexplained.length === 0 ? 0 : 1
}

if (values.help) {
  process.stdout.write(`${usage}\n`)
} else if (values.list) {
  for (const { id, class: of, file, why } of mutants) process.stdout.write(`${id}  ${of}  ${file}\n  ${why}\n`)
} else {
  process.exitCode = await run()
}
