/**
 * The measured operators as programs: ours bundled as in its image, with the Node options of its manifest, and one in
 * Go.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import { entryPoints } from '../baseline/entry-points.ts'
import { end, path } from '../child.ts'
import { processorTime, residentMemory } from '../process-figures.ts'

/** Concurrent reconciles: the default of ours. */
const workers = 8

export interface Operator {
  readonly name: string
  /** Environment variables of its process, in addition to those of this one. */
  readonly variables: Readonly<Record<string, string>>
  readonly command: string
  readonly args: (kubeconfig: string) => readonly string[]
  /** Called for every line that it prints: whether its caches are filled. */
  readonly isReady: (line: string) => boolean | Promise<boolean>
}

/** The operator of the tree in `root`, with its built package. `node`: options of Node. */
export async function ourOperator(folder: string, node: readonly string[], root: string): Promise<Operator> {
  const dir = mkdtempSync(join(folder, 'operator-'))
  const entries = entryPoints(root)
  const build = await rolldown({
    input: { main: join(root, 'operators/webapp/main.ts'), operator: join(root, 'operators/webapp/operator.ts') },
    platform: 'node',
    plugins: [
      {
        name: 'package',
        resolveId: (name) => (/^coxswain(\/|$)/.test(name) ? entries.get(name.replace('coxswain', '.')) : undefined),
      },
    ],
    tsconfig: false,
  })
  await build.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].mjs',
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  })
  await build.close()
  const module = (await import(pathToFileURL(join(dir, 'operator.mjs')).href)) as {
    default: { manifests(): Promise<{ files: Readonly<Record<string, string>> }> }
  }
  const { files } = await module.default.manifests()
  const NODE_OPTIONS = /NODE_OPTIONS\s+value: (.*)/.exec(files['workload.yaml'] ?? '')?.[1] ?? ''
  const addresses = ['--metrics-bind-address', '0', '--health-probe-bind-address', '127.0.0.1:0']
  return {
    name: 'coxswain',
    variables: { NODE_OPTIONS },
    command: process.execPath,
    args: (kubeconfig) => [...node, join(dir, 'main.mjs'), '--kubeconfig', kubeconfig, ...addresses],
    isReady: probed,
  }
}

/** Whether a line has the address of the probes; these succeed when the caches are filled. */
async function probed(line: string): Promise<boolean> {
  const url = /"(http:[^"]+)\/?"/.exec(line)?.[1]
  if (!line.includes('"msg":"listening"') || url === undefined) return false
  while (!(await fetch(new URL('/readyz', url))).ok) await sleep(50)
  return true
}

/** Undefined without Go. */
export function goOperator(
  folder: string,
  mode: 'update' | 'apply',
  say: (text: string) => void,
): Operator | undefined {
  const program = join(folder, 'peer')
  const built = spawnSync('go', ['build', '-o', program, '.'], {
    cwd: path('./peers/go'),
    env: { ...process.env, CGO_ENABLED: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (built.status === 0)
    return {
      name: `Go, ${mode}`,
      variables: {},
      command: program,
      args: (kubeconfig) => ['webapp', kubeconfig, mode, String(workers)],
      isReady: (line) => line === 'ready',
    }
  say(`the Go operator is not measured: ${built.error?.message ?? String(built.stderr)}`)
  return undefined
}

/** A running operator. */
export class RunningOperator {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Resolves when it is ready. Rejects with its output if it ends first. */
  static async start(
    { name, variables, command, args, isReady }: Operator,
    kubeconfig: string,
  ): Promise<RunningOperator> {
    const child = spawn(command, args(kubeconfig), {
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const kill = (): boolean => child.kill('SIGKILL')
    process.once('exit', kill)
    child.once('exit', () => process.off('exit', kill))
    const said: string[] = []
    const whenReady = new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on('line', (line) => {
          if (said.length < 20) said.push(line)
          Promise.resolve(isReady(line)).then((is) => is && resolve(), reject)
        })
    })
    const isOver = once(child, 'exit').then(() => {
      throw new Error(`the operator (${name}) ended:\n${said.join('\n')}`)
    })
    isOver.catch(() => undefined)
    await Promise.race([whenReady, isOver])
    return new RunningOperator(child)
  }

  /** Milliseconds of processor time so far. */
  get cpu(): number {
    return processorTime(this.#child.pid)
  }

  /** Resident memory, in MiB. */
  get memory(): number {
    return residentMemory([this.#child.pid as number]) ?? Number.NaN
  }

  /** Peak memory, in MiB. */
  get peakMemory(): number {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8'))?.[1]) / 1024
  }

  async stop(): Promise<void> {
    await end(this.#child)
  }
}
