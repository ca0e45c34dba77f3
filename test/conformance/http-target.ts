/** A server over HTTP: the embedded one in this process, with the clock of the replay, or any other by URL. */
import * as http from 'node:http'
import * as https from 'node:https'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../../src/api/json.ts'
import type { SimulatedEnv } from '../../src/env/simulated.ts'
import type { Answer, LiveRequest, Stream, Target } from './target.ts'
import { messageStream } from './web-socket.ts'

export interface HttpTargetOptions {
  /** `https://127.0.0.1:6443`. Its certificate is not verified. */
  readonly url: string
  /** Absent for a server with its own clock. */
  readonly clock?: SimulatedEnv
  /** The tokens to send, by recorded token. */
  readonly tokens?: ReadonlyMap<string, string>
  /** The maximum of connections; default 4. */
  readonly sockets?: number
  close?(): Promise<void>
}

/** The recorder's user agent. Its first part is the field manager of requests without one. */
const userAgent = 'probe/1.0'

export function httpTarget(options: HttpTargetOptions): Target {
  const url = new URL(options.url)
  const secure = url.protocol === 'https:'
  const theirs = [...(options.tokens ?? [])]
    .filter(([recorded, live]) => recorded !== live)
    // A WebSocket subprotocol contains a token in base64.
    .flatMap(
      ([recorded, live]) =>
        [
          [recorded, live],
          [base64(recorded), base64(live)],
        ] as const,
    )
  const agent = new (secure ? https : http).Agent({ keepAlive: true, maxSockets: options.sockets ?? 4 })

  function open(request: LiveRequest): Promise<Opened> {
    const { body } = request
    const payload =
      body === undefined ? undefined : exchange(typeof body === 'string' ? body : JSON.stringify(body), theirs)
    const headers: http.OutgoingHttpHeaders = {
      'user-agent': userAgent,
      authorization: exchange(`Bearer ${request.token}`, theirs),
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
      ...linesOf(request.headers, theirs),
    }
    return new Promise((resolve, reject) => {
      const sent = (secure ? https : http).request({
        agent,
        host: url.hostname,
        port: url.port,
        method: request.method,
        path: request.path,
        headers,
        rejectUnauthorized: false,
      })
      // A server may respond and close the connection before it has read a body that is too large: the response counts.
      sent.on('response', (response) => resolve({ response }))
      sent.on('upgrade', (response, socket, head) => resolve({ response, upgraded: { socket, head } }))
      sent.on('error', reject)
      sent.end(payload)
    })
  }

  const back = theirs.map(([recorded, live]) => [live, recorded] as const)

  async function send(request: LiveRequest): Promise<Answer> {
    const { response } = await open(request)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    // The response to a TokenReview contains the token of the request.
    const holds = theirs.some(([, live]) => live !== '' && bytes.includes(live))
    const body = { bytes: holds ? Buffer.from(exchange(bytes.toString('utf8'), back)) : bytes }
    return { status: response.statusCode ?? 0, headers: headersOf(response), body }
  }

  return {
    name: 'HTTP',
    wire: true,
    remote: options.clock === undefined,
    send,
    async watch(request) {
      const { response, upgraded } = await open(request)
      if (upgraded === undefined) return lineStream(response)
      const headers = Object.entries(headersOf(response)).map(([name, value]) => [name, exchange(value, back)])
      return messageStream(
        response,
        upgraded.socket,
        upgraded.head,
        Object.fromEntries(headers) as Record<string, string>,
      )
    },
    passTime: (ms) => options.clock?.advance(ms),
    now: () => options.clock?.now(),
    async idle() {
      // A round trip on another connection: everything that the server wrote before its response has then arrived.
      if (options.clock === undefined) await sleep(50)
      await send({ method: 'GET', path: '/livez', token: 'admintoken', headers: {}, body: undefined })
    },
    async close() {
      agent.destroy()
      await options.close?.()
    },
  }
}

interface Opened {
  readonly response: http.IncomingMessage
  /** Set if the server has switched protocols. */
  readonly upgraded?: { readonly socket: Duplex; readonly head: Buffer }
}

function base64(token: string): string {
  return Buffer.from(token).toString('base64url')
}

type Pairs = readonly (readonly [from: string, to: string])[]

function exchange(text: string, pairs: Pairs): string {
  return pairs.reduce((done, [from, to]) => done.replaceAll(from, () => to), text)
}

/** A value with several lines stands for a repeated header. */
function linesOf(headers: LiveRequest['headers'], tokens: Pairs): http.OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const text = exchange(value, tokens)
      return [name, text.includes('\n') ? text.split('\n') : text]
    }),
  )
}

function headersOf(response: http.IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return headers
}

/** Each line of a response is an event; so is a response in one piece. */
function lineStream(response: http.IncomingMessage): Stream {
  const events: Json[] = []
  let rest = ''
  let ended = false
  response.setEncoding('utf8')
  response.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const [i, line] of lines.entries()) {
      const event = parsed(line)
      if (event === undefined) {
        // Not one event per line, such as a Status over several lines: parsed at the end as a whole.
        rest = [...lines.slice(i), rest].join('\n')
        break
      }
      events.push(event)
    }
  })
  const end = (): void => {
    // Text that cannot be parsed stays in `rest`, which the comparison shows.
    const event = ended || rest === '' ? undefined : parsed(rest)
    if (event !== undefined) {
      events.push(event)
      rest = ''
    }
    ended = true
  }
  response.on('end', end)
  response.on('error', end)
  return {
    status: response.statusCode ?? 0,
    headers: headersOf(response),
    events,
    get ended() {
      return ended
    },
    get rest() {
      return rest
    },
    stop: () => void response.destroy(),
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
