/** `coxswain explore --spec`: operations on every field of a spec, shared over processes. */
import { writeFile } from 'node:fs/promises'
import type { SpecReport } from '../testing/index.ts'
import { UsageError, type Io, type Values } from './command.ts'
import { loadSpecExploration, type SpecExploration } from './explore-module.ts'
import { exploreApart, ownPart, sendProgress, sendReport } from './explore-processes.ts'
import { ExploreProgress } from './explore-progress.ts'

/** Options that are about faults and scenarios. */
const others = ['steps', 'pairs', 'random', 'seconds', 'stop-at-first', 'junit', 'save-replay', 'replay']

export interface SpecLimits {
  readonly atMost?: number | undefined
  readonly seed?: number | undefined
}

export async function runExploreSpec(
  values: Values,
  io: Io,
  [path, scenario]: readonly [string, string | undefined],
  processes: number,
  { atMost, seed }: SpecLimits,
): Promise<number> {
  const foreign = others.find((name) => values[name] !== undefined && values[name] !== false)
  if (foreign !== undefined) throw new UsageError(`--spec cannot be combined with --${foreign}`)
  const loaded = await loadSpecExploration(path, scenario)
  const { only } = values
  const options = {
    ...loaded.options,
    ...(typeof only === 'string' ? { only } : {}),
    ...(atMost === undefined ? {} : { atMost }),
    ...(seed === undefined ? {} : { seed }),
  }
  const { testing } = loaded
  const part = ownPart()
  if (part !== undefined) {
    await sendReport(await testing.exploreSpec({ ...options, part, onProgress: sendProgress }))
    return 0
  }
  const report = await explored({ testing, options }, processes, io)
  const { json, html } = values
  if (typeof json === 'string' && json !== '-') await writeFile(json, asJson(report))
  if (typeof html === 'string') await writeFile(html, testing.specHtml(report))
  if (json === '-') io.out(asJson(report).trimEnd())
  else {
    io.out(report.text)
    io.out(testing.specSummary(report))
  }
  return report.problems.length === 0 && report.operations.every(({ outcome }) => outcome !== 'failed') ? 0 : 1
}

async function explored({ testing, options }: SpecExploration, processes: number, io: Io): Promise<SpecReport> {
  const progress = new ExploreProgress(io, Date.now, { what: 'operations', first: 'creating the sample' })
  const onProgress = (done: number, of: number): void => progress.show(done, of)
  const stopped = io.stopped.then(() => {
    throw new Error('stopped')
  })
  try {
    const running =
      processes === 1
        ? testing.exploreSpec({ ...options, onProgress })
        : exploreApart<SpecReport>(processes, onProgress, io.stopped).then((reports) =>
            testing.joinSpecReports(reports, options.noEffect),
          )
    return await Promise.race([running, stopped])
  } finally {
    progress.end()
  }
}

/** Without its text, which follows from the rest. */
function asJson(report: SpecReport): string {
  return `${JSON.stringify({ ...report, text: undefined }, null, 2)}\n`
}
