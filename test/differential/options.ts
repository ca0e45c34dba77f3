/** The command line of the differential suite. */
import { parseArgs } from 'node:util'

export interface Options {
  readonly topic: string | undefined
  readonly case: string | undefined
  readonly http: boolean
  readonly inProcess: boolean
  readonly update: boolean
  readonly stored: boolean
  readonly url: string | undefined
  readonly prefix: string
  readonly token: string
  readonly userToken: string
  readonly show: boolean
}

export const usage = `npm run -s differential -- [OPTIONS]
Sends the suite's cases to a real kube-apiserver and to ours, and compares the responses.

  --topic T           only this topic, and topics whose names start with it and a dash
  --case TEXT         only cases whose names contain this text
  --http              run ours only over HTTP
  --in-process        run ours only in process
  --show              print requests and responses that differ in full
  --update            store the responses of the real server as the project's recorded answers
  --stored            compare with the recorded answers, without a real server (npm run conformance)
  --url URL           a running real server (default: start one); its certificate is not verified
  --prefix TEXT       prefix of namespace names, for a server on which the suite has run before
  --token TOKEN       the administrator's token for --url (default admintoken)
  --user-token TOKEN  the token of a user without rights for --url (default alicetoken)
  --help

COXSWAIN_STORE selects the store of our control planes: memory (default), or round-trip, which serializes and parses
every object.`

/** Undefined for `--help`. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      topic: { type: 'string' },
      case: { type: 'string' },
      http: { type: 'boolean', default: false },
      'in-process': { type: 'boolean', default: false },
      show: { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      stored: { type: 'boolean', default: false },
      url: { type: 'string' },
      prefix: { type: 'string', default: '' },
      token: { type: 'string', default: 'admintoken' },
      'user-token': { type: 'string', default: 'alicetoken' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  if (values.update && (values.prefix !== '' || values.case !== undefined)) {
    throw new TypeError('--update needs whole topics: it cannot be combined with --case or --prefix')
  }
  const both = values.http === values['in-process']
  return {
    topic: values.topic,
    case: values.case,
    http: both || values.http,
    inProcess: both || values['in-process'],
    update: values.update,
    stored: values.stored,
    url: values.url,
    prefix: values.prefix,
    token: values.token,
    userToken: values['user-token'],
    show: values.show,
  }
}
