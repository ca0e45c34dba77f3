/** Writes a response to a connection whose HTTP parser is detached, and closes the connection. */
import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ApiResponse } from '../contract/request.ts'
import type { Exchange } from './clients.ts'
import { writeResponse } from './write-response.ts'

export function writeFinalResponse(
  response: ApiResponse,
  req: IncomingMessage,
  socket: Socket,
  exchange: Exchange,
): void {
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  res.on('finish', () => {
    res.detachSocket(socket)
    socket.destroySoon()
  })
  writeResponse(response, req, res, exchange)
}

const requestLine = /^([\w!#$%&'*+.^`|~-]+) (\/[^ ]*) HTTP\/1\.[01]$/
const headerLine = /^([\w!#$%&'*+.^`|~-]+):(.*)$/

/**
 * Parses a request with a method that Node's parser rejects, from the packet that contained it. Undefined if the packet
 * is not a complete request. The body is ignored: no resource serves such a method.
 */
export function unknownMethodRequest(packet: Buffer, socket: Socket): IncomingMessage | undefined {
  const end = packet.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = packet.toString('latin1', 0, end).split('\r\n')
  const [, method, url] = requestLine.exec(first) ?? []
  if (method === undefined) return undefined
  const values: Record<string, string[]> = Object.create(null) as Record<string, string[]>
  for (const line of lines) {
    const [, name, value = ''] = headerLine.exec(line) ?? []
    if (name === undefined) return undefined
    ;(values[name.toLowerCase()] ??= []).push(withoutBlanks(value))
  }
  const req = new IncomingMessage(socket)
  req.method = method
  req.url = url
  req.httpVersionMajor = 1
  req.httpVersionMinor = 1
  req.headersDistinct = values
  req.headers = Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.join(', ')]))
  return req
}

/** Without blanks and tabs at its ends. No regular expression: backtracking would be quadratic. */
function withoutBlanks(text: string): string {
  const isBlank = (at: number): boolean => text[at] === ' ' || text[at] === '\t'
  let start = 0
  let end = text.length
  while (start < end && isBlank(start)) start++
  while (end > start && isBlank(end - 1)) end--
  return text.slice(start, end)
}
