/** The body of a response: read within a limit, decompressed, parsed. */
import { constants } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Json } from '../api/json.ts'
import { TransportError, type Headers } from './transport.ts'

/** The maximum length of a string in V8: JSON is parsed from a string. */
export const maxBodyBytes = constants.MAX_STRING_LENGTH

export async function readResponse(answer: IncomingMessage, maxBytes: number, from: string): Promise<Json> {
  return parseResponse(await readBytes(answer, maxBytes, from), answer.headers as Headers, maxBytes, from)
}

/** JSON as its value, anything else as text. */
export async function parseResponse(packed: Buffer, headers: Headers, maxBytes: number, from: string): Promise<Json> {
  const encoding = headers['content-encoding']
  const bytes =
    encoding === undefined || encoding === 'identity' ? packed : await unpack(packed, String(encoding), maxBytes, from)
  if (bytes.length === 0) return null
  const text = bytes.toString()
  if (!/\bjson\b/.test(String(headers['content-type'] ?? ''))) return text
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw new TransportError('MALFORMED', `the answer of ${from} is not JSON: ${whyNotJson(error)}`, true)
  }
}

/** The reason of a failed JSON.parse without the part of the text that V8 quotes: it may be half a credential. */
export function whyNotJson(error: unknown): string {
  return (error as Error).message.replace(/,? ?(?:\.\.\.)?"[\s\S]*$/, '') || 'not valid'
}

function readBytes(answer: IncomingMessage, maxBytes: number, from: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A destroyed stream emits no more events.
    if (answer.destroyed)
      reject(
        answer.errored instanceof TransportError
          ? answer.errored
          : truncatedResponse(from, 0, answer.errored ?? undefined),
      )
    const chunks: Buffer[] = []
    let size = 0
    let isWhole = false
    answer.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) answer.destroy(responseTooLarge(from, maxBytes))
      else chunks.push(chunk)
    })
    answer.on('end', () => {
      isWhole = true
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size))
    })
    answer.on('error', (error) =>
      reject(error instanceof TransportError ? error : truncatedResponse(from, size, error)),
    )
    answer.on('close', () => {
      if (!isWhole) reject(truncatedResponse(from, size))
    })
  })
}

/** What compressed responses may have in any case, and beyond that by each byte that was sent. */
const minUnpackedBytes = 64 * 1024 * 1024
const maxUnpackedPerSentBytes = 100

/**
 * gzip can pack 1,000 bytes into one; lists of similar objects have less than 50. So a large response is accepted if as
 * much was sent for it as for a list, and a small one cannot fill the memory.
 */
async function unpack(bytes: Buffer, encoding: string, maxResponseBytes: number, from: string): Promise<Buffer> {
  if (bytes.length === 0) return bytes
  if (encoding !== 'gzip')
    throw new TransportError(
      'MALFORMED',
      `the answer of ${from} is encoded as ${encoding}, which was not asked for`,
      true,
    )
  const maxBytes = Math.min(maxResponseBytes, Math.max(minUnpackedBytes, bytes.length * maxUnpackedPerSentBytes))
  // Not imported at the start: small responses are never compressed, and loading it takes time.
  const { gunzip } = process.getBuiltinModule('node:zlib')
  return new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: maxBytes, chunkSize: 256 * 1024 }, (error, whole) => {
      if (error === null) resolve(whole)
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
        reject(responseTooLarge(from, maxBytes))
      else
        reject(
          new TransportError('MALFORMED', `the answer of ${from} cannot be unpacked: ${error.message}`, true, error),
        )
    })
  })
}

export function responseTooLarge(from: string, maxBytes: number): TransportError {
  return new TransportError(
    'TOO_LARGE',
    `the answer of ${from} is larger than ${maxBytes} bytes: ask for less at a time (limit), or only for metadata`,
    true,
  )
}

export function truncatedResponse(from: string, size: number, cause?: unknown): TransportError {
  return new TransportError('TRUNCATED', `the answer of ${from} was cut off after ${size} bytes`, true, cause)
}
