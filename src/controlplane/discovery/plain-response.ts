/** Answers that are not API objects: plain text and bodyless ones, as Go's HTTP library gives them. */
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

/** What any path outside of the API gets. */
export function notFoundPage(): TextResponse {
  return plainTextResponse(404, '404 page not found\n')
}

/** No body, hence no content type: 304, 301 and the bare 404 and 406 of OpenAPI. */
export function emptyResponse(status: number, headers: Readonly<Record<string, string>> = {}): TextResponse {
  return { type: 'text', status, contentType: '', body: '', headers }
}
