/** A process that is stopped sends nothing and hears nothing: requests, responses and events of watches wait. */
import type { Transport, TransportResponse, WireEvents } from '../client/transport.ts'
import type { CarryOut } from '../external/external.ts'
import type { ProcessEnv } from './process-env.ts'

export function stoppableTransport(inner: Transport, process: ProcessEnv): Transport {
  return {
    ...inner,
    request: async (request) => {
      if (process.isStopped) {
        await process.running()
        request.guard?.()
      }
      const response = await whileRunning(inner.request(request), process)
      return response.events === undefined ? response : withLateEvents(response, response.events, process)
    },
    close: () => inner.close(),
  }
}

export function stoppableCalls(carryOut: CarryOut, process: ProcessEnv): CarryOut {
  return async (call) => {
    await process.running()
    return whileRunning(carryOut(call), process)
  }
}

/** The result, also a failure, when the process hears of it. */
async function whileRunning<Result>(result: Promise<Result>, process: ProcessEnv): Promise<Result> {
  try {
    return await result
  } finally {
    if (process.isStopped) await process.running()
  }
}

function withLateEvents(response: TransportResponse, events: WireEvents, process: ProcessEnv): TransportResponse {
  return { ...response, events: lateEvents(events, process) }
}

async function* lateEvents(events: WireEvents, process: ProcessEnv): WireEvents {
  for await (const batch of events) {
    if (process.isStopped) await process.running()
    yield batch
  }
}
