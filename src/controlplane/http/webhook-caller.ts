/** Calls a webhook over HTTPS and reports failures with upstream's messages. */
import { request as httpsRequest } from 'node:https'
import type { FrozenJson, Json } from '../../api/json.ts'
import type { Env } from '../../env/env.ts'
import { bodyTypeError } from '../registry/body-type-errors.ts'

export interface CalledWebhook {
  readonly url?: string
  readonly service?: {
    readonly name: string
    readonly namespace: string
    readonly path?: string
    readonly port?: number
  }
  /** Base64 of PEM. Default: the CAs of the machine. */
  readonly caBundle?: string
  /** Whether the Service exists. */
  readonly isServed: boolean
}

const maxResponseBytes = 3 * 1024 * 1024

/** Calls webhooks by URL only: there is no network to Services here. Rejects with an Error that says what happened. */
export function webhookCaller(
  env: Env,
): (webhook: CalledWebhook, review: Json, timeoutSeconds: number) => Promise<FrozenJson> {
  return async (webhook, review, timeoutSeconds) => {
    const { url, service } = webhook
    const address = `${withPath(url ?? serviceUrl(service as Reached))}?timeout=${timeoutSeconds}s`
    const posting = `Post ${JSON.stringify(address)}`
    if (url === undefined) {
      const name = JSON.stringify(service?.name ?? '')
      throw new Error(
        `${posting}: ${webhook.isServed ? `no endpoints available for service ${name}` : `service ${name} not found`}`,
      )
    }
    const { status, text } = await posted(env, address, webhook.caBundle, JSON.stringify(review), timeoutSeconds).catch(
      (error: unknown) => {
        throw new Error(`${posting}: ${reason(error as NodeJS.ErrnoException, address)}`, { cause: error })
      },
    )
    if (status === 404) throw new Error('the server could not find the requested resource')
    if (status !== 200)
      throw new Error(
        `an error on the server (${JSON.stringify(text.trim())}) has prevented the request from succeeding`,
      )
    try {
      return JSON.parse(text) as FrozenJson
    } catch (error) {
      // Upstream decodes anything that is not JSON as YAML, which makes it a string.
      const why = /^\s*[{["]/.test(text)
        ? `couldn't get version/kind; json parse error: ${(error as Error).message}`
        : bodyTypeError(text)
      throw new Error(why, { cause: error })
    }
  }
}

type Reached = NonNullable<CalledWebhook['service']>

function serviceUrl({ name, namespace, path = '', port = 443 }: Reached): string {
  return `https://${name}.${namespace}.svc:${port}${path}`
}

/** Go's client requests `https://host` as `https://host/`. */
function withPath(url: string): string {
  return /^https:\/\/[^/]+$/.test(url) ? `${url}/` : url
}

class DeadlineExceeded extends Error {}

function posted(
  env: Env,
  url: string,
  caBundle: string | undefined,
  body: string,
  timeoutSeconds: number,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const ca = caBundle === undefined || caBundle === '' ? undefined : Buffer.from(caBundle, 'base64')
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'kube-apiserver-admission',
      'content-length': Buffer.byteLength(body),
    }
    const sent = httpsRequest(url, { method: 'POST', ca, agent: false, headers }, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response
        .on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > maxResponseBytes) sent.destroy(new Error(`response exceeds ${maxResponseBytes} bytes`))
          chunks.push(chunk)
        })
        .on('end', () => {
          timer.cancel()
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') })
        })
        .on('error', reject)
    })
    const timer = env.after(timeoutSeconds * 1000, () => sent.destroy(new DeadlineExceeded()))
    sent.on('error', (error) => {
      timer.cancel()
      reject(error)
    })
    sent.end(body)
  })
}

function reason(
  error: NodeJS.ErrnoException & { readonly address?: string; readonly port?: number },
  url: string,
): string {
  const { host } = new URL(url)
  if (error instanceof DeadlineExceeded) return 'context deadline exceeded'
  if (error.code === 'ECONNREFUSED')
    return `dial tcp ${error.address ?? host}:${error.port ?? ''}: connect: connection refused`
  if (error.code === 'ENOTFOUND') return `dial tcp: lookup ${new URL(url).hostname}: no such host`
  if (error.code === 'ECONNRESET') return 'EOF'
  if (/SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(error.code ?? '')) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority'
  }
  return error.message
}
