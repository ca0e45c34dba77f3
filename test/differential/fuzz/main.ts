/** `npm run fuzz`: sends random sequences to a real server and to ours. Its last line is the verdict. */
import { appendFileSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { RecordedCase } from '../record.ts'
import { withReference } from '../reference.ts'
import { sequenceLength } from './generate.ts'
import { fuzz, replayRecorded } from './run.ts'
import type { Finding, Group } from './run.ts'
import { asCase } from './shrink.ts'
import { builtInSubjects, customSubjects } from './subjects.ts'
import { verbNames } from './verbs.ts'

const usage = `npm run -s fuzz -- [OPTIONS]
Sends sequences of ${sequenceLength} random requests to a real kube-apiserver and to ours, and compares the responses.

  --sequences N     number of sequences (2000: about four minutes on two idle cores)
  --seed N          seed of the first sequence (1)
  --at-once N       concurrent sequences (12)
  --shrinks N       maximum of differences that are shrunk to the smallest sequence (10)
  --url URL         a running real server (default: start one); its certificate is not verified
  --token TOKEN     the administrator's token for --url (default admintoken)
  --prefix TEXT     prefix of namespace names, for a server on which these seeds have run before
  --save FILE       append the responses of the real server to this file
  --replay FILE     compare with the responses in such a file, without a real server
  --groups N        --replay: maximum of differences to print; similar ones are printed once (20)
  --help

COXSWAIN_STORE selects the store of our control planes: memory (default), or round-trip, which serializes and parses
every object.`

function read(): { readonly [name: string]: string | boolean | undefined } {
  return parseArgs({
    options: {
      sequences: { type: 'string', default: '2000' },
      seed: { type: 'string', default: '1' },
      'at-once': { type: 'string', default: '12' },
      shrinks: { type: 'string', default: '10' },
      url: { type: 'string' },
      token: { type: 'string', default: 'admintoken' },
      prefix: { type: 'string', default: '' },
      save: { type: 'string' },
      replay: { type: 'string' },
      groups: { type: 'string', default: '20' },
      help: { type: 'boolean', default: false },
    },
  }).values
}

async function main(values: ReturnType<typeof read>): Promise<number> {
  const number = (name: string): number => Number(values[name])
  if (typeof values['replay'] === 'string') {
    const lines = readFileSync(values['replay'], 'utf8').trimEnd().split('\n')
    const recorded = lines.map((line) => JSON.parse(line) as RecordedCase)
    const groups = await replayRecorded(recorded)
    for (const group of groups.slice(0, number('groups'))) console.log(describeGroup(group))
    return verdict(
      recorded.length,
      groups.reduce((sum, { names }) => sum + names.length, 0),
    )
  }
  const atOnce = number('at-once')
  const url = values['url'] as string | undefined
  const save = values['save'] as string | undefined
  console.log(
    `${verbNames.length} verbs and patch kinds, ${builtInSubjects.length} built-in kinds, ` +
      `${customSubjects.length} custom resources`,
  )
  const result = await withReference(
    { url, token: String(values['token']), userToken: '', sockets: 2 * atOnce },
    (real) => {
      return fuzz(real, {
        sequences: number('sequences'),
        firstSeed: number('seed'),
        atOnce,
        prefix: String(values['prefix']),
        shrinks: number('shrinks'),
        recorded: (case_) => {
          if (save !== undefined) appendFileSync(save, `${JSON.stringify(case_)}\n`)
        },
        found: (finding) => console.log(describe(finding)),
        unsteady: (seed, first) =>
          console.log(`differed once and not when repeated:\n${describeGroup({ names: [`seed ${seed}`], first })}`),
        panicked: (seed, { method, path, body }) => {
          console.log(
            `the real server panics; the rest of the sequence is skipped: seed ${seed}, ${method} ` +
              `${path} ${window(JSON.stringify(body) ?? '', 0)}`,
          )
        },
        progress: (done, differing) => {
          if (done % 100 === 0) console.error(`${done} sequences, ${differing} differ`)
        },
      })
    },
  )
  console.log(`${result.requests} requests compared; ${result.unsteady} sequences differed once and not when repeated`)
  return verdict(result.sequences, result.differing)
}

function verdict(sequences: number, differing: number): number {
  console.log(`fuzz: ${sequences} sequences, ${differing} unexplained`)
  return differing === 0 ? 0 : 1
}

function describe({ seed, steps, ...finding }: Finding): string {
  return [`== seed ${seed}`, asCase(`found by the fuzzer, seed ${seed}`, steps), ...describeDifferences(finding)].join(
    '\n',
  )
}

function describeGroup({ names, first: { golden, answer, differences, request } }: Group): string {
  const { method, path, body, headers } = request
  const asked = [method, path, headers['content-type'] ?? '', window(JSON.stringify(body) ?? '', 0)].join(' ')
  const where = names.slice(0, 5).join(', ')
  return [
    `== ${names.length}: step ${golden.n} of ${where}`,
    asked,
    ...describeDifferences({ differences, expected: golden, got: answer }),
  ].join('\n')
}

function describeDifferences({
  differences,
  expected,
  got,
}: Pick<Finding, 'differences' | 'expected' | 'got'>): string[] {
  const found = differences.slice(0, 5).map(({ path, ...values }) => {
    const real = plain(values.expected)
    const ours = plain(values.got)
    const from = Math.max(0, commonStart(real, ours) - 100)
    return `  ${path}\n    real ${window(real, from)}\n    ours ${window(ours, from)}`
  })
  const message = (body: unknown): string => ((body as { message?: string } | null)?.message ?? '').slice(0, 200)
  return [
    ...found,
    `  real ${expected.status} ${message(expected.answer)}`,
    `  ours ${got.status} ${message(got.body)}`,
    '',
  ]
}

/** Removes values that always differ. */
function plain(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME').replaceAll(/(resourceVersion\W{1,9})\d+/g, '$1…')
}

function commonStart(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

/** The part of a long text that differs. */
function window(text: string, from: number): string {
  const length = 500
  if (text.length <= length) return text
  return `${from > 0 ? '…' : ''}${text.slice(from, from + length)}${from + length < text.length ? '…' : ''}`
}

try {
  const values = read()
  if (values['help'] === true) console.log(usage)
  else process.exitCode = await main(values)
} catch (error) {
  console.error(error instanceof TypeError ? `${error.message}\n\n${usage}` : error)
  process.exitCode = 2
}
