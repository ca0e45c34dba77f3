/** The measurements over HTTP. Each takes one server; the caller alternates between servers. */
import { clear, ensureObjects, fillCollection, sendAll } from './api.ts'
import { Connection, type Target } from './connection.ts'
import { load, type LoadOptions, type Measurement } from './load.ts'
import type { Kind } from './manifests.ts'
import { objectCount, type Operation } from './operations.ts'
import { processorTime } from './process-figures.ts'
import { percentile } from './statistics.ts'
import { Template, requestBytes } from './template.ts'

/** Counts on through all rounds, since a server may delete objects slowly. */
let sequence = 0

export async function measureRate(target: Target, operation: Operation, options: LoadOptions): Promise<Measurement> {
  const template = new Template(requestBytes(target, operation.request), options.clients)
  if (operation.needs === 'nothing') {
    const next = (connection: number): Buffer => {
      sequence += 1
      return template.fill(connection, sequence, sequence)
    }
    const result = await load(target, next, options)
    await clear(target, operation.kind)
    return result
  }
  await ensureObjects(target, operation.kind)
  if (operation.needs === 'applied') {
    await sendAll(target, new Template(requestBytes(target, operation.request), options.clients), objectCount)
  }
  return load(target, cycling(template), options)
}

/** Sends the same requests to a server that does nothing: the maximum rate of this client. */
export function measureCeiling(target: Target, operation: Operation, options: LoadOptions): Promise<Measurement> {
  return load(target, cycling(new Template(requestBytes(target, operation.request), options.clients)), options)
}

function cycling(template: Template): (connection: number) => Buffer {
  return (connection) => {
    sequence += 1
    return template.fill(connection, sequence, sequence % objectCount)
  }
}

export interface Latency {
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Microseconds of the server's processor time per request; NaN if its process is unknown. */
  readonly cpu: number
}

export const listCount = 4000

/** One client lists all objects of a kind repeatedly. */
export async function measureList(target: Target, kind: Kind, samples: number, pid?: number): Promise<Latency> {
  await clear(target, kind)
  await fillCollection(target, kind, 'listed', listCount)
  const connection = await Connection.open(target)
  try {
    const request = requestBytes(target, { method: 'GET', path: kind.collection })
    const times: number[] = []
    let cpuBefore = Number.NaN
    for (let i = 0; i < samples + 1; i++) {
      const started = performance.now()
      await answered(connection, request)
      // The first list is not counted: it may fill caches for later ones.
      if (i > 0) times.push(performance.now() - started)
      else cpuBefore = processorTime(pid)
    }
    const cpu = ((processorTime(pid) - cpuBefore) * 1000) / samples
    return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), cpu }
  } finally {
    connection.close()
    await clear(target, kind)
  }
}

/** Waits for a response without decoding it. */
export function answered(connection: Connection, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.onEnd = () => {
      if (connection.status < 300) resolve()
      else reject(new Error(`${connection.target.name} answered ${connection.status}: ${connection.errorText}`))
    }
    connection.onLost = reject
    connection.write(request)
  })
}
