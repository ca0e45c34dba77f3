/** The command line of `npm run conformance`. */
import { parseArgs } from 'node:util'

export interface Options {
  readonly http: boolean
  readonly inProcess: boolean
  readonly file: string | undefined
  readonly record: number | undefined
  readonly all: boolean
  readonly json: boolean
  readonly update: boolean
  readonly url: string | undefined
  readonly tokens: ReadonlyMap<string, string>
  /** Milliseconds. */
  readonly wait: number
  readonly help: boolean
}

export const usage = `npm run -s conformance -- [OPTIONS]
Replays recorded exchanges with a real kube-apiserver and compares the answers. Writes docs/conformance.md.

  --http              only over HTTP
  --in-process        only in process
  --file NN           show all differences of this file
  --record N          with --file: stop after this record and show the whole exchange
  --all               show differences of the files that are only reported, too
  --json              print the summary as JSON
  --update            take the present numbers as the baseline
  --url URL           replay against another server, which must be empty; its certificate is not checked
  --token TOKEN       the administrator's token there (default admintoken)
  --user-token TOKEN  the token of a user without rights there (default alicetoken)
  --wait MS           how long that server may take to come to a recorded state (default 5000)
  --help`

export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      http: { type: 'boolean', default: false },
      'in-process': { type: 'boolean', default: false },
      file: { type: 'string' },
      record: { type: 'string' },
      all: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      url: { type: 'string' },
      token: { type: 'string', default: 'admintoken' },
      'user-token': { type: 'string', default: 'alicetoken' },
      wait: { type: 'string', default: '5000' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.record !== undefined && values.file === undefined) throw new TypeError('--record needs --file')
  const both = values.http === values['in-process']
  return {
    http: both || values.http,
    inProcess: values.url === undefined && (both || values['in-process']),
    file: values.file?.padStart(2, '0'),
    record: values.record === undefined ? undefined : wholeNumber('--record', values.record),
    all: values.all,
    json: values.json,
    update: values.update,
    url: values.url,
    tokens: new Map([
      ['admintoken', values.token],
      ['alicetoken', values['user-token']],
    ]),
    wait: wholeNumber('--wait', values.wait),
    help: values.help,
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new TypeError(`${name} needs a whole number, not '${text}'`)
  return Number(text)
}
