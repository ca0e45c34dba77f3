/** `npm run -s explore:replay`: see scripts/explore-replay.mjs. */
import { differentReplays } from './replays.ts'

const [count = '100', ...nodes] = process.argv.slice(2)
const seeds = Array.from({ length: Number(count) }, (_, index) => index + 1)
const different = await differentReplays(seeds, nodes, (line) => process.stderr.write(`${line}\n`))
for (const line of different) process.stdout.write(`${line}\n`)
const all = seeds.length * nodes.length
process.stdout.write(
  `${all - different.length} of ${all} replays are equal to the byte: ${seeds.length} failing seeds\n`,
)
process.exitCode = different.length === 0 ? 0 : 1
