/** Sends the recorded requests in order and compares the responses. */
import type { Json } from '../../src/api/json.ts'
import { compareAnswer, compareHead, liveValue } from './answer.ts'
import { compareBodies } from './compare.ts'
import type { Comparison, Difference } from './compare.ts'
import type { Golden, Recording } from './golden.ts'
import { Learned } from './learned.ts'
import type { Answer, LiveRequest, Stream, Target } from './target.ts'

export interface Result {
  readonly golden: Golden
  readonly differences: readonly Difference[]
  readonly request: LiveRequest
  readonly answer: LiveAnswer
}

export interface LiveAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Parsed if it is JSON; the list of events for a watch. */
  readonly body: Json
}

export interface ReplayOptions {
  /** Stop after this record. */
  readonly until?: { readonly file: string; readonly n: number }
  /** How long a remote server may take to reach the recorded state, in milliseconds. Default 5,000. */
  readonly patience?: number
  /** Awaited before each record, when the server's clock has its time, for other activity in the cluster. */
  readonly before?: (golden: Golden) => Promise<void>
}

export async function replay(target: Target, recording: Recording, options: ReplayOptions = {}): Promise<Result[]> {
  const session = new Session(target, recording, options.patience ?? 5_000)
  const results: Result[] = []
  for (const golden of recording.records) {
    session.turnClock(golden)
    await options.before?.(golden)
    const result = await session.step(golden)
    if (golden.setup === undefined) results.push(result)
    if (golden.file === options.until?.file && golden.n === options.until.n) break
  }
  return results
}

/** In process there is no connection to upgrade. The events are compared by watches without an upgrade. */
const notSent: LiveAnswer = { status: 0, headers: {}, body: null }

/** The pause before a retry, in milliseconds. Only remote servers are retried. */
const pause = 100
/** Idle turns to wait for expected events; in this process events need one or two. */
const eventTurns = 40
/** Idle turns in which no further events may arrive. */
const quietTurns = 3
/** The server's clock advances by this many milliseconds in each turn of a request that takes time. */
const tick = 250
/** The maximum of turns of a request: 20 s of the server's time, or of real time on a remote server. */
const ticks = 80
const remoteTicks = 400

class Session {
  readonly #target: Target
  readonly #recording: Recording
  readonly #patience: number
  readonly #learned = new Learned()

  constructor(target: Target, recording: Recording, patience: number) {
    this.#target = target
    this.#recording = recording
    this.#patience = patience
  }

  get #ticks(): number {
    return this.#target.remote ? remoteTicks : ticks
  }

  turnClock(golden: Golden): void {
    const now = this.#target.now()
    if (now !== undefined && now < golden.time) this.#target.passTime(golden.time - now)
  }

  async step(golden: Golden): Promise<Result> {
    const attempts = this.#target.remote ? Math.ceil(this.#patience / pause) : 1
    for (let attempt = 1; ; attempt++) {
      const back = this.#learned.checkpoint()
      const result = await this.#try(golden)
      if (result.differences.length === 0 || attempt >= attempts || !repeatable(golden, result)) return result
      back()
      await this.#target.idle()
    }
  }

  async #try(golden: Golden): Promise<Result> {
    const request = this.#learned.request(golden.request)
    if (!this.#target.wire && 'upgrade' in request.headers) return { golden, request, differences: [], answer: notSent }
    const comparison: Comparison = {
      learned: this.#learned,
      asked: `${golden.request.path}\n${JSON.stringify(golden.request.body ?? null)}`,
      from: this.#recording.from,
      to: this.#recording.to,
      anyManagerOrder: this.#target.remote,
    }
    try {
      return golden.watch === undefined
        ? await this.#exchange(golden, request, comparison)
        : await this.#watch(golden, request, comparison)
    } catch (error) {
      const got = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
      const differences = [{ path: '(answer)', expected: String(golden.status), got }]
      return { golden, request, differences, answer: { status: 0, headers: {}, body: got } }
    }
  }

  async #exchange(golden: Golden, request: LiveRequest, comparison: Comparison): Promise<Result> {
    const pending = this.#target.send(request)
    const answer = takesTime(golden) ? await this.#passTimeUntil(pending) : await pending
    const body = liveValue(answer, false)
    const differences = golden.setup === undefined ? compareAnswer(golden, answer, this.#target.wire, comparison) : []
    return { golden, request, differences, answer: { status: answer.status, headers: answer.headers, body } }
  }

  async #watch(golden: Golden, request: LiveRequest, comparison: Comparison): Promise<Result> {
    const expected = golden.answer as Json[]
    const stream = await this.#target.watch(request)
    let ended: 'client' | 'server'
    try {
      await this.#observe(stream, expected.length, golden)
      ended = stream.ended ? 'server' : 'client'
    } finally {
      stream.stop()
    }
    const differences = compareHead(golden, stream, this.#target.wire, comparison)
    differences.push(...compareBodies(expected, [...stream.events], comparison))
    if (golden.watch !== undefined && ended !== golden.watch.ended) {
      differences.push({ path: '(ended by)', expected: golden.watch.ended, got: ended })
    }
    if (stream.rest !== (golden.watch?.rest ?? '')) {
      differences.push({
        path: '(rest)',
        expected: JSON.stringify(golden.watch?.rest),
        got: JSON.stringify(stream.rest),
      })
    }
    const body = [...stream.events]
    return { golden, request, differences, answer: { status: stream.status, headers: stream.headers, body } }
  }

  /** Waits for the recorded number of events, then for the end, or for some turns without further events. */
  async #observe(stream: Stream, count: number, golden: Golden): Promise<void> {
    for (let turn = 0; turn < eventTurns && stream.events.length < count && !stream.ended; turn++) {
      await this.#target.idle()
    }
    if (golden.watch?.ended === 'server') {
      for (let turn = 0; turn < this.#ticks && !stream.ended; turn++) {
        await this.#target.idle()
        if (takesTime(golden)) this.#target.passTime(tick)
      }
    } else {
      for (let turn = 0; turn < quietTurns && !stream.ended; turn++) await this.#target.idle()
    }
  }

  async #passTimeUntil(pending: Promise<Answer>): Promise<Answer> {
    pending.catch(() => {
      // The race below reports the error, unless it has timed out.
    })
    for (let turn = 0; turn < this.#ticks; turn++) {
      const answer = await Promise.race([pending, this.#target.idle()])
      if (answer !== undefined) return answer
      this.#target.passTime(tick)
    }
    throw new Error('no answer in time')
  }
}

/** Responses that the server gave only after some seconds. */
function takesTime(golden: Golden): boolean {
  return golden.status === 504 || (golden.watch !== undefined && golden.request.path.includes('timeoutSeconds='))
}

/** Whether the request can be repeated safely, to reach the recorded state. */
function repeatable(golden: Golden, result: Result): boolean {
  if (golden.watch !== undefined || golden.status === 504) return false
  if (golden.request.method === 'GET') return true
  // A new custom resource is not served at once.
  const missing =
    result.answer.status === 404 && result.answer.headers['content-type']?.startsWith('text/plain') === true
  return missing && golden.status !== 404
}
