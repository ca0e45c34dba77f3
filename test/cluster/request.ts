/** Sends single requests to a reference cluster, for its start and for simple tests. */
import { request as httpsRequest } from 'node:https'

export interface Access {
  readonly url: string
  /** PEM. */
  readonly ca: string
  readonly token: string
}

export interface Answer {
  readonly status: number
  /** Parsed if it is JSON, otherwise text. */
  readonly body: unknown
}

/** The timeout of a request, in milliseconds. */
const patience = 10_000

/** `body` is sent as JSON. Rejects without a response; any status is a response. */
export function request(access: Access, method: string, path: string, body?: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${access.token}`, ...type }
    const options = { method, headers, ca: access.ca, agent: false, timeout: patience }
    const sent = httpsRequest(new URL(path, access.url), options)
    sent.on('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path} within ${patience / 1_000} s`)))
    sent.on('error', reject)
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => {
        const isJson = response.headers['content-type']?.startsWith('application/json') === true
        resolve({ status: response.statusCode ?? 0, body: isJson ? (JSON.parse(text) as unknown) : text })
      })
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
