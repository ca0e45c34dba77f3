/** Replays failing schedules in other processes, and compares what they did with the first run. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { failingSchedule, recordOf } from './record.ts'

const runner = fileURLToPath(new URL('../../../scripts/run-ts.mjs', import.meta.url))
const program = fileURLToPath(new URL('replay-program.ts', import.meta.url))

/** A replay takes a second or two. */
const replayMs = 60_000

/** Replays the failing schedule of each seed with each Node binary, in a process each. Returns what was different. */
export async function differentReplays(
  seeds: readonly number[],
  nodes: readonly string[],
  onProgress: (line: string) => void = () => undefined,
): Promise<readonly string[]> {
  const different: string[] = []
  for (const seed of seeds) {
    const schedule = await failingSchedule(seed)
    const expected = `${await recordOf(schedule)}\n`
    const replays = await Promise.all(nodes.map((node) => replayed(node, schedule)))
    for (const [index, actual] of replays.entries()) {
      if (actual !== expected) different.push(`${schedule} with ${nodes[index]}: ${firstDifference(expected, actual)}`)
    }
    onProgress(`seed ${seed}: ${schedule}, ${expected.length} bytes`)
  }
  return different
}

async function replayed(node: string, schedule: string): Promise<string> {
  const child = spawn(node, [runner, program, schedule], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: replayMs,
  })
  return text(child.stdout)
}

function firstDifference(expected: string, actual: string): string {
  const [wanted, found] = [expected.split('\n'), actual.split('\n')]
  const line = wanted.findIndex((each, index) => each !== found[index])
  return `line ${line + 1} of ${wanted.length} is ${found[line] ?? 'missing'}, and was ${wanted[line]}`
}
