/**
 * Probes: named checks behind `/healthz` (liveness) and `/readyz` (readiness), in the text format of Kubernetes'
 * components. A check that throws, returns a text or takes too long has failed.
 */
import type { Env } from '../env/env.ts'
import { pause } from '../env/pause.ts'

/** Throws if something is wrong, or returns a text that describes it. */
export type Check = () => string | undefined | void | Promise<string | undefined | void>

export interface ProbeResponse {
  readonly status: 200 | 404 | 500
  readonly body: string
}

export interface ProbeQuery {
  /** Only this check. */
  readonly name?: string | undefined
  /** A line for each check, also if all succeed. */
  readonly verbose?: boolean | undefined
  /** Without these checks. */
  readonly exclude?: readonly string[] | undefined
}

const maxCheckMs = 5_000

export class Probes {
  readonly #env: Env
  readonly #checks = new Map<string, Check>()

  constructor(env: Env) {
    this.#env = env
  }

  add(name: string, check: Check): void {
    if (!/^[-\w.]+$/.test(name)) throw new Error(`"${name}" cannot name a check: use letters, digits, dashes and dots`)
    if (this.#checks.has(name)) throw new Error(`the check ${name} is there already`)
    this.#checks.set(name, check)
  }

  /** `endpoint`: `healthz`, for the last line. */
  async answer(endpoint: string, { name, verbose = false, exclude = [] }: ProbeQuery = {}): Promise<ProbeResponse> {
    if (name !== undefined) return this.#answerOne(name)
    const results = await Promise.all(
      [...this.#checks].map(async ([each, check]) => {
        if (exclude.includes(each)) return { isWell: true, line: `[+]${each} excluded: ok` }
        const problem = await this.#problemOf(check)
        return {
          isWell: problem === undefined,
          line: problem === undefined ? `[+]${each} ok` : `[-]${each} failed: ${problem}`,
        }
      }),
    )
    const unknown = exclude.filter((each) => !this.#checks.has(each)).map((each) => `"${each}"`)
    const warning =
      unknown.length === 0 ? [] : [`warn: some health checks cannot be excluded: no matches for ${unknown.join(', ')}`]
    const lines = [...results.map(({ line }) => line), ...warning]
    if (results.some(({ isWell }) => !isWell))
      return { status: 500, body: `${lines.join('\n')}\n${endpoint} check failed\n` }
    return { status: 200, body: verbose ? `${lines.join('\n')}\n${endpoint} check passed\n` : 'ok' }
  }

  async #answerOne(name: string): Promise<ProbeResponse> {
    const check = this.#checks.get(name)
    if (check === undefined)
      return { status: 404, body: `no check is called ${name}; there are: ${[...this.#checks.keys()].join(', ')}\n` }
    const problem = await this.#problemOf(check)
    return problem === undefined ? { status: 200, body: 'ok' } : { status: 500, body: `${problem}\n` }
  }

  async #problemOf(check: Check): Promise<string | undefined> {
    const answered = new AbortController()
    const late = async (): Promise<string> => {
      await pause(this.#env, maxCheckMs, answered.signal)
      return `no answer within ${maxCheckMs / 1000} s`
    }
    try {
      return (await Promise.race([Promise.resolve().then(check), late()])) ?? undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    } finally {
      answered.abort()
    }
  }
}
