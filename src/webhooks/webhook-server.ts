/**
 * Serves webhooks over HTTPS: one path each, reviews of at most 7 MiB within 10 s, 1,000 connections, and a certificate
 * that can be replaced at run time.
 */
import { createServer, type Server } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Json } from '../api/json.ts'
import type { Client } from '../client/client.ts'
import type { Env } from '../env/env.ts'
import type { ExternalServices } from '../external/external-handle.ts'
import { externalServices } from '../external/external-user.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { WebhookMetrics } from '../telemetry/webhook-metrics.ts'
import { admissionReview, ReviewError, type Reviewed } from './admission-review.ts'
import type { AdmissionWebhook } from './admission-webhook.ts'
import { ListenError } from './listen-error.ts'
import { answerConversionReview, type ConversionWebhook } from './conversion-webhook.ts'

export type Webhook = AdmissionWebhook | ConversionWebhook

export interface WebhookServerOptions {
  readonly env: Env
  readonly client: Client
  readonly log: Logger
  readonly metrics: WebhookMetrics
  readonly host?: string | undefined
  /** 0: any free port. */
  readonly port: number
  readonly webhooks: readonly Webhook[]
  /** Carries out calls of external systems. Default: their implementations do, without metrics. */
  readonly externals?: ExternalServices | undefined
}

/** PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** Anybody in the cluster may connect. The API server sends a review at once. */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  handshakeTimeout: 5_000,
}
const maxConnections = 1_000

/** A review has the old and the new object, of at most 3 MiB each, and some more. */
const maxBodyBytes = 7 * 1024 * 1024

type ReviewHandler = (review: Json, signal: AbortSignal) => Reviewed | Promise<Reviewed>

export class WebhookServer {
  readonly #options: WebhookServerOptions
  readonly #paths: ReadonlyMap<string, ReviewHandler>
  /** Responses that have not been sent yet. */
  readonly #inHand = new Set<Promise<void>>()
  /** Tracked because Node closes neither connections without a request nor those in a TLS handshake. */
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #pair: KeyPair | undefined

  /** Throws if two webhooks have the same path. */
  constructor(options: WebhookServerOptions) {
    this.#options = options
    this.#paths = reviewHandlers(options)
  }

  get isListening(): boolean {
    return this.#server?.listening ?? false
  }

  get port(): number {
    const bound = this.#server?.address()
    if (bound === null || bound === undefined || typeof bound === 'string')
      throw new Error('the webhook server is not listening')
    return bound.port
  }

  async start(pair: KeyPair): Promise<void> {
    const { host, port } = this.#options
    const server = createServer({ ...pair, ...limits, minVersion: 'TLSv1.2' }, (request, response) => {
      const gone = new Promise<void>((resolve) => response.once('close', () => resolve()))
      this.#inHand.add(gone)
      void gone.then(() => this.#inHand.delete(gone))
      this.#serve(request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy()
        else plain(response, 500, error instanceof Error ? error.message : String(error))
      })
    })
    server.maxConnections = maxConnections
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.#server = server
    this.#pair = pair
    await new Promise<void>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException): void => {
        reject(new ListenError(`${host ?? ''}:${port}`, 'webhook-bind-address', error))
      }
      server.once('error', failed)
      server.listen(port, host, () => {
        server.off('error', failed)
        resolve()
      })
    })
  }

  /** Used from the next connection on. */
  use(pair: KeyPair): void {
    if (pair.cert === this.#pair?.cert && pair.key === this.#pair.key) return
    this.#server?.setSecureContext({ ...pair, minVersion: 'TLSv1.2' })
    this.#pair = pair
  }

  /** Completes current reviews, then closes all connections, including idle ones. */
  async stop(): Promise<void> {
    const server = this.#server
    if (server?.listening !== true) return
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    await Promise.all(this.#inHand)
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { env, metrics } = this.#options
    const path = (request.url ?? '/').split('?')[0] as string
    const answer = this.#paths.get(path)
    if (answer === undefined) return plain(response, 404, `nothing here; try ${[...this.#paths.keys()].join(', ')}`)
    const labels = { webhook: path }
    const startedAt = env.monotonic()
    metrics.inFlight.add(labels, 1)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    let code = 500
    try {
      code = await this.#answer(request, response, path, answer, gone.signal)
    } finally {
      metrics.inFlight.add(labels, -1)
      metrics.seconds.observe(labels, (env.monotonic() - startedAt) / 1000)
      metrics.requests.inc({ ...labels, code: String(code) })
    }
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    answer: ReviewHandler,
    signal: AbortSignal,
  ): Promise<number> {
    const refuse = (code: number, message: string): number => {
      plain(response, code, message)
      return code
    }
    if (request.method !== 'POST') return refuse(405, 'a review is sent by POST')
    if (request.headers['content-type']?.split(';')[0]?.trim() !== 'application/json')
      return refuse(415, 'a review is application/json')
    const body = await read(request)
    if (body === undefined) return refuse(413, `a review has at most ${maxBodyBytes} bytes`)
    try {
      const { body: reviewed, code, failure } = await answer(JSON.parse(body) as Json, signal)
      if (failure !== undefined) this.#reportFailure(path, failure)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reviewed))
      return code
    } catch (error) {
      if (error instanceof ReviewError || error instanceof SyntaxError) return refuse(400, error.message)
      throw error
    }
  }

  #reportFailure(path: string, error: unknown): void {
    const { log, metrics } = this.#options
    log.error('a webhook failed', { webhook: path, error })
    if (path === '/convert') metrics.conversionPanics.inc({})
    else metrics.panics.inc({})
  }
}

function reviewHandlers(options: WebhookServerOptions): ReadonlyMap<string, ReviewHandler> {
  const { env, webhooks, client, log, externals = externalServices(env) } = options
  const paths = new Map<string, ReviewHandler>()
  for (const webhook of webhooks) {
    if (webhook.type === 'conversion') continue
    if (paths.has(webhook.path)) throw new Error(`two webhooks are at ${webhook.path}: join them`)
    const named = log.with({ webhook: webhook.path })
    paths.set(webhook.path, (review, signal) =>
      admissionReview(webhook, review, { client, signal, log: named, externals }),
    )
  }
  const conversions = webhooks.filter((webhook) => webhook.type === 'conversion')
  if (conversions.length > 0) paths.set('/convert', (review) => answerConversionReview(conversions, review))
  return paths
}

/** Undefined: too large. */
async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`)
}
