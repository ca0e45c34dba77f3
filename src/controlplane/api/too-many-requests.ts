/** The response to a client that uses more than its share. As upstream it is plain text, not a Status. */
import { plainTextResponse } from '../discovery/plain-response.ts'
import type { TextResponse } from '../contract/request.ts'

const plain = plainTextResponse(429, 'Too many requests, please try again later.\n')

export const tooManyRequests: TextResponse = { ...plain, headers: { ...plain.headers, 'retry-after': '1' } }
