/** The command line of `npm run test:conformance`. */
import { parseArgs } from 'node:util'
import { sigs } from './tests.ts'

export const usage = `npm run test:conformance -- [OPTIONS]
Runs the official conformance tests of Kubernetes (e2e.test) against coxswain server --controllers all --nodes 3: those
that pass on a real control plane with nodes that run no containers. Building e2e.test needs Go, and takes minutes once.

  --sig NAME     only tests of this group: ${sigs.join(', ')}
  --only TEXT    only tests whose names contain this text
  --sample       a fixed sample of all groups, at most 5 minutes on two cores
  --if-built     only if e2e.test is built already
  --update       store the failures as known ones, and write the number of passing tests into README and docs
  --logs FOLDER  keep the output of all tests there (default: that of failed ones, in a temporary folder)
  --help

The exit code is 1 if a test fails that is not in test/e2e/testdata/known-failures.json.`

export interface Options {
  readonly sig?: string
  readonly only?: string
  readonly logs?: string
  readonly sample: boolean
  readonly ifBuilt: boolean
  readonly update: boolean
  readonly help: boolean
}

/** The command line is invalid; the usage is printed. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export function parseOptions(args: readonly string[]): Options {
  const { sig, only, logs, sample = false, update = false, help = false, 'if-built': ifBuilt = false } = parse(args)
  if (sig !== undefined && !sigs.includes(sig)) throw new UsageError(`'${sig}' is none of ${sigs.join(', ')}`)
  return {
    ...(sig === undefined ? {} : { sig }),
    ...(only === undefined ? {} : { only }),
    ...(logs === undefined ? {} : { logs }),
    sample,
    ifBuilt,
    update,
    help,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        sig: { type: 'string' },
        only: { type: 'string' },
        logs: { type: 'string' },
        sample: { type: 'boolean' },
        'if-built': { type: 'boolean' },
        update: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
