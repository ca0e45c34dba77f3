/** Sends random sequences to both servers, compares the responses, and shrinks sequences that differ. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Difference } from '../../conformance/compare.ts'
import { planeInProcess } from '../../conformance/plane-target.ts'
import type { Result } from '../../conformance/replay.ts'
import type { Target } from '../../conformance/target.ts'
import type { Step } from '../case.ts'
import { recordCase } from '../record.ts'
import type { RecordedCase } from '../record.ts'
import { replayCase } from '../replay-cases.ts'
import { fuzzGroup, shapes } from './definitions.ts'
import { generate, givenBack } from './generate.ts'
import { shrink } from './shrink.ts'

export interface Finding {
  readonly seed: number
  /** The smallest sequence with the difference. Its last request has the response that differs. */
  readonly steps: readonly Step[]
  readonly differences: readonly Difference[]
  readonly expected: Result['golden']
  readonly got: Result['answer']
}

export interface FuzzOptions {
  readonly sequences: number
  readonly firstSeed: number
  readonly atOnce: number
  /** The prefix of namespace names. */
  readonly prefix: string
  /** The maximum of findings to shrink. Similar findings are shrunk once. */
  readonly shrinks: number
  readonly progress?: (done: number, differing: number) => void
  readonly found?: (finding: Finding) => void
  readonly unsteady?: (seed: number, first: Result) => void
  /** Called if the real server panics at a step; later steps are not compared. */
  readonly panicked?: (seed: number, step: Step) => void
  readonly recorded?: (recorded: RecordedCase) => void
}

export interface FuzzResult {
  readonly sequences: number
  readonly requests: number
  /** Sequences that differ every time. */
  readonly differing: number
  /** Sequences that differed once and were equal when repeated: the real server is not deterministic. */
  readonly unsteady: number
  readonly findings: readonly Finding[]
}

/** How many sequences share one server of ours, each in its own namespace. */
const sequencesPerServer = 100

export async function fuzz(real: Target, options: FuzzOptions): Promise<FuzzResult> {
  await defineShapes(real)
  const seen = new Set<string>()
  const findings: Finding[] = []
  let next = 0
  let requests = 0
  let differing = 0
  let unsteady = 0
  async function work(): Promise<void> {
    const ours = new Ours()
    for (let i = next++; i < options.sequences; i = next++) {
      const seed = options.firstSeed + i
      const { steps } = generate(seed)
      const case_ = await record(real, `${options.prefix}${seed}`, steps)
      options.recorded?.(case_)
      if (case_.panicked !== undefined) options.panicked?.(seed, steps[case_.panicked] as Step)
      const results = await ours.replay(case_)
      requests += results.length
      const different = firstDifference(results)
      if (different !== undefined && !(await repeats(real, ours, `${options.prefix}${seed}`, steps))) {
        options.unsteady?.(seed, different)
        unsteady++
      } else if (different !== undefined) {
        differing++
        const likeness = likenessOf(different)
        if (!seen.has(likeness) && seen.size < options.shrinks) {
          seen.add(likeness)
          const finding = await smallest(real, ours, seed, steps, different, options.prefix)
          findings.push(finding)
          options.found?.(finding)
        }
      }
      options.progress?.(i + 1, differing)
    }
    await ours.close()
  }
  await Promise.all(Array.from({ length: options.atOnce }, work))
  return { sequences: options.sequences, requests, differing, unsteady, findings }
}

function firstDifference(results: readonly Result[]): Result | undefined {
  return results.find(({ differences }) => differences.length > 0)
}

/**
 * A real server is not deterministic: caches lag, and maps have no order. A sequence that is equal once does not
 * differ.
 */
async function repeats(real: Target, ours: Ours, name: string, steps: readonly Step[]): Promise<boolean> {
  for (const again of ['second', 'third', 'fourth']) {
    if (firstDifference(await ours.replay(await record(real, `${name}-${again}`, steps))) === undefined) return false
  }
  return true
}

/** Sequences whose first difference looks the same. */
export interface Group {
  readonly names: string[]
  readonly first: Result
}

/** Replays recorded sequences. Returns the differences, most frequent first. */
export async function replayRecorded(recorded: readonly RecordedCase[]): Promise<Group[]> {
  const ours = new Ours()
  const groups = new Map<string, Group>()
  for (const each of recorded) {
    const first = firstDifference(await ours.replay(each)) && (await differenceElsewhere(each))
    if (first === undefined) continue
    const likeness = likenessOf(first)
    const group = groups.get(likeness)
    if (group === undefined) groups.set(likeness, { names: [each.name], first })
    else group.names.push(each.name)
  }
  await ours.close()
  return [...groups.values()].toSorted((a, b) => b.names.length - a.names.length)
}

/** Replays on a fresh server: random cluster IPs may otherwise repeat those of deleted Services. */
async function differenceElsewhere(recorded: RecordedCase): Promise<Result | undefined> {
  const ours = new Ours()
  const first = firstDifference(await ours.replay(recorded))
  await ours.close()
  return first
}

/** Our server in this process, which is replaced after some sequences. */
class Ours {
  #target: Target | undefined
  #sequences = 0

  async replay(recorded: RecordedCase): Promise<Result[]> {
    if (this.#target === undefined || this.#sequences++ >= sequencesPerServer) {
      await this.#target?.close()
      this.#sequences = 0
      this.#target = planeInProcess(Date.now())
      await defineShapes(this.#target)
    }
    return replayCase(this.#target, recorded)
  }

  async close(): Promise<void> {
    await this.#target?.close()
  }
}

function record(real: Target, name: string, steps: readonly Step[]): Promise<RecordedCase> {
  return recordCase(real, { name: 'fuzz', cases: [] }, { name, steps })
}

let shrinkRuns = 0

async function smallest(
  real: Target,
  ours: Ours,
  seed: number,
  steps: readonly Step[],
  found: Result,
  prefix: string,
): Promise<Finding> {
  const likeness = likenessOf(found)
  let last = found
  const given = givenBack(steps)
  const shows = async (fewer: readonly Step[]): Promise<boolean> => {
    const results = await ours.replay(await record(real, `${prefix}${seed}-${shrinkRuns++}`, [...fewer, ...given]))
    const same = results.find((result) => result.differences.length > 0 && likenessOf(result) === likeness)
    if (same !== undefined) last = same
    return same !== undefined
  }
  // Records are numbered from one. Steps after the first difference are irrelevant.
  const small = await shrink(steps.slice(0, found.golden.n), shows)
  return { seed, steps: small, differences: last.differences, expected: last.golden, got: last.answer }
}

/** Differences with the same key probably have the same cause. */
function likenessOf({ golden, differences }: Result): string {
  const plain = (text: string): string => text.replaceAll(/\d+|"[^"]*"/g, '…').slice(0, 80)
  const [first] = differences
  const type = golden.request.headers['content-type'] ?? ''
  return first === undefined
    ? ''
    : [golden.request.method, type, plain(first.path), plain(first.expected), plain(first.got)].join(' ')
}

async function defineShapes(target: Target): Promise<void> {
  for (const { definition, plural } of shapes) {
    const request = { token: 'admintoken', headers: {} }
    const made = await target.send({
      ...request,
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: definition,
    })
    // 409: an earlier run has created it.
    if (made.status !== 201 && made.status !== 409)
      throw new Error(`${target.name} rejects ${plural}: ${JSON.stringify(made.body)}`)
    if (!target.remote) continue
    for (let i = 0; i < 100; i++) {
      const { status } = await target.send({
        ...request,
        method: 'GET',
        path: `/apis/${fuzzGroup}/v1/${plural}`,
        body: undefined,
      })
      if (status === 200) break
      await sleep(100)
    }
  }
}
