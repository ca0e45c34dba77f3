/** The command line of `npm run bench -- --baseline COMMIT`. */
import { parseArgs } from 'node:util'
import { operations } from '../operations.ts'
import { widget } from '../manifests.ts'
import type { SiteName } from '../webapp/site.ts'

export const partNames = ['server', 'runtime', 'cluster', 'webapp'] as const

export type PartName = (typeof partNames)[number]

/** The measurements that `--only` accepts, by part. */
export const measurements: Readonly<Record<PartName, readonly string[]>> = {
  server: [...operations(widget).map(({ name }) => name), 'list', 'watch', 'heap', 'start', 'memory', 'definitions'],
  runtime: ['queue', 'sync', 'reconcile', 'import', 'idle'],
  cluster: ['pods', 'deployments', 'rest'],
  webapp: ['apps'],
}

const list = (part: PartName): string => measurements[part].join(', ')

export const usage = `npm run bench -- --baseline COMMIT [OPTIONS]
Compares this tree with another commit: processor time per operation, memory, and API calls per app. The commit is
checked out and built once, into $COXSWAIN_CACHE/baseline or .cache/baseline. Rounds of both trees alternate in the same
run. Ends with code 1 if a line is SLOWER, LARGER or MORE.
  --part A,B       these parts: server, runtime, cluster, webapp (all)
  --only A,B       these measurements, of
                     server: ${list('server').replace(/, (?=apply-changed|list)/g, ',\n                       ')}
                     runtime: ${list('runtime')}
                     cluster: ${list('cluster')}
                     webapp: ${list('webapp')}
  --transport T    server: http, in-process or both (both)
  --rounds N       rounds per tree (9)
  --seconds S      server: duration of a round of each rate measurement (0.5)
  --objects N      runtime: objects in the cache (10000)
  --pods N         cluster: pods without a controller (500)
  --deployments N  cluster: Deployments of three replicas each (200)
  --apps N         webapp: number of apps (200)
  --server S       webapp: real (a kube-apiserver), ours, or auto: real if one is built already, else ours (auto)
  --help`

export interface Options {
  readonly baseline: string
  readonly parts: readonly PartName[]
  readonly wanted: (measurement: string) => boolean
  readonly transports: ReadonlySet<string>
  readonly rounds: number
  readonly seconds: number
  readonly objects: number
  readonly pods: number
  readonly deployments: number
  readonly apps: number
  readonly server: SiteName | 'auto'
}

/** Undefined for `--help`. Throws for invalid options. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      baseline: { type: 'string' },
      part: { type: 'string' },
      only: { type: 'string' },
      transport: { type: 'string', default: 'both' },
      rounds: { type: 'string', default: '9' },
      seconds: { type: 'string', default: '0.5' },
      objects: { type: 'string', default: '10000' },
      pods: { type: 'string', default: '500' },
      deployments: { type: 'string', default: '200' },
      apps: { type: 'string', default: '200' },
      server: { type: 'string', default: 'auto' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  if (values.baseline === undefined) throw new Error('--baseline needs a commit')
  const only = values.only?.split(',')
  const parts = chosenParts(values.part?.split(','), only)
  const known = new Set(parts.flatMap((part) => measurements[part]))
  const unknown = (only ?? []).filter((name) => !known.has(name))
  if (unknown.length > 0) throw new Error(`--only: no measurement of these parts is called ${unknown.join(', ')}`)
  const transports = ['http', 'in-process']
  return {
    baseline: values.baseline,
    parts,
    wanted: (measurement) => only?.includes(measurement) ?? true,
    transports: new Set(values.transport === 'both' ? transports : [oneOf('transport', values.transport, transports)]),
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    objects: positive('objects', values.objects),
    pods: positive('pods', values.pods),
    deployments: positive('deployments', values.deployments),
    apps: positive('apps', values.apps),
    server: oneOf('server', values.server, ['auto', 'real', 'ours'] as const),
  }
}

/** Without `--part`, the parts that have one of the measurements. */
function chosenParts(asked: readonly string[] | undefined, only: readonly string[] | undefined): readonly PartName[] {
  if (asked !== undefined) return asked.map((part) => oneOf('part', part, partNames))
  const has = (part: PartName): boolean => only?.some((name) => measurements[part].includes(name)) ?? true
  return partNames.filter(has)
}

function positive(name: string, text: string): number {
  const n = Number(text)
  if (!(n > 0)) throw new Error(`--${name} must be a number above 0, not ${text}`)
  return n
}

function oneOf<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text)
  if (found === undefined) throw new Error(`--${name} must be one of ${choices.join(', ')}, not ${text}`)
  return found
}
