/** `npm run scenarios`. The last line is the verdict. */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { clusterSite } from './cluster-site.ts'
import { differencesOf, explanationOf, textOf, type Way } from './compare.ts'
import { embeddedSite } from './embedded-site.ts'
import { page, pageUrl } from './page.ts'
import { load, removeOthers, store } from './recorded.ts'
import { runScenario } from './run.ts'
import type { Outcome, Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import { runAll } from './schedule.ts'

export const usage = `npm run -s scenarios -- [OPTIONS]
Runs scenarios on a real cluster (kube-apiserver, kube-controller-manager, kube-scheduler, kwok) and on ours, and
compares the outcomes.

  --only TEXT     only scenarios whose names start with this text; several are separated by commas
  --ours-on-real  also run our controllers on the real kube-apiserver, instead of kube-controller-manager
  --update        store the real cluster's outcomes, with which npm test compares ours
  --stored        compare with the stored outcomes, without a real cluster
  --attempts N    how often a scenario that differs runs on the real cluster before it fails (default 3)
  --show          print differences in full, and our outcome
  --help

COXSWAIN_STORE selects the store of our control planes: memory (default), or round-trip, which serializes and parses
every object.`

interface Options {
  readonly only: string | undefined
  readonly 'ours-on-real': boolean
  readonly update: boolean
  readonly stored: boolean
  readonly show: boolean
  readonly attempts: number
}

type Outcomes = ReadonlyMap<string, Outcome | Error>

async function main(options: Options): Promise<number> {
  const wanted = scenarios.filter(
    ({ name }) => options.only === undefined || options.only.split(',').some((text) => name.startsWith(text)),
  )
  if (wanted.length === 0)
    throw new TypeError(`unknown scenario; scenarios: ${scenarios.map(({ name }) => name).join(', ')}`)
  const ours = await runOurs(wanted)
  const ways: { readonly way: Way; readonly outcomes: Outcomes }[] = [{ way: 'ours', outcomes: ours }]
  const real = options.stored ? stored(wanted) : await onCluster(wanted, false, ours, options.attempts)
  if (options.update) keep(wanted, real, options.only === undefined)
  if (options['ours-on-real'])
    ways.push({ way: 'ours on real', outcomes: await onCluster(wanted, true, real, options.attempts) })
  if (options.update || options.stored) writeFileSync(pageUrl, page())
  const verdicts = wanted.map(({ name }) =>
    ways.map(({ way, outcomes }) => verdictOf(name, way, real.get(name), outcomes.get(name), options.show)),
  )
  const all = (is: (verdict: Verdict) => boolean): number => verdicts.filter((each) => each.every(is)).length
  const equal = all((verdict) => verdict === 'equal')
  const known = all((verdict) => verdict !== 'unexplained') - equal
  const unexplained = wanted.length - equal - known
  console.log(`scenarios: ${equal} of ${wanted.length} equal, ${known} explained, ${unexplained} unexplained`)
  return unexplained > 0 ? 1 : 0
}

function stored(wanted: readonly Scenario[]): Outcomes {
  return new Map(
    wanted.map(({ name }): [string, Outcome | Error] => {
      try {
        return [name, load(name)]
      } catch (error) {
        return [name, asError(error)]
      }
    }),
  )
}

async function runOurs(wanted: readonly Scenario[]): Promise<Outcomes> {
  const outcomes = new Map<string, Outcome | Error>()
  for (const scenario of wanted) {
    const site = await embeddedSite(scenario)
    outcomes.set(scenario.name, await runScenario(site, scenario).catch(asError))
    await site.stop()
  }
  return outcomes
}

/**
 * Runs the scenarios on one cluster, and repeats those whose outcome differs from the expected one: a real cluster is
 * not deterministic.
 */
async function onCluster(
  wanted: readonly Scenario[],
  ourControllers: boolean,
  expected: Outcomes,
  attempts: number,
): Promise<Outcomes> {
  const site = await clusterSite({ ourControllers })
  try {
    const outcomes = new Map<string, Outcome | Error>()
    let left = wanted
    for (let attempt = 1; attempt <= attempts && left.length > 0; attempt++) {
      console.error(`${left.length} scenarios on the real server${ourControllers ? ' with our controllers' : ''}`)
      for (const [name, outcome] of await runAll(site, left, `s${attempt}`)) outcomes.set(name, outcome)
      left = left.filter(({ name }) => JSON.stringify(outcomes.get(name)) !== JSON.stringify(expected.get(name)))
      const [real, ours] = ourControllers ? [expected, outcomes] : [outcomes, expected]
      for (const { name } of left) console.error(`  ${name}: ${firstDifference(real.get(name), ours.get(name))}`)
    }
    return outcomes
  } finally {
    await site.stop()
  }
}

/** Why a scenario is repeated. If one needs many attempts, it or a controller has a race. */
function firstDifference(real: Outcome | Error | undefined, ours: Outcome | Error | undefined): string {
  if (real === undefined || ours === undefined || real instanceof Error || ours instanceof Error)
    return `real ${textOfRun(real)}; ours ${textOfRun(ours)}`
  const differences = differencesOf(real, ours)
  const [first] = differences
  if (first === undefined) return 'in another order'
  return `${textOf(first).slice(0, longestLine)}${differences.length > 1 ? `, and ${differences.length - 1} more` : ''}`
}

function keep(wanted: readonly Scenario[], real: Outcomes, isAll: boolean): void {
  for (const { name } of wanted) {
    const outcome = real.get(name)
    if (outcome !== undefined && !(outcome instanceof Error)) store(name, outcome)
  }
  if (isAll) removeOthers(scenarios.map(({ name }) => name))
}

/** The maximum of printed differences per scenario, without `--show`. */
const mostLines = 10
const longestLine = 500

type Verdict = 'equal' | 'explained' | 'unexplained'

function verdictOf(
  name: string,
  way: Way,
  real: Outcome | Error | undefined,
  outcome: Outcome | Error | undefined,
  show: boolean,
): Verdict {
  if (real === undefined || outcome === undefined || real instanceof Error || outcome instanceof Error) {
    console.log(`== ${name} (${way}): real ${textOfRun(real)}; ${way} ${textOfRun(outcome)}`)
    return 'unexplained'
  }
  const differences = differencesOf(real, outcome)
  const unknown = differences.filter((each) => explanationOf(name, each, way) === undefined)
  if (unknown.length > 0) {
    console.log(`== ${name} (${way})`)
    for (const each of unknown.slice(0, show ? unknown.length : mostLines))
      console.log(`   ${textOf(each).slice(0, show ? undefined : longestLine)}`)
    if (!show && unknown.length > mostLines) console.log(`   and ${unknown.length - mostLines} more`)
    if (show) console.log(JSON.stringify(outcome, null, 2))
  }
  return unknown.length > 0 ? 'unexplained' : differences.length > 0 ? 'explained' : 'equal'
}

function textOfRun(outcome: Outcome | Error | undefined): string {
  return outcome instanceof Error ? `failed: ${outcome.message}` : outcome === undefined ? 'did not run' : 'done'
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

try {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      'ours-on-real': { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      stored: { type: 'boolean', default: false },
      show: { type: 'boolean', default: false },
      attempts: { type: 'string', default: '3' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) console.log(usage)
  else process.exitCode = await main({ ...values, only: values.only, attempts: Number(values.attempts) })
} catch (error) {
  console.error(error instanceof TypeError ? `${error.message}\n\n${usage}` : error)
  process.exitCode = 2
}
