/**
 * Checks that the fuzzer notices bugs: records sequences once from a real server, and replays them against copies of
 * our server with one bug each. Every copy must differ more often than the unchanged server. With
 * `COXSWAIN_STORE=round-trip` all of these servers serialize every object that they store.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { fuzz, replayRecorded } from '../fuzz/run.ts'
import type { RecordedCase } from '../record.ts'
import { withReference } from '../reference.ts'
import { mutants } from './mutants.ts'
import type { Mutant } from './mutants.ts'

const { values } = parseArgs({
  options: {
    sequences: { type: 'string', default: '80' },
    url: { type: 'string' },
    token: { type: 'string', default: 'admintoken' },
    prefix: { type: 'string', default: 'm' },
  },
})

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Copies the sources and inserts the bug. */
function copyWith({ name, file, text, instead }: Mutant, folder: string): void {
  for (const part of ['src', 'test', 'scripts', 'package.json', 'tsconfig.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const parts = readFileSync(join(folder, file), 'utf8').split(text)
  if (parts.length !== 2) throw new Error(`mutant '${name}': its text occurs ${parts.length - 1} times in ${file}`)
  writeFileSync(join(folder, file), parts.join(instead))
}

async function differing(folder: string, recording: string): Promise<number> {
  const args = ['scripts/run-ts.mjs', 'test/differential/fuzz/main.ts', '--replay', recording, '--groups', '0']
  const output = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  const found = /fuzz: \d+ sequences, (\d+) unexplained/.exec(output.stdout)
  if (found === null) throw new Error(`the mutant did not run: ${output.stderr}`)
  return Number(found[1])
}

async function record(): Promise<readonly RecordedCase[]> {
  const { url, token } = values
  const recorded: RecordedCase[] = []
  const options = {
    sequences: Number(values.sequences),
    firstSeed: 1_000_000,
    atOnce: 8,
    prefix: values.prefix,
    shrinks: 0,
    recorded: (case_: RecordedCase) => void recorded.push(case_),
  }
  await withReference({ url, token, userToken: '', sockets: 16 }, (real) => fuzz(real, options))
  return recorded
}

const folder = mkdtempSync(join(tmpdir(), 'coxswain-mutants-'))
try {
  const recorded = await record()
  const recording = join(folder, 'recorded.json')
  writeFileSync(recording, recorded.map((case_) => `${JSON.stringify(case_)}\n`).join(''))
  const base = (await replayRecorded(recorded)).reduce((sum, { names }) => sum + names.length, 0)
  console.log(`${recorded.length} sequences; ${base} differ without a mutation`)
  let caught = 0
  for (const [i, mutant] of mutants.entries()) {
    const copy = join(folder, String(i))
    copyWith(mutant, copy)
    const count = await differing(copy, recording)
    rmSync(copy, { recursive: true })
    if (count > base) caught++
    console.log(`${count > base ? 'caught' : 'MISSED'}: ${mutant.name} (${count} sequences differ)`)
  }
  console.log(`mutants: ${caught} of ${mutants.length} caught`)
  process.exitCode = caught === mutants.length ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
