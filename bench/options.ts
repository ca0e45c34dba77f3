/** The command line of `npm run bench`. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Target } from './connection.ts'
import { deployment, widget, type PatchedKind } from './manifests.ts'
import { target } from './server-process.ts'

export const usage = `npm run bench [-- OPTIONS]
  --only A,B            these measurements: create-configmap, create-deployment, create-pod, get, merge-patch,
                        status-patch, apply-changed, apply-unchanged, create-large, apply-large (a custom resource
                        of 200 fields and five rules), list, watch, start, memory, definitions (500 of them)
  --transport T         http, in-process or both (both)
  --kind K              what is read, patched and listed: widget (a custom resource) or deployment (widget)
  --rounds N            how often each is measured; medians and the spread are told (3)
  --seconds S           how long each rate is measured (2)
  --warmup S            how long requests are sent before the first round of each; a quarter of the seconds before the
                        others (2)
  --clients N           connections, one request at a time on each (32)
  --peer                measure a real kube-apiserver in turn with ours: it is built (Go is needed), started and ended
  --peer-url URL        in its place another server that runs already
  --peer-token T        its bearer token
  --peer-ca FILE        its CA; without it, the certificate is not checked
  --only-peer           measure the peer alone
  --json                results as JSON
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
  /** `real`: a kube-apiserver of our own making. */
  readonly peer: 'real' | Target | undefined
  readonly onlyPeer: boolean
  readonly json: boolean
}

/** Undefined when help was asked for. Throws for what it does not understand. */
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
