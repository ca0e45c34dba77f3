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
Sends the suite's cases to a real kube-apiserver and to ours, and compares the answers.

  --topic T           only this topic, or those whose names begin with it and a dash
  --case TEXT         only cases whose names hold this text
  --http              ours only over HTTP
  --in-process        ours only in process
  --show              print whole exchanges of what differs
  --update            keep the real answers as the project's fixtures
  --stored            compare with the answers that are kept, without a real server (npm run conformance)
  --url URL           a real server that runs already (default: one is started); its certificate is not checked
  --prefix TEXT       put before the names of namespaces, for a server that has seen the suite already
  --token TOKEN       the administrator's token there (default admintoken)
  --user-token TOKEN  the token of a user without rights there (default alicetoken)
  --help

Every control plane of the run has the store that COXSWAIN_STORE names: memory (default), or round-trip, which
serialises and parses every object it keeps.`

/** Undefined when help was asked for. */
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
    throw new TypeError('--update takes whole topics, without --case or --prefix')
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
