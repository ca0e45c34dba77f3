/**
 * Refuses connections and child processes that a reconcile opens in a simulation: the explorer could not inject faults
 * there, a plan would really call, and the simulated clock would run on. Systems that are declared with `external` are
 * exempt, and so is everything outside of a reconcile: the test itself, webhooks, the control plane.
 *
 * Expected flow: `install` while a cluster lives, `guarded` around its controllers, `unguarded` where it may connect.
 * If sockets are allowed, the clock stands still while a request of fetch or node:http, or a child process, is on its
 * way. Caveats: of other sockets only the connecting is known; a connection that somebody else has opened before is not
 * seen if fetch was kept in a variable.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import childProcess from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import type { ControllerDefinition, Reconcile } from '../controller/definition.ts'
import type { ApiObject } from '../api/live-object.ts'
import type { SimulatedEnv } from '../env/simulated.ts'

export interface GuardOptions {
  readonly env: SimulatedEnv
  readonly allowSockets: boolean
}

interface Reconciling extends GuardOptions {
  readonly controller: string
}

/** A reconcile of a simulation opens a connection or a child process without a declaration. */
export class UndeclaredConnectionError extends Error {
  constructor(controller: string, what: string) {
    super(
      `the controller ${controller} ${what} in a reconcile, which simulations and plans refuse: declare the system ` +
        'with external(…), and give tests a model of it; or set allowSockets: true in embedded()',
    )
    this.name = 'UndeclaredConnectionError'
  }
}

const reconciling = new AsyncLocalStorage<Reconciling | undefined>()
let installed = 0
let restore: () => void = () => undefined

/** The same controllers; what they open is refused while the guard is installed. */
export function guarded(
  definitions: readonly ControllerDefinition[],
  options: GuardOptions,
): readonly ControllerDefinition[] {
  return definitions.map((definition) => {
    const within = { ...options, controller: definition.name }
    const wrapped = <T extends ApiObject>(run: Reconcile<T>): Reconcile<T> => {
      return (context) => reconciling.run(within, () => run(context))
    }
    const { reconcile, deleting, finalizers } = definition
    return {
      ...definition,
      reconcile: wrapped(reconcile),
      deleting: deleting === undefined ? undefined : wrapped(deleting),
      finalizers: finalizers.map((each) => ({ ...each, cleanup: wrapped(each.cleanup) })),
    }
  })
}

/** Does something for a reconcile that is not its own code. */
export function unguarded<Result>(work: () => Result): Result {
  return reconciling.getStore() === undefined ? work() : reconciling.run(undefined, work)
}

/** Returns what ends it. */
export function installGuard(): () => void {
  if (installed++ === 0) restore = patched()
  let isOn = true
  return () => {
    if (!isOn) return
    isOn = false
    if (--installed === 0) restore()
  }
}

/** Throws if it is not allowed here. */
function check(what: string): void {
  const within = reconciling.getStore()
  if (within !== undefined && !within.allowSockets) throw new UndeclaredConnectionError(within.controller, what)
}

type Any = (this: unknown, ...args: unknown[]) => unknown
/** Builtin functions, by name. */
type Functions = Record<string, Any>

function patched(): () => void {
  const processes = childProcess as unknown as Functions
  const spawning = childProcess.ChildProcess.prototype as unknown as Functions
  const undo = [
    replace(
      Socket.prototype as unknown as Functions,
      'connect',
      (connect) =>
        function (...args) {
          check(`connects to ${addressOf(args)}`)
          return connect.apply(this, args)
        },
    ),
    replace(globalThis as unknown as Functions, 'fetch', (send) => async (...args) => {
      check(`calls fetch for ${hostOf(args[0])}`)
      return send(...args)
    }),
    replace(
      spawning,
      'spawn',
      (spawn) =>
        function (...args) {
          check('starts a child process')
          holdUntilClosed(this as EventEmitter)
          return spawn.apply(this, args)
        },
    ),
    ...['spawnSync', 'execSync', 'execFileSync'].map((name) =>
      replace(processes, name, (run) => (...args) => {
        check('starts a child process')
        return run(...args)
      }),
    ),
    listen('http.client.request.start', ({ request }) => onHttpRequest(request as HttpRequest)),
    ...undiciRequests(),
  ]
  syncBuiltinESMExports()
  return () => {
    for (const each of undo) each()
    syncBuiltinESMExports()
  }
}

function replace(target: Functions, name: string, made: (original: Any) => Any): () => void {
  const original = target[name] as Any
  const replacement = made(original)
  target[name] = replacement
  return () => {
    // Somebody else may have replaced it since.
    if (target[name] === replacement) target[name] = original
  }
}

type Message = Readonly<Record<string, unknown>>

function listen(channel: string, listener: (message: Message) => void): () => void {
  const onMessage = (message: unknown): void => listener(message as Message)
  subscribe(channel, onMessage)
  return () => unsubscribe(channel, onMessage)
}

type HttpRequest = EventEmitter & { destroy(error: Error): void; readonly host?: string }

/** Also one that reuses a connection. */
function onHttpRequest(request: HttpRequest): void {
  try {
    check(`sends a request to ${request.host ?? 'a server'}`)
    holdUntilClosed(request)
  } catch (error) {
    request.destroy(error as Error)
  }
}

/** Requests of fetch: the clock stands still until the response is complete. */
function undiciRequests(): readonly (() => void)[] {
  const ends = new Map<unknown, () => void>()
  const end = ({ request }: Message): void => {
    ends.get(request)?.()
    ends.delete(request)
  }
  return [
    listen('undici:request:create', ({ request }) => {
      hold((done) => ends.set(request, done))
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
  const within = reconciling.getStore()
  if (within !== undefined) void within.env.hold(new Promise<void>((resolve) => whenDone(resolve)))
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
