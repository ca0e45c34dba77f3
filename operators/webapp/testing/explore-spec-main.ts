/** `npm run -s explore:spec`: every field of an app's spec set, changed, removed, out of range and invalid. */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { exploreSpec } from 'coxswain/testing'
import { specExploration } from './spec-exploration.ts'

const usage = `npm run -s explore:spec [-- OPTIONS]
  --only ID         operations whose id starts so, as a report names them: spec.replicas, spec.service.port/min
  --at-most N       so many operations, drawn by the seed
  --seed N          (1)
  --json FILE       also writes the report as JSON
  --help`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    'at-most': { type: 'string' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(`${usage}\n`)
} else {
  const atMost = values['at-most']
  const report = await exploreSpec({
    ...specExploration(),
    only: values.only,
    atMost: atMost === undefined ? undefined : Number(atMost),
    seed: Number(values.seed),
    onProgress: (done, of) => {
      if (done % 50 === 0) process.stderr.write(`${done} of ${of}\n`)
    },
  })
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`)
  process.stdout.write(`${report.text}\n`)
  const isGood = report.problems.length === 0 && report.operations.every(({ outcome }) => outcome !== 'failed')
  process.exitCode = isGood ? 0 : 1
}
