/** Turns failed responses into errors. Not every response has a Status: some come from proxies and web servers. */
import { isObject, type FrozenJson } from '../api/json.ts'
import { ApiError, type Status, type StatusDetails } from '../api/status.ts'
import type { Headers, TransportResponse } from './transport.ts'

export function responseError({ status: code, headers, body }: TransportResponse, method: string): ApiError {
  const status = statusOfResponse(body, code) ?? statusWithoutBody(code, method, textOf(body))
  const seconds = retryAfterSeconds(headers)
  if (seconds === undefined || status.details?.retryAfterSeconds !== undefined) return new ApiError(status)
  return new ApiError({ ...status, details: { ...status.details, retryAfterSeconds: seconds } })
}

/** The Status in a body; undefined if it is something else. `code` is used if the body has none. */
export function statusOfResponse(body: FrozenJson, code: number): Status | undefined {
  if (!isObject(body) || body['kind'] !== 'Status' || body['apiVersion'] !== 'v1') return undefined
  const status = body as Status
  return status.code === undefined || status.code === 0 ? { ...status, code } : status
}

/** Whole seconds, as servers send them; dates are not supported. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers['retry-after']
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined
}

const reasons: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: ['Forbidden', 'the server does not allow access to the requested resource'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  406: ['NotAcceptable', 'the server cannot answer in a form that was asked for'],
  409: ['Conflict', 'the server reported a conflict'],
  410: ['Gone', 'the requested version is no longer there'],
  413: ['RequestEntityTooLarge', 'the request is too large for the server'],
  415: ['UnsupportedMediaType', 'the server does not understand the form of the request'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
}

function statusWithoutBody(code: number, method: string, said: string): Status {
  const known =
    reasons[code] ??
    (code >= 500 ? ['InternalError', 'an error on the server has prevented the request from succeeding'] : undefined)
  const [reason, message] = known ?? ['', `the server answered ${code}`]
  const details: StatusDetails = said === '' ? {} : { causes: [{ reason: 'UnexpectedServerResponse', message: said }] }
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    details,
    code,
    message: said === '' ? message : `${message}: ${said}`,
    reason: code === 409 && method === 'POST' ? 'AlreadyExists' : reason,
  }
}

function textOf(body: FrozenJson): string {
  const text = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body)
  return text.trim().slice(0, 2048)
}
