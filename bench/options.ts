/** The command line of `npm run bench`. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Target } from './connection.ts'
import { deployment, widget, type PatchedKind } from './manifests.ts'
import { target } from './server-process.ts'

export const usage = `npm run bench [-- OPTIONS]
  --part P              run one part: server, runtime, cluster or webapp; --part P --help prints its options
  --baseline COMMIT     compare with the build of another commit; --baseline COMMIT --help prints its options
Without options, all parts run. With options and without --part, the server part runs. Its options:
  --only A,B            these measurements: create-configmap, create-deployment, create-pod, get, merge-patch,
                        status-patch, apply-changed, apply-unchanged, create-large, apply-large (a custom resource
                        of 200 fields and five rules), list, watch, start, memory, definitions (500 of them)
  --transport T         http, in-process or both (both)
  --kind K              the kind that is read, patched and listed: widget (a custom resource) or deployment (widget)
  --rounds N            rounds per measurement; the report shows medians and the spread (3)
  --seconds S           duration of each rate measurement (2)
  --warmup S            duration of the warm-up before the first round of each measurement; before later rounds it is a
                        quarter of --seconds (2)
  --clients N           concurrent connections, with one request at a time on each (32)
  --peer                also measure a real kube-apiserver, in alternating rounds: built with Go, started for the run
  --peer-url URL        like --peer, with a server that already runs at this URL
  --peer-token T        its bearer token
  --peer-ca FILE        its CA certificate; without it, the certificate is not verified
  --only-peer           measure only the peer
  --json                print the results as JSON
  --help`

const transports = ['http', 'in-process']

export interface Options {
  readonly only: ReadonlySet<string> | undefined
  readonly transports: ReadonlySet<string>
  readonly kind: PatchedKind
  readonly rounds: number
  readonly seconds: number
  readonly warmup: number
  readonly clients: number
  /** `real`: a kube-apiserver that the benchmark starts. */
  readonly peer: 'real' | Target | undefined
  readonly onlyPeer: boolean
  readonly json: boolean
}

/** Undefined for `--help`. Throws for invalid options. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      transport: { type: 'string', default: 'both' },
      kind: { type: 'string', default: 'widget' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      warmup: { type: 'string', default: '2' },
      clients: { type: 'string', default: '32' },
      peer: { type: 'boolean', default: false },
      'peer-url': { type: 'string' },
      'peer-token': { type: 'string', default: '' },
      'peer-ca': { type: 'string' },
      'only-peer': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const ca = values['peer-ca']
  const url = values['peer-url']
  const peer =
    url === undefined
      ? values.peer
        ? ('real' as const)
        : undefined
      : target('peer', url, values['peer-token'], ca === undefined ? undefined : readFileSync(ca, 'utf8'))
  if (values['only-peer'] && peer === undefined) throw new Error('--only-peer needs --peer or --peer-url')
  return {
    only: values.only === undefined ? undefined : new Set(values.only.split(',')),
    transports: new Set(values.transport === 'both' ? transports : [oneOf('transport', values.transport, transports)]),
    kind: oneOf('kind', values.kind, ['widget', 'deployment']) === 'widget' ? widget : deployment,
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    warmup: positive('warmup', values.warmup),
    clients: positive('clients', values.clients),
    peer,
    onlyPeer: values['only-peer'],
    json: values.json,
  }
}

function positive(name: string, text: string): number {
  const n = Number(text)
  if (!(n > 0)) throw new Error(`--${name} must be a number above 0, not ${text}`)
  return n
}

function oneOf(name: string, text: string, choices: readonly string[]): string {
  if (!choices.includes(text)) throw new Error(`--${name} must be one of ${choices.join(', ')}, not ${text}`)
  return text
}
