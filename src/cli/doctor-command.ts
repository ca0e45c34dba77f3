/** `coxswain doctor`: why an object is stuck, or an operator does not run. */
import { existsSync } from 'node:fs'
import { isUnauthorized } from '../api/error-reasons.ts'
import { TransportError } from '../client/transport.ts'
import type { DoctorReport } from '../doctor/finding.ts'
import type { ReportTone } from '../doctor/report-text.ts'
import type { ClusterToRead } from '../plan/cluster-client.ts'
import { UsageError, type Command, type Io, type Values } from './command.ts'
import { loadOperator } from './operator-module.ts'
import { Screen, type Style } from './screen.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  summary:
    'say why an object is stuck, or why the operator that a module exports does not run, and which command helps; ' +
    'reads only (docs/how-to/troubleshooting.md)',
  operands: 'KIND/NAME | MODULE',
  options: {
    namespace: {
      type: 'string',
      short: 'n',
      value: 'NAME',
      help: "namespace of the object (default: the context's) or the operator (default: its name with -system)",
    },
    kubeconfig: { type: 'string', value: 'FILE', help: 'the cluster to read (default: as kubectl finds it)' },
    context: { type: 'string', value: 'NAME', help: 'context of the kubeconfig (default: the current one)' },
    json: { type: 'boolean', help: 'print the findings as JSON, coxswain.dev/doctor/v1 (default: as text)' },
    help: { type: 'boolean', help: 'show this help' },
  },
  examples: [
    'coxswain doctor webapp/shop -n prod',
    'coxswain doctor deployment shop --context staging',
    'coxswain doctor operator.js',
    'coxswain doctor guestbooks.example.dev/one --json | jq .findings',
  ],
  exitCodes: { 1: 'it found something wrong, or failed; 0: nothing wrong was found' },
  run: runDoctor,
}

/** Ends when asked to stop. */
async function runDoctor(values: Values, io: Io, operands: readonly string[]): Promise<number> {
  const stopped = io.stopped.then(() => {
    throw new Error('stopped')
  })
  return Promise.race([examine(values, io, operands), stopped])
}

async function examine(values: Values, io: Io, operands: readonly string[]): Promise<number> {
  const [first = ''] = operands
  const examination = operands.length === 1 && isModule(first) ? await operatorOf(first) : objectOf(operands)
  // Loaded on use: the start of the server must not pay for it.
  const { clusterToRead } = await import('../plan/cluster-client.ts')
  const { reportLines } = await import('../doctor/report-text.ts')
  const { withAccess } = await import('../doctor/with-access.ts')
  const choice = { kubeconfig: word(values['kubeconfig']), context: word(values['context']) }
  const cluster = await clusterToRead(choice).catch((error: Error) => {
    throw new UsageError(error.message)
  })
  try {
    const examined = await examination(cluster, word(values['namespace'])).catch((error: unknown) => {
      throw unreachable(error, cluster.source)
    })
    const report = withAccess(examined, choice)
    if (values['json'] === true) io.out(JSON.stringify(report, null, 2))
    else show(io, reportLines(report))
    return report.findings.length === 0 ? 0 : 1
  } finally {
    await cluster.close()
  }
}

type Examination = (cluster: ClusterToRead, namespace: string | undefined) => Promise<DoctorReport>

/** A file or a folder, or what can only be one. */
function isModule(operand: string): boolean {
  return /\.[cm]?[jt]s$/.test(operand) || existsSync(operand)
}

async function operatorOf(path: string): Promise<Examination> {
  const operator = await loadOperator(path)
  return async ({ client, source, now }, namespace) => {
    const { examineOperator } = await import('../doctor/examine-operator.ts')
    const { shellWord } = await import('../doctor/with-access.ts')
    return examineOperator(client, { operator, module: shellWord(path), namespace }, { source, now })
  }
}

/** Which cluster it was, if there is no answer or the credentials are refused. Other errors say enough. */
function unreachable(error: unknown, source: string): unknown {
  if (!(error instanceof TransportError) && !isUnauthorized(error)) return error
  const advice = 'kubectl config get-contexts lists the contexts, --context chooses one'
  return new Error(`${source}: ${error.message}; ${advice}`, { cause: error })
}

/** `KIND/NAME` or `KIND NAME`. */
function objectOf(operands: readonly string[]): Examination {
  const [kind = '', name = '', ...rest] = operands.length === 1 ? (operands[0] ?? '').split('/') : operands
  if (kind === '' || name === '' || rest.length > 0 || name.includes('/') || kind.includes('/'))
    throw new UsageError('give one object as KIND/NAME, or a MODULE (see: coxswain doctor --help)')
  return async ({ client, now, ...cluster }, namespace = cluster.namespace) => {
    const { examineObject } = await import('../doctor/examine-object.ts')
    return examineObject(client, { kind, name, namespace }, now)
  }
}

const styles: Readonly<Record<ReportTone, Style>> = {
  plain: 'plain',
  good: 'green',
  finding: 'bold',
  evidence: 'plain',
  command: 'cyan',
  warning: 'yellow',
}

function show(io: Io, lines: readonly { readonly text: string; readonly tone: ReportTone }[]): void {
  const screen = new Screen(io)
  screen.print(...lines.map(({ text, tone }) => ({ text, style: styles[tone] })))
  screen.end()
}

function word(value: Values[string]): string | undefined {
  return typeof value === 'string' ? value : undefined
}
