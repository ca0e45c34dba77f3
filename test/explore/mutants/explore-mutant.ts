/** The child process of `npm run -s explore:mutants`: explores the operator, which a loader hook has changed. */
import { explore, exploreSpec, type ExploreOptions, type ExploreStep, type FaultName } from 'coxswain/testing'
import { exploration, underLease } from '../../../operators/webapp/testing/exploration.ts'
import { parts, wholeLife } from '../../../operators/webapp/testing/scenario.ts'
import { specExploration } from '../../../operators/webapp/testing/spec-exploration.ts'
import { smallExploration } from './small-exploration.ts'

/** What the parent process is told. */
export type Message =
  | { readonly type: 'loaded' }
  | { readonly type: 'progress'; readonly schedules: number }
  | { readonly type: 'killed'; readonly by: string; readonly problem: string }
  | { readonly type: 'survived'; readonly schedules: number }

interface Found {
  readonly tried: number
  readonly by?: string | undefined
  readonly problem?: string | undefined
}

/** What is tried, and how many runs of it there were so far. */
type Search = (onProgress: (done: number) => void) => Promise<Found>

const named = (...names: readonly string[]): readonly ExploreStep[] =>
  names.map((name) => wholeLife.find((step) => step.name === name) as ExploreStep)

const { creation, updates, drifts, failures, deletion, held, orphaned, suspended, taken } = parts
const short = [...creation, ...named('image', 'service deleted'), ...deletion]
const failing = [
  ...creation,
  ...named('progress deadline', 'config that is missing', 'config'),
  ...failures,
  ...deletion,
]
const ends = [...held, ...orphaned, ...suspended, ...taken]

const search =
  (options: ExploreOptions): Search =>
  async (onProgress) => {
    const { failures: found, tried } = await explore({
      ...options,
      stopAtFirst: true,
      shrink: 0,
      timelines: 0,
      onProgress,
    })
    const [first] = found
    return { tried, by: first?.id, problem: first?.problems[0] }
  }

const life = (steps: readonly ExploreStep[], limits: Pick<ExploreOptions, 'faults' | 'atMost'> = {}): Search =>
  search({ ...exploration(steps), ...limits })

/** With leader election, as in production. */
const lease = (steps: readonly ExploreStep[], ...faults: readonly FaultName[]): Search =>
  search({ ...underLease(exploration(steps)), faults })

const spec =
  (atMost?: number): Search =>
  async (onProgress) => {
    const { operations, problems } = await exploreSpec({ ...specExploration(), atMost, onProgress })
    const failed = operations.find(({ outcome }) => outcome === 'failed')
    return { tried: operations.length, by: failed?.id ?? 'the sample', problem: failed?.problems[0] ?? problems[0] }
  }

/** Most mistakes show in a few runs of a short life, or without any fault: those come first. */
const searches: readonly Search[] = [
  life(short, { atMost: 30 }),
  lease(creation, 'pause'),
  life(failing, { faults: [] }),
  life(ends, { faults: [] }),
  life([...creation, ...updates, ...drifts], { faults: [] }),
  search(smallExploration),
  spec(8),
  life(failing, { atMost: 60 }),
  life(ends, { atMost: 60 }),
  life(short),
  lease(short, 'second-instance', 'hand-over', 'pause', 'lease-reassigned'),
  life(failing),
  life(ends),
  life(wholeLife),
  spec(),
]

const tell = (message: Message): void => void process.send?.(message)

async function findFailure(): Promise<Message> {
  let schedules = 0
  for (const search of searches) {
    const onProgress = (done: number): void => tell({ type: 'progress', schedules: schedules + done })
    const { tried, by, problem } = await search(onProgress).catch((error: unknown): Found => {
      return { tried: 0, by: 'the run itself', problem: String(error) }
    })
    schedules += tried
    tell({ type: 'progress', schedules })
    if (problem !== undefined) return { type: 'killed', by: by ?? '', problem }
  }
  return { type: 'survived', schedules }
}

tell({ type: 'loaded' })
const found = await findFailure()
process.send?.(found, () => process.exit())
