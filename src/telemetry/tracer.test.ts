import { describe, expect, it } from 'vitest'
import type { Transport } from '../client/transport.ts'
import { tracedTransport } from './traced-transport.ts'
import { silentTracer, type Tracer } from './tracer.ts'

function recordingTracer() {
  const spans: string[] = []
  let current = ''
  const tracer: Tracer = {
    startSpan(name, attributes) {
      const parent = current
      const title = `${parent}/${name} ${Object.values(attributes).join(' ')}`
      return {
        within(work) {
          current = title
          try {
            return work()
          } finally {
            current = parent
          }
        },
        end: (error) => void spans.push(error === undefined ? title : `${title}: ${String(error)}`),
      }
    },
  }
  return { tracer, spans }
}

const answering = (status: number | Error): Transport => ({
  host: 'server:6443',
  request: () =>
    typeof status === 'number' ? Promise.resolve({ status, headers: {}, body: null }) : Promise.reject(status),
  close: () => Promise.resolve(),
})

describe('a traced transport', () => {
  it('a traced transport makes a span of each request, with the path but not the query', async () => {
    const { tracer, spans } = recordingTracer()
    await tracedTransport(answering(200), tracer).request({ method: 'GET', path: '/api/v1/pods?limit=5' })
    await tracedTransport(answering(404), tracer).request({ method: 'GET', path: '/x' })
    await expect(
      tracedTransport(answering(new Error('reset')), tracer).request({ method: 'PATCH', path: '/y' }),
    ).rejects.toThrow('reset')
    expect(spans).toEqual([
      '/kubernetes.request GET /api/v1/pods server:6443',
      '/kubernetes.request GET /x server:6443: Error: answered 404',
      '/kubernetes.request PATCH /y server:6443: Error: reset',
    ])
  })

  it('a traced transport passes on what the transport gives, and its host', async () => {
    const traced = tracedTransport(answering(201), silentTracer)
    expect(traced.host).toBe('server:6443')
    expect(await traced.request({ method: 'POST', path: '/' })).toEqual({ status: 201, headers: {}, body: null })
    await traced.close()
  })
})
