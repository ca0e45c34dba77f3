/**
 * Waits for the dependencies of a program: a health endpoint of another one, or a CRD. Logs what it waits for, and why.
 */
import { get as httpGet } from 'node:http'
import { get as httpsGet } from 'node:https'
import { isNotFound } from '../api/error-reasons.ts'
import type { Client } from '../client/client.ts'
import type { Env } from '../env/env.ts'
import { pause } from '../env/pause.ts'
import { CustomResourceDefinition } from '../schema/builtin/kinds.ts'
import type { Logger } from '../telemetry/logger.ts'

export interface WaitServices {
  readonly env: Env
  readonly client: Client
  readonly log: Logger
}

const periodMs = 1_000
const timeoutMs = 5_000
/** The interval at which the same reason is logged again. */
const maxSilenceMs = 10_000

/** Throws for anything that is neither a URL nor `crd/NAME`. */
export function checkWaitFor(names: readonly string[]): void {
  for (const name of names) {
    if (!/^crd\/[^/]+\.[^/]+$/.test(name) && !/^https?:\/\//.test(name)) {
      throw new Error(
        `"${name}" cannot be waited for: give the URL of a health endpoint, or crd/ and the name of a CRD, ` +
          'as in crd/webapps.example.dev',
      )
    }
  }
}

/** Resolves when all are available, or the signal aborts. */
export async function waitFor(services: WaitServices, names: readonly string[], signal: AbortSignal): Promise<void> {
  for (const name of names) await waitForOne(services, name, signal)
}

async function waitForOne(services: WaitServices, name: string, signal: AbortSignal): Promise<void> {
  const { env, log } = services
  const startedAt = env.monotonic()
  let reported: { readonly why: string; readonly at: number } | undefined
  while (!signal.aborted) {
    const why = await missing(services, name, signal)
    if (signal.aborted) return
    if (why === undefined) {
      if (reported !== undefined)
        log.info('is there', { waitedFor: name, seconds: Math.round((env.monotonic() - startedAt) / 1000) })
      return
    }
    if (reported?.why !== why || env.monotonic() - reported.at >= maxSilenceMs) {
      log.info('waiting', { waitingFor: name, why })
      reported = { why, at: env.monotonic() }
    }
    await pause(env, periodMs, signal)
  }
}

/** Why it is not available yet; undefined if it is. */
async function missing(services: WaitServices, name: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return name.startsWith('crd/')
      ? await missingDefinition(services.client, name.slice('crd/'.length), signal)
      : await unhealthy(services.env, name, signal)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function missingDefinition(client: Client, name: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { status } = await client.get(CustomResourceDefinition, { name }, { signal, timeoutMs })
    return status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True') ===
      true
      ? undefined
      : 'it is not established'
  } catch (error) {
    if (isNotFound(error)) return 'there is none'
    throw error
  }
}

function unhealthy(env: Env, url: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const enough = new AbortController()
    const timer = env.after(timeoutMs, () => enough.abort(new Error(`no answer within ${timeoutMs / 1000} s`)))
    const request = (url.startsWith('https:') ? httpsGet : httpGet)(
      url,
      { agent: false, signal: AbortSignal.any([signal, enough.signal]) },
      (response) => {
        response.resume()
        const { statusCode = 0 } = response
        resolve(statusCode >= 200 && statusCode < 300 ? undefined : `it answers ${statusCode}`)
      },
    )
    request.once('error', (error) => reject(enough.signal.aborted ? (enough.signal.reason as Error) : error))
    request.once('close', () => timer.cancel())
  })
}
