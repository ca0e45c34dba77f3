/** Runs one official test in a process of its own, and reads its outcome from the output. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { limitMs } from './tests.ts'
import type { ConformanceTest } from './tests.ts'

export interface Outcome {
  readonly test: ConformanceTest
  /** Why it failed; undefined if it passed. */
  readonly failure: string | undefined
  readonly seconds: number
}

export interface Site {
  /** The path of `e2e.test`. */
  readonly program: string
  readonly kubectl: string
  readonly kubeconfig: string
  /** For files of the tests. */
  readonly folder: string
  /** The simulated nodes of the cluster. */
  readonly nodes: number
}

/** Time to clean up after the limit, before the process is killed. */
const graceMs = 15_000

const running = new Set<ChildProcess>()

/** Ends the tests that are running. */
export function endTests(): void {
  for (const child of running) signalGroup(child, 'SIGKILL')
}

/** `log` gets its output. */
export function runTest(site: Site, test: ConformanceTest, log: string): Promise<Outcome> {
  const started = performance.now()
  const limit = limitMs(test)
  const output = openSync(log, 'w')
  const { PATH, LANG, TMPDIR } = process.env
  // In its own process group, so that kubectl and other child processes end with it.
  const child = spawn(site.program, argumentsFor(site, test), {
    cwd: site.folder,
    env: { PATH, LANG, TMPDIR, HOME: site.folder },
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  running.add(child)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    signalGroup(child, 'SIGINT')
    const killer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs)
    child.once('close', () => clearTimeout(killer))
  }, limit)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(timer)
      running.delete(child)
      signalGroup(child, 'SIGKILL')
      const text = readFileSync(log, 'utf8')
      const late = `ended after ${Math.round(limit / 1_000)} s`
      const failure = isLate ? [late, messageOf(text)].join('\n') : failureOf(text)
      resolve({ test, failure, seconds: (performance.now() - started) / 1_000 })
    })
  })
}

function argumentsFor({ kubeconfig, kubectl, nodes, folder }: Site, { name }: ConformanceTest): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--kubectl-path=${kubectl}`,
    '--provider=skeleton',
    '--kube-api-content-type=application/json',
    `--num-nodes=${nodes}`,
    '--minStartupPods=0',
    '--allowed-not-ready-nodes=-1',
    // Logs of pods and nodes do not exist.
    '--dump-logs-on-failure=false',
    '--disable-log-dump=true',
    `--e2e-output-dir=${folder}`,
    '--ginkgo.v',
    '--ginkgo.no-color',
    // This one and no other: names can begin with other names.
    `--ginkgo.focus=^Kubernetes e2e suite ${escape(name)}$`,
  ]
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Undefined if exactly one test ran, and passed. */
export function failureOf(output: string): string | undefined {
  const [, passed, failed] = output.match(/ -- (\d+) Passed \| (\d+) Failed \|/) ?? []
  if (passed === '1' && failed === '0') return undefined
  if (passed !== undefined && Number(passed) > 1) return `${passed} tests ran instead of one`
  return messageOf(output)
}

/** What Ginkgo prints of a failure, or the last lines of the output. */
function messageOf(output: string): string {
  const state = /^ *\[(?:FAILED|PANICKED|TIMEDOUT|INTERRUPTED|ABORTED|SKIPPED)\] (?!in \[)([\s\S]*?)\n *In \[/gm
  const message = [...output.matchAll(state)].at(-1)?.[1]
  if (message !== undefined) return withoutIndent(message)
  if (/^Will run 0 of /m.test(output)) return 'e2e.test has no such test'
  return output.trimEnd().split('\n').slice(-5).join('\n')
}

function withoutIndent(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd().replace(/^ {2}/, ''))
    .join('\n')
    .trim()
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // It has exited already.
  }
}
