/**
 * A process that answers any request with a body of a given length and does nothing else: it shows the maximum rate of
 * the load client. The parent sends `{ bytes }` before each run and gets `{ ready: port }` at the start.
 */
import { createServer, type TLSSocket } from 'node:tls'
import { issueServerCertificate } from '../src/x509/certificate.ts'
import { realEnv } from '../src/env/real.ts'
import { MessageParser } from './message-parser.ts'

let answer = answerOf(0)

function answerOf(bytes: number): Buffer {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`
  return Buffer.from(head + 'x'.repeat(bytes))
}

function serve(socket: TLSSocket): void {
  socket.setNoDelay(true)
  const parser = new MessageParser({ head: () => {}, body: () => {}, end: () => socket.write(answer) })
  socket.on('data', (bytes) => parser.feed(bytes, 0, bytes.length))
  socket.on('error', () => socket.destroy())
}

const { key, cert } = issueServerCertificate({ env: realEnv(), hosts: ['127.0.0.1'] })
const server = createServer({ key, cert }, serve)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) process.send?.({ ready: address.port })
})
process.on('message', (message: { bytes: number }) => {
  answer = answerOf(message.bytes)
  process.send?.({ set: message.bytes })
})
process.on('disconnect', () => server.close())
