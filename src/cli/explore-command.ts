/** `coxswain explore`: tries every fault at every call of an operator (docs/how-to/explore-in-ci.md). */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { ExploreOptions, ExploreReport } from '../testing/index.ts'
import { UsageError, type Command, type Io, type Values } from './command.ts'
import { loadExploration, type Exploration } from './explore-module.ts'
import { exploreApart, ownPart, sendProgress, sendReport } from './explore-processes.ts'
import { ExploreProgress } from './explore-progress.ts'
import { runExploreSpec } from './explore-spec.ts'

export const exploreCommand: Command = {
  name: 'explore',
  summary:
    'try every fault at every API call of an operator, in the scenario that a module exports ' +
    '(docs/how-to/explore-in-ci.md)',
  operands: 'MODULE [SCENARIO]',
  options: {
    spec: {
      type: 'boolean',
      help: 'instead of faults: set, change and remove every field of the spec of a kind that the module exports',
    },
    steps: { type: 'string', list: true, value: 'NAMES', help: 'these steps only (default: all)' },
    only: { type: 'string', value: 'ID', help: 'one schedule, as a report names it: create/3/crash-after' },
    faults: { type: 'string', list: true, value: 'NAMES', help: 'these faults only (docs/reference/testing.md)' },
    'at-most': {
      type: 'string',
      value: 'N',
      help: 'so many schedules with one fault, spread evenly over all (default: all)',
    },
    pairs: { type: 'string', value: 'N', help: 'so many schedules with two faults, or all (default: none)' },
    random: { type: 'string', value: 'N', help: 'so many random schedules with up to four faults (default: none)' },
    seed: { type: 'string', value: 'N', help: 'seed of the random schedules (default 1)' },
    seconds: {
      type: 'string',
      value: 'N',
      help: 'end after this time; with neither --pairs nor --random: with all pairs and random schedules until then',
    },
    'stop-at-first': { type: 'boolean', help: 'end with the first failure' },
    processes: { type: 'string', value: 'N', help: 'processes that share the schedules (default: one per core)' },
    json: { type: 'string', value: 'FILE', help: 'write the report as JSON; - is standard output, without the text' },
    junit: { type: 'string', value: 'FILE', help: 'write the report as a JUnit file, for CI systems' },
    html: { type: 'string', value: 'FILE', help: 'write the report as a page: one file, without scripts of others' },
    'save-replay': { type: 'string', value: 'FOLDER', help: 'write a replay file for each failure' },
    replay: { type: 'string', value: 'FILE', help: 'run the schedule of a replay file alone, in this process' },
    help: { type: 'boolean', help: 'show this help' },
  },
  examples: [
    'coxswain explore exploration.js',
    'coxswain explore exploration.js --html report.html --junit junit.xml',
    'coxswain explore exploration.js --seconds 60 --seed 7',
    'coxswain explore exploration.js --faults hand-over,pause',
    'coxswain explore exploration.js --stop-at-first --save-replay replays',
    'coxswain explore exploration.js --replay replays/create-3-crash-after.json',
    'coxswain explore spec.js --spec --html spec.html',
  ],
  exitCodes: { 1: 'it failed, or a schedule did: the report says which' },
  run: runExplore,
}

async function runExplore(values: Values, io: Io, [path, scenario, ...others]: readonly string[]): Promise<number> {
  if (path === undefined || others.length > 0)
    throw new UsageError('give a MODULE, and optionally a SCENARIO (see: coxswain explore --help)')
  const processes = wholeNumber(values, 'processes') ?? availableParallelism()
  const limits = chosenLimits(values)
  if (values['spec'] === true) return runExploreSpec(values, io, [path, scenario], processes, limits)
  const exploration = await loadExploration(path, scenario)
  const options = { ...chosen(exploration, values), ...limits }
  const part = ownPart()
  if (part !== undefined) {
    await sendReport(await exploration.testing.explore({ ...options, part, onProgress: sendProgress }))
    return 0
  }
  const report = await explored(exploration, options, values, processes, io)
  await write({ report, testing: exploration.testing, scenario }, values, io)
  return report.failures.length === 0 ? 0 : 1
}

async function explored(
  { testing }: Exploration,
  options: ExploreOptions,
  values: Values,
  processes: number,
  io: Io,
): Promise<ExploreReport> {
  if (typeof values['replay'] === 'string') return testing.replay(options, await replayFile(values['replay'], testing))
  const isOne = (options.only ?? process.env['COXSWAIN_EXPLORE']) !== undefined
  const progress = new ExploreProgress(io, Date.now)
  const onProgress = (done: number, of: number): void => progress.show(done, of)
  const stopped = io.stopped.then(() => {
    throw new Error('stopped')
  })
  try {
    const running =
      processes === 1 || isOne
        ? testing.explore({ ...options, onProgress })
        : exploreApart<ExploreReport>(processes, onProgress, io.stopped).then((reports) => testing.joinReports(reports))
    return await Promise.race([running, stopped])
  } finally {
    progress.end()
  }
}

async function replayFile(file: string, { parseReplay }: Exploration['testing']): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(error.code === 'ENOENT' ? `there is no file ${file}` : `cannot read ${file}: ${error.message}`)
  })
  try {
    parseReplay(text)
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`)
  }
  return text
}

interface Result {
  readonly report: ExploreReport
  readonly testing: Exploration['testing']
  readonly scenario: string | undefined
}

async function write({ report, testing, scenario }: Result, values: Values, io: Io): Promise<void> {
  const { json, junit, html, 'save-replay': folder } = values
  if (typeof json === 'string' && json !== '-') await writeFile(json, testing.reportJson(report))
  if (typeof junit === 'string') await writeFile(junit, testing.reportJunit(report))
  if (typeof html === 'string') await writeFile(html, testing.reportHtml(report))
  if (typeof folder === 'string') {
    await mkdir(folder, { recursive: true })
    for (const failure of report.failures)
      await writeFile(join(folder, replayName(failure.id)), testing.replayText(report, failure, scenario))
  }
  if (json === '-') return io.out(testing.reportJson(report).trimEnd())
  io.out(report.text)
  const perMinute = Math.round((report.tried / Math.max(1, report.took * report.processes)) * 60_000)
  io.out(`${report.tried.toLocaleString('en')} schedules, ${perMinute.toLocaleString('en')} per minute and core`)
}

/** `create-3-crash-after.json` */
function replayName(id: string): string {
  return `${id.replaceAll(/[^\w.-]+/g, '-')}.json`
}

function chosen({ options, testing }: Exploration, values: Values): ExploreOptions {
  const { steps: names, faults, only } = values
  return {
    ...options,
    ...(typeof names === 'string' ? { steps: chosenSteps(options.steps, names.split(',')) } : {}),
    ...(typeof faults === 'string' ? { faults: chosenFaults(faults, testing) } : {}),
    ...(typeof only === 'string' ? { only } : {}),
    ...(values['stop-at-first'] === true ? { stopAtFirst: true } : {}),
  }
}

function chosenSteps(steps: ExploreOptions['steps'], names: readonly string[]): ExploreOptions['steps'] {
  const wanted = names.map((name) => name.trim())
  const unknown = wanted.find((name) => !steps.some((step) => step.name === name))
  if (unknown !== undefined)
    throw new UsageError(`--steps: there is no step "${unknown}": ${steps.map(({ name }) => name).join(', ')}`)
  return steps.filter(({ name }) => wanted.includes(name))
}

function chosenFaults(text: string, { faultNames }: Exploration['testing']): ExploreOptions['faults'] {
  const wanted = text.split(',').map((name) => name.trim())
  const unknown = wanted.find((name) => !faultNames.some((each) => each === name))
  if (unknown !== undefined) throw new UsageError(`--faults: there is no fault "${unknown}": ${faultNames.join(', ')}`)
  return faultNames.filter((name) => wanted.includes(name))
}

/** How much is tried: only what the command line says, so that the rest is as the module has it. */
function chosenLimits(values: Values): Partial<ExploreOptions> {
  const seconds = wholeNumber(values, 'seconds')
  const pairs = values['pairs'] === 'all' ? 'all' : wholeNumber(values, 'pairs')
  const random = wholeNumber(values, 'random')
  const isOpen = seconds !== undefined && pairs === undefined && random === undefined
  const given = {
    atMost: wholeNumber(values, 'at-most'),
    pairs: isOpen ? ('all' as const) : pairs,
    random: isOpen ? Infinity : random,
    seed: wholeNumber(values, 'seed'),
    budgetMs: seconds === undefined ? undefined : seconds * 1000,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function wholeNumber(values: Values, name: string): number | undefined {
  const text = values[name]
  if (typeof text !== 'string') return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${name} is "${text}": give a whole number of at least 1`)
  return Number(text)
}
