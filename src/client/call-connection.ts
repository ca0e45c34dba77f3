/**
 * A connection for calls, one at a time. Node's own client spends three times as long on a request, a response and
 * their streams as sending and reading them takes (ADR 0010).
 */
import type { Socket } from 'node:net'
import { truncatedResponse, responseTooLarge } from './response-body.ts'
import { ResponseParser, type ResponseHead } from './response-parser.ts'
import { connectionError } from './connection-failure.ts'
import { abortError } from './deadline.ts'
import { TransportError } from './transport.ts'

export interface WholeResponse extends ResponseHead {
  readonly bytes: Buffer
}

/** A call that waits for its response. */
interface Pending {
  readonly isReused: boolean
  readonly maxBytes: number
  readonly resolve: (answer: WholeResponse) => void
  readonly reject: (error: Error) => void
  readonly parts: Buffer[]
  size: number
  head: ResponseHead | undefined
}

export class CallConnection {
  readonly #socket: Socket
  /** `host:port` */
  readonly #server: string
  readonly #parser: ResponseParser
  #pending: Pending | undefined
  /** Sends the request of a guarded call. */
  #onOpen: (() => void) | undefined
  #isOpen: boolean
  #isUsed = false
  #isOver = false

  /** `isOpen`: it is connected, and its certificate is trusted; otherwise {@link opened} reports it. */
  constructor(socket: Socket, server: string, isOpen: boolean) {
    this.#socket = socket
    this.#server = server
    this.#isOpen = isOpen
    this.#parser = new ResponseParser(
      {
        head: (head) => {
          if (this.#pending === undefined) throw unasked(server)
          this.#pending.head = head
        },
        body: (buffer, start, end) => this.#gather(buffer, start, end),
        end: () => this.#answered(),
      },
      server,
    )
    socket.on('error', (error) => this.#over(error))
    socket.on('end', () => this.#over())
    socket.on('close', () => this.#over())
  }

  /** Whether it can carry a call now. */
  get isFree(): boolean {
    return !this.#isOver && !this.#socket.destroyed && this.#pending === undefined
  }

  /** Whether a written request has been sent. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  opened(): void {
    this.#isOpen = true
    this.#onOpen?.()
  }

  /** A waiting call fails with a reset, or with the error. */
  destroy(error?: TransportError): void {
    this.#socket.destroy(error)
  }

  /** While no call waits, the connection does not keep the process alive. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#socket.ref()
    else this.#socket.unref()
  }

  /** Parses received bytes. The buffer may be reused after the call. */
  read(buffer: Buffer, start: number, end: number): void {
    try {
      this.#parser.feed(buffer, start, end)
      // Unrequested bytes would be taken for the response to the next call.
      if (this.#pending === undefined && this.#parser.isWithin) throw unasked(this.#server)
    } catch (error) {
      this.destroy(error as TransportError)
    }
  }

  /**
   * `request`: the complete text. `maxBytes`: the limit for the body of the response. `guard` is called when the
   * connection is open, right before the request is sent: opening it may take long. Rejects with a {@link
   * TransportError}, or with what the guard throws.
   */
  call(request: string, maxBytes: number, signal: AbortSignal | undefined, guard?: () => void): Promise<WholeResponse> {
    if (signal?.aborted === true) return Promise.reject(abortError(signal, false))
    const isReused = this.#isUsed
    this.#isUsed = true
    this.#parser.isBodiless = request.startsWith('HEAD ')
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#takePending().reject(abortError(signal, this.#isOpen))
        this.destroy()
      }
      this.#pending = {
        isReused,
        maxBytes,
        parts: [],
        size: 0,
        head: undefined,
        resolve: (answer) => {
          signal?.removeEventListener('abort', abort)
          resolve(answer)
        },
        reject: (error) => {
          signal?.removeEventListener('abort', abort)
          reject(error)
        },
      }
      signal?.addEventListener('abort', abort)
      if (guard === undefined) this.#socket.write(request)
      else this.#sendGuarded(request, guard)
    })
  }

  #sendGuarded(request: string, guard: () => void): void {
    if (!this.#isOpen) {
      this.#onOpen = () => this.#sendGuarded(request, guard)
      return
    }
    this.#onOpen = undefined
    if (this.#pending === undefined) return
    try {
      guard()
    } catch (error) {
      this.#takePending().reject(error as Error)
      return
    }
    this.#socket.write(request)
  }

  #gather(buffer: Buffer, start: number, end: number): void {
    const { parts, size, maxBytes } = this.#pending as Pending
    const all = size + end - start
    if (all > maxBytes) throw responseTooLarge(this.#server, maxBytes)
    parts.push(Buffer.from(buffer.subarray(start, end)))
    ;(this.#pending as Pending).size = all
  }

  #answered(): void {
    const { head, parts, size, resolve } = this.#takePending()
    if (head?.isKept !== true) this.destroy()
    resolve({
      ...(head as ResponseHead),
      bytes: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, size),
    })
  }

  #takePending(): Pending {
    const pending = this.#pending as Pending
    this.#pending = undefined
    return pending
  }

  #over(error?: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#pending === undefined || (error === undefined && this.#parser.close())) return
    const { head, size, isReused, reject } = this.#takePending()
    if (error instanceof TransportError) reject(error)
    else if (head !== undefined) reject(truncatedResponse(this.#server, size, error))
    else reject(connectionError(error, this.#server, this.#isOpen, isReused && !this.#parser.isWithin))
  }
}

function unasked(server: string): TransportError {
  return new TransportError('MALFORMED', `${server} says something that nobody has asked for`, true)
}
