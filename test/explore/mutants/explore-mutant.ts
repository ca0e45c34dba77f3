/** The child process of `npm run -s explore:mutants`: explores the operator, which a loader hook has changed. */
import { explore, type ExploreStep, type FaultName } from 'coxswain/testing'
import { exploration, parts, underLease, wholeLife } from '../../../operators/webapp/testing/exploration.ts'

/** What the parent process is told. */
export type Message =
  | { readonly type: 'loaded' }
  | { readonly type: 'progress'; readonly schedules: number }
  | { readonly type: 'killed'; readonly by: string; readonly problem: string }
  | { readonly type: 'survived'; readonly schedules: number }

const named = (...names: readonly string[]): readonly ExploreStep[] =>
  names.map((name) => wholeLife.find((step) => step.name === name) as ExploreStep)

interface Life {
  readonly steps: readonly ExploreStep[]
  readonly faults?: readonly FaultName[]
  /** Leader election, as in production. */
  readonly hasLease?: boolean
  readonly atMost?: number
}

const shortLife = [...parts.creation, ...named('image', 'service deleted'), ...parts.deletion]
const failingLife = [
  ...parts.creation,
  ...named('progress deadline', 'config that is missing', 'config'),
  ...parts.failures,
  ...parts.deletion,
]

const leaseFaults: readonly FaultName[] = ['second-instance', 'hand-over', 'pause', 'lease-reassigned']

/** Most mistakes show in a few schedules of a short life, or without any fault: those come first. */
const lives: readonly Life[] = [
  { steps: shortLife, atMost: 30 },
  { steps: parts.creation, faults: ['pause'], hasLease: true },
  { steps: failingLife, faults: [] },
  { steps: wholeLife, faults: [] },
  { steps: failingLife, atMost: 60 },
  { steps: shortLife },
  { steps: failingLife },
  { steps: shortLife, faults: leaseFaults, hasLease: true },
  { steps: wholeLife },
]

const tell = (message: Message): void => void process.send?.(message)

async function findFailure(): Promise<Message> {
  let schedules = 0
  for (const { steps, hasLease = false, ...life } of lives) {
    const { failures, tried } = await explore({
      ...(hasLease ? underLease(exploration(steps)) : exploration(steps)),
      ...life,
      stopAtFirst: true,
      shrink: 0,
      onProgress: (done) => tell({ type: 'progress', schedules: schedules + done }),
    }).catch((error: unknown) => ({ failures: [{ id: 'the run itself', problems: [String(error)] }], tried: 0 }))
    schedules += tried
    tell({ type: 'progress', schedules })
    const [first] = failures
    if (first !== undefined) return { type: 'killed', by: first.id, problem: first.problems[0] ?? '' }
  }
  return { type: 'survived', schedules }
}

tell({ type: 'loaded' })
const found = await findFailure()
process.send?.(found, () => process.exit())
