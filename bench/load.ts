/** Closed-loop load: each connection sends its next request when it has received the last response. */
import { Connection, type Target } from './connection.ts'
import { processorTime } from './process-figures.ts'
import { percentile } from './statistics.ts'

export interface Measurement {
  /** Responses per second. */
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly requests: number
  /** Microseconds of the server's processor time per request; NaN if unknown. */
  readonly cpu: number
  /** The mean body length of a response. */
  readonly answerBytes: number
}

export interface LoadOptions {
  readonly clients: number
  /** The measured time. */
  readonly seconds: number
  /** The time before it that is not measured. */
  readonly warmup: number
  /** The server's process, to measure its processor time. */
  readonly pid?: number | undefined
}

/** The next request of a connection; undefined at the end. */
export type NextRequest = (connection: number) => Buffer | undefined

/** Rejects at the first error response: rates of failures mean nothing. */
export async function load(target: Target, next: NextRequest, options: LoadOptions): Promise<Measurement> {
  const connections = await Promise.all(Array.from({ length: options.clients }, () => Connection.open(target)))
  try {
    return await drive(connections, next, options)
  } finally {
    for (const connection of connections) connection.close()
  }
}

function drive(connections: readonly Connection[], next: NextRequest, options: LoadOptions): Promise<Measurement> {
  const countFrom = performance.now() + options.warmup * 1000
  const countTo = countFrom + options.seconds * 1000
  const latencies: number[] = []
  let cpuBefore = Number.NaN
  let bytes = 0
  let last = countFrom
  let busy = connections.length
  return new Promise((resolve, reject) => {
    const done = (): void => {
      busy -= 1
      if (busy > 0) return
      const requests = latencies.length
      const seconds = Math.max(last - countFrom, 1) / 1000
      const p99 = percentile(latencies, 0.99)
      const p50 = percentile(latencies, 0.5)
      const answerBytes = Math.round(bytes / Math.max(requests, 1))
      const cpu = ((processorTime(options.pid) - cpuBefore) * 1000) / Math.max(requests, 1)
      resolve({ rate: requests / seconds, p50, p99, requests, cpu, answerBytes })
    }
    connections.forEach((connection, i) => {
      let sent = performance.now()
      const send = (): void => {
        const request = sent < countTo ? next(i) : undefined
        if (request === undefined) done()
        else connection.write(request)
      }
      connection.onLost = reject
      connection.onEnd = () => {
        const now = performance.now()
        if (connection.status >= 300) {
          reject(new Error(`${connection.target.name} answered ${connection.status}: ${connection.errorText}`))
          return
        }
        if (now >= countFrom && now <= countTo) {
          if (latencies.length === 0) cpuBefore = processorTime(options.pid)
          latencies.push(now - sent)
          bytes += connection.bodyBytes
          last = now
        }
        sent = now
        send()
      }
      send()
    })
  })
}
