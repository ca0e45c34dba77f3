/**
 * Credentials from an exec plugin (client.authentication.k8s.io, v1 and v1beta1).
 *
 * The plugin runs when a request needs credentials and there are none, they expire within ten seconds, or the server
 * has rejected them. However many requests wait, it runs once. Credentials are kept by the plugin's whole configuration
 * and that of the cluster, so two clusters never share them and two clients of one cluster do.
 *
 * A plugin has limits of time and output. A call waits for it for a shorter time, and its error names the plugin: a
 * plugin that hangs must not be taken for a server that does not answer.
 */
import { isatty } from 'node:tty'
import type { Env, Timer } from '../env/env.ts'
import { isObject, type Json, type JsonObject } from '../api/json.ts'
import type { Credential, Credentials } from './credentials.ts'
import { credentialMask } from './credential-mask.ts'
import { abortError } from './deadline.ts'
import { ExecKilledError, runProgram, type ExecProgramOutput } from './exec-program.ts'
import { TransportError } from './transport.ts'

export interface ExecSpec {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1'
  readonly command: string
  readonly args: readonly string[]
  /** In addition to the process's own. */
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always'
  /** How to install the program; shown if it is missing. */
  readonly installHint?: string | undefined
  /** The cluster information for the program; undefined unless it asks for it (provideClusterInfo). */
  readonly cluster?: JsonObject | undefined
}

export interface ExecPluginOptions {
  readonly env: Env
  readonly spec: ExecSpec
  /** Distinguishes clusters: credentials are not shared between them. */
  readonly clusterKey: string
  /** The owner of the credentials, for errors. */
  readonly owner: string
  /** Receives the program's stderr without credentials. Default: this process's stderr. */
  readonly onStderr?: ((chunk: Uint8Array) => void) | undefined
  /** Default: whether stdin is a terminal. */
  readonly isTerminal?: boolean | undefined
  /** Default: the process's. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined
}

/** Credentials that expire earlier are not used any more. */
const leewayMs = 10_000

/** client-go has no limit. A person who logs in, in a terminal, needs more time than a program. */
const timeoutMs = 60_000
const interactiveTimeoutMs = 600_000
/** How long a call waits: less than the 30 s after which calls and watches take a server for silent. */
const maxWaitMs = 20_000
const maxOutputBytes = 1024 * 1024

/** The exec plugins of a process, by their whole configuration and that of the cluster. */
export class ExecPlugins {
  /** A clock decides when credentials expire, so each Env has its own plugins. */
  readonly #byEnv = new WeakMap<Env, Map<string, ExecPlugin>>()

  /** Equal configurations get the same credentials. */
  credentials(options: ExecPluginOptions): Credentials {
    let plugins = this.#byEnv.get(options.env)
    if (plugins === undefined) this.#byEnv.set(options.env, (plugins = new Map()))
    const key = JSON.stringify([options.spec, options.clusterKey])
    let plugin = plugins.get(key)
    if (plugin === undefined) plugins.set(key, (plugin = new ExecPlugin(options)))
    return plugin
  }
}

/** Shared by all clients of the process, as in client-go: one login serves them all. */
export const processExecPlugins: ExecPlugins = new ExecPlugins()

interface IssuedCredential {
  readonly credential: Credential
  /** Milliseconds since the epoch; Infinity: until the server rejects it. */
  readonly expiresAt: number
}

class ExecPlugin implements Credentials {
  readonly #options: ExecPluginOptions
  #given: IssuedCredential | undefined
  #run: { readonly result: Promise<IssuedCredential>; readonly stop: AbortController; waitingCount: number } | undefined

  constructor(options: ExecPluginOptions) {
    this.#options = options
  }

  async current(signal?: AbortSignal): Promise<Credential> {
    const given = this.#given
    if (given !== undefined && this.#options.env.now() < given.expiresAt - leewayMs) return given.credential
    return (await this.#wait(signal)).credential
  }

  refused(used: Credential): boolean {
    if (this.#given?.credential === used) this.#given = undefined
    return true
  }

  /**
   * The program is stopped when no call waits for it any more, unless these calls timed out: a login in a browser takes
   * longer than a call, and the next call finds the program still running.
   */
  async #wait(signal: AbortSignal | undefined): Promise<IssuedCredential> {
    const run = (this.#run ??= this.#start())
    run.waitingCount++
    let abort = (): void => {}
    let isLate = false
    const startedAt = this.#options.env.monotonic()
    const late = (): TransportError => {
      isLate = true
      return this.#failure(
        `has given no credentials for ${(this.#options.env.monotonic() - startedAt) / 1000} s: it still runs`,
      )
    }
    let timer: Timer | undefined
    const aborted = new Promise<never>((_, reject) => {
      abort = () => {
        const error = abortError(signal, false)
        reject(error.code === 'TIMEOUT' ? late() : error)
      }
      if (signal?.aborted === true) abort()
      signal?.addEventListener('abort', abort)
      timer = this.#options.env.after(maxWaitMs, () => reject(late()))
    })
    try {
      return await Promise.race([run.result, aborted])
    } finally {
      timer?.cancel()
      signal?.removeEventListener('abort', abort)
      if (--run.waitingCount === 0 && !isLate) run.stop.abort()
    }
  }

  #start(): { result: Promise<IssuedCredential>; stop: AbortController; waitingCount: number } {
    const stop = new AbortController()
    const result = this.#execute(stop.signal).finally(() => (this.#run = undefined))
    result.catch(() => {})
    return { result, stop, waitingCount: 0 }
  }

  async #execute(signal: AbortSignal): Promise<IssuedCredential> {
    const { env, spec, owner, isTerminal = isatty(0), variables = process.env } = this.#options
    if (spec.interactiveMode === 'Always' && !isTerminal) {
      throw this.#failure('must talk to a user (interactiveMode: Always), but standard input is not a terminal')
    }
    const interactive = spec.interactiveMode !== 'Never' && isTerminal
    const info: Json = {
      kind: 'ExecCredential',
      apiVersion: spec.apiVersion,
      spec: { interactive, ...(spec.cluster === undefined ? {} : { cluster: spec.cluster }) },
    }
    const added = Object.fromEntries(spec.env.map(({ name, value }) => [name, value]))
    for (const { name, value } of spec.env) if (secretVariable.test(name)) credentialMask.addSecret(value)
    let output: ExecProgramOutput
    try {
      output = await runProgram({
        env,
        command: spec.command,
        args: spec.args,
        signal,
        timeoutMs: interactive ? interactiveTimeoutMs : timeoutMs,
        maxOutputBytes,
        interactive,
        // A person must see the prompt. Other text waits until the credentials in it are known.
        onStderr: interactive ? (chunk) => this.#passOn(credentialMask.text(chunk.toString())) : () => undefined,
        variables: { ...variables, ...added, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      })
    } catch (error) {
      if (error instanceof ExecKilledError) {
        if (!interactive) this.#passOn(credentialMask.programText(error.stderr))
        throw this.#failure(`${error.message} and was killed${lastWords(error.stderr)}`)
      }
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        throw this.#failure(`did not start: ${(error as Error).message}`, error)
      const hint = spec.installHint === undefined ? 'install it, or correct the command' : spec.installHint.trim()
      throw new TransportError(
        'CREDENTIALS',
        `${owner}: the exec plugin ${spec.command} is not installed: ${hint}`,
        false,
        error,
      )
    }
    addPrinted(output.stdout)
    try {
      if (output.code !== 0) throw this.#failure(`ended with ${output.ending}${lastWords(output.stderr)}`)
      return (this.#given = this.#read(output.stdout))
    } finally {
      if (!interactive) this.#passOn(credentialMask.programText(output.stderr))
    }
  }

  /** Text of the program for people, already masked. */
  #passOn(text: string): void {
    if (text === '') return
    const line = Buffer.from(text.endsWith('\n') ? text : `${text}\n`)
    const { onStderr } = this.#options
    if (onStderr === undefined) process.stderr.write(line)
    else onStderr(line)
  }

  #read(text: string): IssuedCredential {
    let answer: unknown
    try {
      answer = JSON.parse(text)
    } catch {
      // The reason would show a part of the output.
      throw this.#failure('did not print an ExecCredential as JSON')
    }
    const { apiVersion } = this.#options.spec
    if (!isObject(answer) || answer['kind'] !== 'ExecCredential') throw this.#failure('did not print an ExecCredential')
    if (answer['apiVersion'] !== apiVersion) {
      const printed = shown(JSON.stringify(answer['apiVersion'] ?? null))
      throw this.#failure(`printed apiVersion ${printed}, but the kubeconfig asks for ${apiVersion}`)
    }
    const { status } = answer
    if (!isObject(status)) throw this.#failure('printed an ExecCredential without status')
    const field = (name: string): string | undefined => {
      const value = status[name] ?? undefined
      if (value === undefined || typeof value === 'string') return value === '' ? undefined : value
      throw this.#failure(`printed a status.${name} that is not text`)
    }
    const [token, cert, key, expiration] = [
      field('token'),
      field('clientCertificateData'),
      field('clientKeyData'),
      field('expirationTimestamp'),
    ]
    if ((cert === undefined) !== (key === undefined))
      throw this.#failure('printed only one of clientCertificateData and clientKeyData')
    if (token === undefined && cert === undefined) throw this.#failure('printed neither a token nor a certificate')
    const expiresAt = expiration === undefined ? Infinity : Date.parse(expiration)
    if (Number.isNaN(expiresAt))
      throw this.#failure(`printed an expirationTimestamp that is not a time: ${shown(String(expiration))}`)
    const credential: Credential = {
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      certificate: cert === undefined || key === undefined ? undefined : { cert, key },
    }
    return { expiresAt, credential }
  }

  #failure(why: string, cause?: unknown): TransportError {
    const { owner, spec } = this.#options
    return new TransportError('CREDENTIALS', `${owner}: the exec plugin ${spec.command} ${why}`, false, cause)
  }
}

/** Names of variables with secrets, but not those of their files. */
const secretVariable = /(?:token|secret|password|key)(?!.*(?:file|path|dir))/i

/** The last kilobyte of a program's stderr, for an error. */
function lastWords(stderr: string): string {
  const text = credentialMask.programText(stderr).slice(-1024).trim()
  return text === '' ? '' : `: ${text}`
}

/** A value that a program has printed in the wrong place, and that may be a secret. */
function shown(text: string): string {
  return credentialMask.programText(text).slice(0, 100)
}

/** The secrets in the output of a program, even if it is not valid. */
function addPrinted(stdout: string): void {
  for (const [, text = ''] of stdout.matchAll(/"(?:token|clientKeyData)"\s*:\s*"((?:[^"\\]|\\.)*)"/g))
    credentialMask.addSecret(text.replaceAll('\\n', '\n').replaceAll(/-----[A-Z ]+-----/g, ''))
}
