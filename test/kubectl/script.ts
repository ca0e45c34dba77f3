/**
 * Scripts: command lines of kubectl with their expected output, as tables. A script runs against any server; tests
 * check its transcript, or compare the transcripts of two servers.
 */
import type { ChildProcess } from 'node:child_process'
import type { Kubectl, Result } from './kubectl.ts'
import { plainText } from './plain-text.ts'

export interface Script {
  /** Also the name of its namespace. */
  readonly name: string
  /** Run in order; the steps of a nested list run concurrently. */
  readonly stages: readonly (Step | readonly Step[])[]
}

/** Standard output of earlier steps, by the name in `keep`. */
export type Kept = (name: string) => string

/** A text, a pattern, or a text that occurs at least this many times. */
export type Part = string | RegExp | { readonly text: string; readonly times: number }

export interface Step {
  /** The command line; the namespace is added to it. */
  readonly run: string | ((kept: Kept) => string)
  /** Standard input. */
  readonly input?: string | ((kept: Kept) => string)
  readonly env?: Readonly<Record<string, string>>
  /** Default 0. */
  readonly code?: number
  /** The complete standard output, normalized by `plainText`. */
  readonly says?: string
  /** Parts of standard output. */
  readonly shows?: readonly Part[]
  /** Parts of standard error. */
  readonly warns?: readonly Part[]
  /** The name under which later steps find its output. */
  readonly keep?: string
  /** Repeated until it succeeds: a real server needs time to serve a new kind. */
  readonly patient?: true
  /** Runs only when two servers are compared: it is similar to another step, and `npm test` should be fast. */
  readonly thorough?: true
  /** The output is random or depends on the server: only the parts above are checked. */
  readonly incomparable?: true
  /** Prints field descriptions, which the embedded server does not have: only names and types are compared. */
  readonly prose?: true
  /** Commands such as `get -w` that are started before the step, and ended when all have printed its effects. */
  readonly watches?: readonly string[]
}

/** The result of one step. `out` and `err` are normalized by `plainText`. */
export interface Played {
  readonly step: Step
  readonly command: string
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Concurrent commands of a list. */
const atOnce = 6
const mostTries = 100

/** Without `thorough`, steps with that flag are skipped. */
export async function play(kubectl: Kubectl, script: Script, thorough = false): Promise<Played[]> {
  const outputs = new Map<string, string>()
  const kept: Kept = (name) => {
    const output = outputs.get(name)
    if (output === undefined) throw new Error(`${script.name}: nothing is kept as ${name}`)
    return output
  }
  const played: Played[] = []
  const playStep = async (step: Step, at: number): Promise<void> => {
    const command = typeof step.run === 'string' ? step.run : step.run(kept)
    const inNamespace = (line: string): string => `--namespace=${script.name} ${line}`
    const input = typeof step.input === 'function' ? step.input(kept) : step.input
    const options = { ...(input === undefined ? {} : { input }), ...(step.env === undefined ? {} : { env: step.env }) }
    const watched = (step.watches ?? []).map((each) => watch(kubectl.start(inNamespace(each))))
    await Promise.all(watched.map((each) => each.until('ADDED')))
    let result: Result
    let tries = 0
    do result = await kubectl.run(inNamespace(command), options)
    while (step.patient === true && result.code !== 0 && ++tries < mostTries)
    if (step.keep !== undefined) outputs.set(step.keep, result.stdout)
    const seen = await Promise.all(watched.map((each) => each.until('MODIFIED')))
    played[at] = {
      step,
      command: plainText(command),
      code: result.code,
      out: plainText([...seen, result.stdout].join('')),
      err: plainText(result.stderr),
    }
  }
  await kubectl.ok(`create namespace ${script.name}`)
  for (const stage of script.stages) {
    const steps = (Array.isArray(stage) ? (stage as readonly Step[]) : [stage as Step]).filter(
      (step) => thorough || step.thorough !== true,
    )
    const waiting = steps.map((step, i) => ({ step, at: played.length + i }))
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await playStep(next.step, next.at)
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  }
  return played
}

interface Watched {
  /** The complete output, once it contains the word. */
  until(word: string): Promise<string>
}

/** The watch ends after MODIFIED: later output is not used. */
function watch(child: ChildProcess): Watched {
  let text = ''
  child.stdout?.setEncoding('utf8')
  child.stdout?.on('data', (chunk: string) => (text += chunk))
  return {
    until: (word) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!text.includes(word)) return
          if (word === 'MODIFIED') child.kill()
          resolve(text)
        }
        child.stdout?.on('data', look)
        child.once('exit', (code) => reject(new Error(`a watch ended with ${code} before ${word}: ${text}`)))
        look()
      }),
  }
}

/** The difference between expected and actual output of a step; undefined if there is none. */
export function complaint({ step, command, code, out, err }: Played): string | undefined {
  const missing = [
    ...(step.shows ?? []).filter((part) => !has(out, part)),
    ...(step.warns ?? []).filter((part) => !has(err, part)),
  ]
  if (code === (step.code ?? 0) && (step.says === undefined || step.says === out) && missing.length === 0)
    return undefined
  return [
    `kubectl ${command}`,
    `code ${code}`,
    `out:\n${out}`,
    `err:\n${err}`,
    ...(step.says === undefined ? [] : [`expected:\n${step.says}`]),
    ...missing.map((part) => `missing: ${part instanceof RegExp ? String(part) : JSON.stringify(part)}`),
  ].join('\n')
}

function has(text: string, part: Part): boolean {
  if (part instanceof RegExp) return part.test(text)
  return typeof part === 'string' ? text.includes(part) : text.split(part.text).length > part.times
}
