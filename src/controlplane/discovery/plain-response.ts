/** Responses that are not API objects: plain text and empty bodies, as Go's HTTP server writes them. */
import type { TextResponse } from '../contract/request.ts'

export function plainTextResponse(status: number, body: string): TextResponse {
  return {
    type: 'text',
    status,
    contentType: 'text/plain; charset=utf-8',
    body,
    headers: { 'x-content-type-options': 'nosniff' },
  }
}

/** The response for paths outside of the API. */
export function notFoundPage(): TextResponse {
  return plainTextResponse(404, '404 page not found\n')
}

/** No body, hence no content type: 304, 301 and the empty 404 and 406 of OpenAPI. */
export function emptyResponse(status: number, headers: Readonly<Record<string, string>> = {}): TextResponse {
  return { type: 'text', status, contentType: '', body: '', headers }
}
