/** `coxswain plan`: what an operator would do about a change, before it is made (docs/reference/plan.md). */
import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import type * as Planning from '../plan/index.ts'
import { UsageError, type Command, type Io, type Values } from './command.ts'
import { importBeside, loadOperator } from './operator-module.ts'
import { Screen, type Style } from './screen.ts'

export const planCommand: Command = {
  name: 'plan',
  summary:
    'show what the operator that a module exports would do about a change, without making it (docs/reference/plan.md)',
  operands: 'MODULE [FILE …]',
  options: {
    delete: { type: 'boolean', help: 'delete the objects of the files (default: apply them)' },
    kubeconfig: {
      type: 'string',
      value: 'FILE',
      help: 'the cluster to read (default: as kubectl finds it)',
    },
    context: { type: 'string', value: 'NAME', help: 'context of the kubeconfig (default: the current one)' },
    offline: { type: 'boolean', help: 'contact no cluster: start empty, or with --from' },
    from: {
      type: 'string',
      list: true,
      value: 'FILE',
      help:
        'start with the objects of this file, from "kubectl get … -o yaml --show-managed-fields"; contacts no ' +
        'cluster',
    },
    namespace: {
      type: 'string',
      value: 'NAME',
      help: "namespace of manifests that name none (default: the context's)",
    },
    namespaces: {
      type: 'string',
      list: true,
      value: 'NAMES',
      help: 'namespaces to read (default: those of the files; all without files)',
    },
    without: { type: 'string', list: true, value: 'KINDS', help: 'kinds not to read: --without secrets' },
    json: { type: 'boolean', help: 'print the plan as JSON, coxswain.dev/plan/v1 (default: as text)' },
    'exit-code': { type: 'boolean', help: 'exit with code 3 if the operator would change anything' },
    help: { type: 'boolean', help: 'show this help' },
  },
  examples: [
    'coxswain plan operator.js app.yaml',
    'coxswain plan operator.js app.yaml --delete',
    'coxswain plan operator.js app.yaml --json | jq .failures',
    'coxswain plan operator.js                       # what would this version do to the cluster as it is?',
    'coxswain plan operator.js app.yaml --offline    # in an empty cluster',
  ],
  exitCodes: {
    1: 'it failed, or the operator did while it was observed: what it would do is not known',
    3: 'with --exit-code: the operator would change something',
  },
  run: runPlan,
}

/** The exit code for `--exit-code`. 1 and 2 mean failures. */
const somethingToDo = 3

/** Ends when asked to stop. */
async function runPlan(values: Values, io: Io, operands: readonly string[]): Promise<number> {
  const stopped = io.stopped.then(() => {
    throw new Error('stopped')
  })
  return Promise.race([makePlan(values, io, operands), stopped])
}

async function makePlan(values: Values, io: Io, [path, ...files]: readonly string[]): Promise<number> {
  if (path === undefined) throw new UsageError('give a MODULE (see: coxswain plan --help)')
  const { json = false, offline = false } = values
  if (values['delete'] === true && files.length === 0)
    throw new UsageError('--delete needs a FILE with the objects to delete')
  const operator = await loadOperator(path)
  // From the module's own copy of the runtime: values of two copies are not compatible.
  const planning = await importBeside<typeof Planning>(path, 'coxswain/plan')
  const { parseManifests, clusterToRead, plan, planLines, countChanges } = planning
  const read = async (file: string): Promise<readonly Planning.Manifest[]> => readManifests(file, parseManifests)
  const requested = (await Promise.all(files.map(read))).flat()
  const from = list(values['from'])
  const choice = { kubeconfig: word(values['kubeconfig']), context: word(values['context']) }
  const cluster =
    offline === true || from !== undefined
      ? undefined
      : await clusterToRead(choice).catch((error: Error) => {
          throw new UsageError(`${error.message}, or contact no cluster with --offline`)
        })
  try {
    const made = await plan({
      operator,
      now: cluster?.now ?? Date.now(),
      from: cluster?.client ?? (await Promise.all((from ?? []).map(read))).flat(),
      ...(values['delete'] === true ? { delete: requested } : { apply: requested }),
      namespace: word(values['namespace']) ?? cluster?.namespace,
      namespaces: list(values['namespaces']),
      without: list(values['without']),
    })
    if (json === true) io.out(JSON.stringify(made, null, 2))
    else show(io, planLines(made))
    const changes = Object.values(countChanges(made)).reduce((sum, count) => sum + count, 0)
    return planExitCode(made, values['exit-code'] === true ? changes : 0)
  } finally {
    await cluster?.close()
  }
}

/** `changes`: how many there are, if the caller asked for them. What an operator that fails would do is not known. */
export function planExitCode({ failures }: Pick<Planning.Plan, 'failures'>, changes: number): number {
  if (failures.length > 0) return 1
  return changes > 0 ? somethingToDo : 0
}

const styles: Readonly<Record<Planning.PlanTone, Style>> = {
  plain: 'plain',
  create: 'green',
  update: 'yellow',
  delete: 'red',
  warning: 'red',
}

function show(io: Io, lines: readonly Planning.PlanLine[]): void {
  const screen = new Screen(io)
  screen.print(...lines.map(({ text, tone }) => ({ text, style: styles[tone] })))
  screen.end()
}

/** `-` is standard input. */
async function readManifests(
  file: string,
  parse: typeof Planning.parseManifests,
): Promise<readonly Planning.Manifest[]> {
  const content = await (file === '-' ? textOf(process.stdin) : readFile(file, 'utf8')).catch(
    (error: NodeJS.ErrnoException) => {
      throw new UsageError(
        error.code === 'ENOENT' ? `there is no file ${file}` : `cannot read ${file}: ${error.message}`,
      )
    },
  )
  try {
    return parse(content)
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`)
  }
}

function word(value: Values[string]): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function list(value: Values[string]): readonly string[] | undefined {
  return word(value)
    ?.split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}
