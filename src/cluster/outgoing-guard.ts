/**
 * Refuses connections, look-ups of names, child processes and threads that the program under test opens in a
 * simulation: the explorer could inject no faults there, a plan would really call, and simulated time would go by.
 * Systems that are declared with `external` are exempt, and so is everything outside of the program: the test itself,
 * the control plane.
 *
 * Expected flow: `installGuard` while a cluster lives; user-code.ts marks the code of the program. If sockets are
 * allowed, the clock stands still while a request of fetch or node:http, or a child process, is on its way. Caveats: of
 * other sockets only the connecting is known. A loop that a module has started when it was loaded is not known to be of
 * the program, nor is what an addon does without Node. A class `Worker`, or a function that looks up names, that a
 * CommonJS module has taken out of its module before is not guarded.
 */
import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import dns from 'node:dns'
import type { EventEmitter } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import threads from 'node:worker_threads'
import { replace, replaced } from './replaced-builtins.ts'
import { runningCode } from './user-code.ts'

/** The program under test opens a connection or a child process without a declaration. */
export class UndeclaredConnectionError extends Error {
  constructor(who: string, what: string) {
    super(
      `${who} ${what}, which simulations and plans refuse: declare the system with external(…), and give tests a ` +
        'model of it; or set allowSockets: true in embedded()',
    )
    this.name = 'UndeclaredConnectionError'
  }
}

let installed = 0
let restore: () => void = () => undefined

/** Returns what ends it. */
export function installGuard(): () => void {
  if (installed++ === 0)
    restore = replaced(() => [...sockets(), ...lookUps(), ...processes(), ...requests(), ...classes()])
  let isOn = true
  return () => {
    if (!isOn) return
    isOn = false
    if (--installed === 0) restore()
  }
}

/** Throws if it is not allowed here. */
function check(what: string): void {
  const code = runningCode()
  if (code !== undefined && !code.allowSockets) throw new UndeclaredConnectionError(code.who, what)
}

/** `what`: of its arguments. */
function refusing(target: object, name: string, what: (args: readonly unknown[]) => string): () => void {
  return replace(
    target,
    name,
    (original) =>
      function (...args) {
        check(what(args))
        return original.apply(this, args)
      },
  )
}

/** Code in another thread is not known to be of the program. */
function classes(): readonly (() => void)[] {
  const streams = ['WebSocket', 'EventSource'].filter((name) => name in globalThis)
  return [
    refusingNew(threads, 'Worker', () => 'starts a thread'),
    ...streams.map((name) => refusingNew(globalThis, name, ([url]) => `opens a ${name} to ${hostOf(url)}`)),
  ]
}

function refusingNew(target: object, name: string, what: (args: readonly unknown[]) => string): () => void {
  return replace(
    target,
    name,
    (original) =>
      new Proxy(original, {
        construct: (made, args: unknown[], newTarget) => {
          check(what(args))
          return Reflect.construct(made, args, newTarget) as object
        },
      }),
  )
}

function sockets(): readonly (() => void)[] {
  const datagram = (): string => 'opens a datagram socket'
  return [
    refusing(net.Socket.prototype, 'connect', (args) => `connects to ${addressOf(args)}`),
    refusing(net.Server.prototype, 'listen', () => 'listens for connections'),
    ...['bind', 'connect', 'send'].map((name) => refusing(dgram.Socket.prototype, name, datagram)),
  ]
}

/** Names are resolved by the machine, or by a server that it asks. */
function lookUps(): readonly (() => void)[] {
  return [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype].flatMap((target) =>
    Object.getOwnPropertyNames(target)
      .filter((name) => /^(lookup|resolve|reverse)/.test(name))
      .map((name) => refusing(target, name, ([host]) => `looks up ${String(host)}`)),
  )
}

function processes(): readonly (() => void)[] {
  const what = (): string => 'starts a child process'
  return [
    replace(
      childProcess.ChildProcess.prototype,
      'spawn',
      (spawn) =>
        function (...args) {
          check(what())
          holdUntilClosed(this as EventEmitter)
          return spawn.apply(this, args)
        },
    ),
    ...['spawnSync', 'execSync', 'execFileSync'].map((name) => refusing(childProcess, name, what)),
  ]
}

type Message = Readonly<Record<string, unknown>>

function listen(channel: string, listener: (message: Message) => void): () => void {
  const onMessage = (message: unknown): void => listener(message as Message)
  subscribe(channel, onMessage)
  return () => unsubscribe(channel, onMessage)
}

/** Also those that reuse a connection. */
function requests(): readonly (() => void)[] {
  return [
    replace(globalThis, 'fetch', (send) => async (...args) => {
      check(`calls fetch for ${hostOf(args[0])}`)
      return send(...args)
    }),
    // Before an open connection is used: the channel comes after the request was written to it.
    refusing(http.Agent.prototype, 'addRequest', ([request, at]) => sendsTo(request as HttpRequest, at as Address)),
    listen('http.client.request.start', ({ request }) => onHttpRequest(request as HttpRequest)),
    ...undiciRequests(),
  ]
}

type HttpRequest = EventEmitter & { destroy(error: Error): void; readonly host?: string }

interface Address {
  readonly port?: number | string
}

function sendsTo({ host = 'a server' }: HttpRequest, { port }: Address = {}): string {
  return `sends a request to ${host}${port === undefined ? '' : `:${port}`}`
}

/** With an agent of its own. What a listener of a channel throws does not reach the caller. */
function onHttpRequest(request: HttpRequest): void {
  try {
    check(sendsTo(request))
    holdUntilClosed(request)
  } catch (error) {
    request.destroy(error as Error)
  }
}

interface UndiciRequest {
  readonly origin?: unknown
  onError?(error: Error): void
  /** Of newer versions. */
  onResponseError?(error: Error): void
}

/** Of fetch, also of one that was kept in a variable. The clock stands still until the response is complete. */
function undiciRequests(): readonly (() => void)[] {
  const ends = new Map<unknown, () => void>()
  const end = ({ request }: Message): void => {
    ends.get(request)?.()
    ends.delete(request)
  }
  return [
    listen('undici:request:create', (message) => {
      const request = message['request'] as UndiciRequest
      try {
        check(`sends a request to ${hostOf(request.origin)}`)
        hold((done) => ends.set(request, done))
      } catch (error) {
        if (request.onError === undefined) request.onResponseError?.(error as Error)
        else request.onError(error as Error)
      }
    }),
    listen('undici:request:trailers', end),
    listen('undici:request:error', end),
  ]
}

function holdUntilClosed(of: EventEmitter): void {
  hold((done) => of.once('close', done))
}

/** The clock of the simulation stands still until `whenDone` calls back. */
function hold(whenDone: (done: () => void) => void): void {
  const code = runningCode()
  if (code !== undefined) void code.env.hold(new Promise<void>((resolve) => whenDone(resolve)))
}

function addressOf(args: readonly unknown[]): string {
  // Node's own callers pass one list of all arguments.
  const [first, second] = (Array.isArray(args[0]) ? args[0] : args) as readonly unknown[]
  if (typeof first !== 'object' || first === null)
    return `${typeof second === 'string' ? second : 'localhost'}:${String(first)}`
  const {
    host = 'localhost',
    port,
    path,
  } = first as { readonly host?: string; readonly port?: number; readonly path?: string }
  return port === undefined ? (path ?? host) : `${host}:${port}`
}

function hostOf(input: unknown): string {
  const url = input instanceof Request ? input.url : String(input)
  return URL.canParse(url) ? new URL(url).host : url
}
