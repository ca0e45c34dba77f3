/**
 * Notes where the program under test asks the machine for the time and for random numbers, which no simulation sets.
 *
 * Each of two lives of the program is told another time and other numbers, so that what depends on them differs between
 * them always, and not in one of many runs: the coin that `Math.random() < 0.5` tosses falls on the other side, and an
 * object is too old for `Date.now()` in one life only.
 */
import nodeCrypto from 'node:crypto'
import { replace, replaced, type AnyFunction } from './replaced-builtins.ts'
import { runningCode } from './user-code.ts'
import { isOwnCall, userFrame } from '../telemetry/user-frame.ts'

/** Times are shifted; random numbers are in one half of [0, 1). */
interface Answers {
  readonly shiftMs: number
  readonly half: 0 | 0.5
}

const dayMs = 86_400_000
/** A part of a day, so that no unit of time is the same in both lives. */
const oddMs = 5 * 3_600_000 + 17 * 60_000 + 13_457

/** One is later than any simulated time, the other one earlier. */
const lives = {
  first: { shiftMs: 4000 * dayMs + oddMs, half: 0 },
  second: { shiftMs: -12_000 * dayMs, half: 0.5 },
} as const satisfies Record<string, Answers>

const randomFunctions = ['randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID']

export class MachineSources {
  readonly #found = new Set<string>()

  /** During the last work: `crypto.randomBytes in src/operator.ts:12:5 (the controller app)`. */
  get found(): readonly string[] {
    return [...this.#found]
  }

  /** Answers as in this life, and notes who asks. */
  async within<Result>(life: keyof typeof lives, work: () => Promise<Result>): Promise<Result> {
    this.#found.clear()
    const restore = replaced(() => this.#replacements(lives[life]))
    try {
      return await work()
    } finally {
      restore()
    }
  }

  #replacements({ shiftMs, half }: Answers): readonly (() => void)[] {
    /** `changed`: the answer to the program. */
    const noted = (target: object, name: string, shown: string, changed = (answer: unknown) => answer): (() => void) =>
      replace(target, name, (original) => {
        const replacement: AnyFunction = function (...args) {
          const answer = original.apply(this, args)
          return noting(shown, replacement) ? changed(answer) : answer
        }
        return replacement
      })
    const noting = (shown: string, caller: AnyFunction): boolean => this.#note(shown, caller)
    const { crypto, performance: clock } = globalThis
    return [
      noted(Math, 'random', 'Math.random', (number) => (number as number) / 2 + half),
      noted(Date, 'now', 'Date.now', (ms) => (ms as number) + shiftMs),
      replace(globalThis, 'Date', () => shiftedDate(shiftMs, (caller) => noting('new Date', caller))),
      noted(clock, 'now', 'performance.now'),
      ...randomFunctions.map((name) => noted(nodeCrypto, name, `crypto.${name}`)),
      ...['randomUUID', 'getRandomValues'].map((name) =>
        noted(Object.getPrototypeOf(crypto) as object, name, `crypto.${name}`),
      ),
    ]
  }

  /** Whether the program has asked, and not the library for it. */
  #note(what: string, caller: AnyFunction): boolean {
    const code = runningCode()
    if (code === undefined) return false
    const at: { stack?: string } = {}
    Error.captureStackTrace(at, caller)
    if (isOwnCall(at.stack)) return false
    const place = userFrame(at.stack)
    this.#found.add(`${what}${place === undefined ? '' : ` in ${place}`} (${code.who})`)
    return true
  }
}

/** Without arguments it tells the time. */
function shiftedDate(shiftMs: number, isAsked: (caller: AnyFunction) => boolean): DateConstructor {
  const RealDate = Date
  const nowMs = (): number => RealDate.now() + shiftMs
  const construct = (target: DateConstructor, args: unknown[], newTarget: NewableFunction): Date => {
    const isTime = args.length === 0 && isAsked(construct as AnyFunction)
    return Reflect.construct(target, isTime ? [nowMs()] : args, newTarget) as Date
  }
  const apply = (target: DateConstructor): string =>
    isAsked(apply as AnyFunction) ? new RealDate(nowMs()).toString() : target()
  return new Proxy(RealDate, { construct, apply })
}
