/** Watches over WebSocket, as a client reads them. Independent of the server's own codec, which it checks. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Json } from '../../src/api/json.ts'
import { decodeWatchEvent } from './protobuf.ts'
import type { Stream } from './target.ts'

const closeNormal = 1000

/** Each message is an event. Any end other than a normal close is in `rest`. */
export function messageStream(
  response: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  headers: Stream['headers'],
): Stream {
  const events: Json[] = []
  let bytes = head
  let ended = false
  let rest = ''
  const read = (): void => {
    for (let frame = firstFrame(bytes); frame !== undefined && !ended; frame = firstFrame(bytes)) {
      bytes = bytes.subarray(frame.end)
      if (frame.first === 0x81) events.push(JSON.parse(frame.payload.toString('utf8')) as Json)
      else if (frame.first === 0x82) events.push(decodeWatchEvent(frame.payload))
      else if (frame.first === 0x88) {
        const code = frame.payload.readUInt16BE(0)
        if (code !== closeNormal) rest = `closed with ${code}`
        ended = true
      } else rest += `frame ${frame.first.toString(16)}`
    }
  }
  const end = (): void => {
    if (!ended) rest = 'no close frame'
    ended = true
  }
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    read()
  })
  socket.on('end', end)
  socket.on('error', end)
  socket.on('close', end)
  read()
  return {
    status: response.statusCode ?? 0,
    headers,
    events,
    get ended() {
      return ended
    },
    get rest() {
      return rest
    },
    stop: () => void socket.destroy(),
  }
}

interface Frame {
  readonly first: number
  readonly payload: Buffer
  readonly end: number
}

/** Undefined if it is incomplete. Servers do not mask frames. */
function firstFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined
  const short = bytes[1] as number
  const start = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < start) return undefined
  const size = start === 2 ? short : start === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  if (bytes.length < start + size) return undefined
  return { first: bytes[0] as number, payload: bytes.subarray(start, start + size), end: start + size }
}
