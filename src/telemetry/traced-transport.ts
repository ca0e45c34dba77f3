/** A transport with a span for each request. The span of a watch ends when the server has accepted it. */
import type { Transport, TransportRequest, TransportResponse } from '../client/transport.ts'
import type { Tracer } from './tracer.ts'

export function tracedTransport(transport: Transport, tracer: Tracer): Transport {
  return {
    host: transport.host,
    prompt: transport.prompt,
    request: (request) => traced(transport, tracer, request),
    close: () => transport.close(),
  }
}

async function traced(transport: Transport, tracer: Tracer, request: TransportRequest): Promise<TransportResponse> {
  const mark = request.path.indexOf('?')
  const span = tracer.startSpan('kubernetes.request', {
    'http.request.method': request.method,
    'url.path': mark < 0 ? request.path : request.path.slice(0, mark),
    'server.address': transport.host ?? 'in-process',
  })
  try {
    const response = await span.within(() => transport.request(request))
    span.end(response.status >= 400 ? new Error(`answered ${response.status}`) : undefined)
    return response
  } catch (error) {
    span.end(error)
    throw error
  }
}
