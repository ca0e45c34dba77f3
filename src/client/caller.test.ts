/** Retries, deadlines, limits and observers, on a simulated clock and a scripted transport. */
import { describe, expect, it } from 'vitest'
import { isNotFound, isServiceUnavailable, isTooManyRequests, retryAfter } from '../api/error-reasons.ts'
import type { ApiObject } from '../api/live-object.ts'
import { ApiError } from '../api/status.ts'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import type { Kind } from '../schema/kind.ts'
import type { RequestSummary } from './caller.ts'
import { abortError } from './deadline.ts'
import { RestClient, type RestClientOptions } from './rest-client.ts'
import { TransportError, type Transport, type TransportRequest, type TransportResponse } from './transport.ts'
import { userAgent, packageVersion } from './user-agent.ts'
import packageJson from '../../package.json' with { type: 'json' }

const Thing: Kind = {
  group: 'ex.io',
  version: 'v1',
  apiVersion: 'ex.io/v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: false,
}
const thing: ApiObject = { metadata: { name: 'a' } }

type Step = Partial<TransportResponse> | TransportError | 'hang'

/** Responds with one step after the other, and repeats the last one. */
class ScriptedTransport implements Transport {
  readonly requests: (TransportRequest & { at: number })[] = []
  readonly #env: SimulatedEnv
  readonly #steps: readonly Step[]

  constructor(env: SimulatedEnv, steps: readonly Step[]) {
    this.#env = env
    this.#steps = steps
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const step = this.#steps[Math.min(this.requests.length, this.#steps.length - 1)] as Step
    this.requests.push({ ...request, at: this.#env.now() })
    if (step instanceof TransportError) throw step
    if (step !== 'hang') return { status: 200, headers: {}, body: {}, ...step }
    return new Promise((_, reject) => {
      request.signal?.addEventListener('abort', () => reject(abortError(request.signal, true)), { once: true })
    })
  }

  async close(): Promise<void> {}
}

function setUp(steps: readonly Step[], options: Partial<RestClientOptions> = {}) {
  const env = simulatedEnv()
  const start = env.now()
  const transport = new ScriptedTransport(env, steps)
  const client = new RestClient({ env, transport, ...options })
  return { env, client, transport, times: () => transport.requests.map(({ at }) => at - start) }
}

/** Advances the clock until the call has settled. */
async function settled<T>(env: SimulatedEnv, call: Promise<T>, limit = 600_000): Promise<PromiseSettledResult<T>> {
  const result = Promise.allSettled([call])
  let isDone = false
  void result.then(() => (isDone = true))
  for (let ms = 0; ms < limit; ms += 500) {
    await env.advanceAsync(isDone ? 0 : 500)
    if (isDone) break
  }
  return (await result)[0]
}

const busy = (seconds: string): Step => ({ status: 429, headers: { 'retry-after': seconds } })
const reset = new TransportError('ECONNRESET', 'reset', true)

describe('retries', () => {
  // Known failure: client 11.
  it('the client retries a 429 with Retry-After at that time, whatever the verb', async () => {
    for (const verb of ['get', 'create', 'watch'] as const) {
      const { env, client, times } = setUp([
        busy('2'),
        { status: 503, headers: { 'retry-after': '3' } },
        { events: none() },
      ])
      const call =
        verb === 'get'
          ? client.get(Thing, { name: 'a' })
          : verb === 'create'
            ? client.create(Thing, thing)
            : client.watch(Thing)
      expect((await settled<unknown>(env, call)).status).toBe('fulfilled')
      expect(times()).toEqual([0, 2000, 5000])
    }
  })

  it('client retries: after 30 s at the latest, whatever Retry-After says', async () => {
    const { env, client, times } = setUp([busy('99999999999'), { events: none() }], { timeoutMs: 0 })
    expect((await settled<unknown>(env, client.get(Thing, { name: 'a' }))).status).toBe('fulfilled')
    expect(times()).toEqual([0, 30_000])
  })

  it('client retries: at most ten times', async () => {
    const { env, client, times } = setUp([busy('1')], { timeoutMs: 0 })
    const result = await settled(env, client.get(Thing, { name: 'a' }))
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 429, reason: 'TooManyRequests' } })
    expect(times()).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10_000])
  })

  it('client retries: without Retry-After the error is told at once; a date is not understood', async () => {
    for (const headers of [{}, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }]) {
      const { client, transport } = setUp([{ status: 503, headers }])
      await expect(client.get(Thing, { name: 'a' })).rejects.toSatisfy(isServiceUnavailable)
      expect(transport.requests).toHaveLength(1)
    }
  })

  it('client retries: a wait that would outlive the deadline is an error at once, with the time to wait', async () => {
    const { env, client } = setUp([busy('60')])
    const error = await client.get(Thing, { name: 'a' }).catch((caught: unknown) => caught)
    expect(isTooManyRequests(error)).toBe(true)
    expect(retryAfter(error, Infinity)).toBe(60_000)
    expect(retryAfter(error)).toBe(30_000)
    expect(env.pending).toBe(0)
  })

  it('client retries: a GET whose connection was reset is sent again after a second; a write is not', async () => {
    const { env, client, times } = setUp([
      reset,
      new TransportError('EPIPE', 'pipe', true),
      { body: { metadata: { name: 'a' } } },
    ])
    expect(await settled(env, client.get(Thing, { name: 'a' }))).toMatchObject({ status: 'fulfilled' })
    expect(times()).toEqual([0, 1000, 2000])
    for (const write of ['create', 'update'] as const) {
      const { client, transport } = setUp([reset])
      await expect(client[write](Thing, thing)).rejects.toBe(reset)
      expect(transport.requests).toHaveLength(1)
    }
  })

  it('client retries: refused connections, cut answers and client errors are not retried', async () => {
    for (const code of ['ECONNREFUSED', 'TRUNCATED', 'CERT_HAS_EXPIRED']) {
      const error = new TransportError(code, code, false)
      const { client, transport } = setUp([error])
      await expect(client.get(Thing, { name: 'a' })).rejects.toBe(error)
      expect(transport.requests).toHaveLength(1)
    }
    const { client, transport } = setUp([{ status: 404, headers: { 'retry-after': '1' } }])
    await expect(client.get(Thing, { name: 'a' })).rejects.toSatisfy(isNotFound)
    expect(transport.requests).toHaveLength(1)
  })
})

async function* none() {}

describe('deadlines', () => {
  it('client deadlines: thirty seconds by default, retries included; the error says of what', async () => {
    const { env, client } = setUp([busy('10'), 'hang'])
    const call = client.get(Thing, { name: 'a' }).catch((error: unknown) => error)
    await env.advanceAsync(29_999)
    expect(env.pending).toBe(1)
    await env.advanceAsync(1)
    expect(await call).toMatchObject({
      code: 'TIMEOUT',
      sent: true,
      message: 'GET /apis/ex.io/v1/things/a of in-process: no answer within 30 s',
    })
    expect(env.pending).toBe(0)
  })

  it('client deadlines: of the call, of the client, or none', async () => {
    const own = setUp(['hang'])
    const call = own.client.get(Thing, { name: 'a' }, { timeoutMs: 5 }).catch((error: unknown) => error)
    await own.env.advanceAsync(5)
    expect(await call).toMatchObject({ code: 'TIMEOUT' })
    const never = setUp(['hang'], { timeoutMs: 0 })
    const stop = new AbortController()
    const waiting = never.client.get(Thing, { name: 'a' }, { signal: stop.signal }).catch((error: unknown) => error)
    expect(never.env.pending).toBe(0)
    stop.abort('enough')
    expect(await waiting).toMatchObject({ code: 'ABORTED', cause: 'enough' })
  })

  it('client deadlines: a watch must be accepted in time, and then lasts', async () => {
    const hung = setUp(['hang'])
    const refused = hung.client.watch(Thing).catch((error: unknown) => error)
    await hung.env.advanceAsync(30_000)
    expect(await refused).toMatchObject({ code: 'TIMEOUT' })
    const { env, client } = setUp([{ events: none() }])
    await client.watch(Thing)
    expect(env.pending).toBe(0)
  })

  it('client deadlines: an abort ends the wait for a retry, and leaves no timer and no listener', async () => {
    const { env, client } = setUp([busy('10')])
    const stop = new AbortController()
    const call = client.get(Thing, { name: 'a' }, { signal: stop.signal }).catch((error: unknown) => error)
    await env.advanceAsync(1)
    expect(env.pending).toBe(2)
    stop.abort()
    expect(await call).toMatchObject({ code: 'ABORTED' })
    expect(env.pending).toBe(0)
  })
})

describe('errors of servers that answer with no Status', () => {
  it.each([
    [404, 'GET', 'NotFound', /could not find the requested resource: <html>/],
    [409, 'POST', 'AlreadyExists', /conflict/],
    [502, 'GET', 'InternalError', /an error on the server has prevented the request from succeeding: <html>/],
    [503, 'GET', 'ServiceUnavailable', /currently unable/],
    [418, 'GET', '', /the server answered 418/],
  ])('an error without a Status body: %i to a %s', async (status, method, reason, message) => {
    const { client } = setUp([{ status, body: '<html>' }])
    const error = await client.raw(method, '/x').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code: status, reason, message: expect.stringMatching(message) })
  })
})

describe('the rate limit', () => {
  it('the client rate limit is off by default', async () => {
    const { env, client, times } = setUp([{}])
    await Promise.all(Array.from({ length: 100 }, () => client.raw('GET', '/')))
    expect(times().every((at) => at === 0)).toBe(true)
    expect(env.pending).toBe(0)
  })

  it('the client rate limit lets a burst through, then the rate per second, in order', async () => {
    const waits: number[] = []
    const { env, client, times, transport } = setUp([{}], {
      rateLimit: { qps: 2, burst: 3 },
      observer: { limited: ({ waitedMs }) => waits.push(waitedMs) },
    })
    const calls = Promise.all(Array.from({ length: 6 }, (_, i) => client.raw('GET', `/${i}`)))
    await env.advanceAsync(5000)
    await calls
    expect(times()).toEqual([0, 0, 0, 500, 1000, 1500])
    expect(transport.requests.map(({ path }) => path)).toEqual(['/0', '/1', '/2', '/3', '/4', '/5'])
    expect(waits).toEqual([0, 0, 0, 500, 1000, 1500])
  })

  it('a turn that is given up is given back; clients made of one share the limit', async () => {
    const { env, client, times } = setUp([{}], { rateLimit: { qps: 1, burst: 1 } })
    const stop = new AbortController()
    await client.raw('GET', '/')
    const given = client.raw('GET', '/', { signal: stop.signal }).catch(() => 'given up')
    stop.abort()
    expect(await given).toBe('given up')
    const other = client.with({ fieldManager: 'x' }).raw('GET', '/')
    await env.advanceAsync(1000)
    await other
    expect(times()).toEqual([0, 1000])
    expect(() => setUp([{}], { rateLimit: { qps: 0 } })).toThrow('qps > 0')
  })
})

describe('warnings', () => {
  it('server warnings are reported once an hour each, unquoted', async () => {
    const reported: string[] = []
    const warning = ['299 - "old \\"v1\\" thing", 299 - "second"', '199 - "not ours"', 'nonsense']
    const { env, client } = setUp([{ headers: { warning } }], { onWarning: (message) => reported.push(message) })
    await client.raw('GET', '/')
    await client.with({ timeoutMs: 1 }).raw('GET', '/')
    expect(reported).toEqual(['old "v1" thing', 'second'])
    await env.advanceAsync(60 * 60 * 1000)
    await client.raw('GET', '/')
    expect(reported).toHaveLength(4)
  })
})

describe('what observers and servers see', () => {
  it('a client shows each try, its code, its time and its number', async () => {
    const seen: RequestSummary[] = []
    const { env, client } = setUp([busy('1'), reset, { body: {} }], {
      observer: { requestDone: (info) => seen.push(info) },
    })
    await settled(env, client.list(Thing, { limit: 1 }))
    const same = { method: 'GET', verb: 'list', host: 'in-process', durationMs: 0 }
    expect(seen).toEqual([
      { ...same, code: '429', retry: 0 },
      { ...same, code: '<error>', retry: 1 },
      { ...same, code: '200', retry: 2 },
    ])
  })

  it("a client shows the user agent, with the package's version and a suffix", async () => {
    const { client, transport } = setUp([{}], { userAgentSuffix: 'leader-election' })
    await client.raw('GET', '/')
    expect(transport.requests[0]?.headers?.['user-agent']).toBe(
      `coxswain/${packageVersion} (${process.platform}/${process.arch}) leader-election`,
    )
    expect(packageVersion).toBe(packageJson.version)
    expect(userAgent()).not.toContain('undefined')
  })
})

describe('lists that take too long', () => {
  const page = (names: string[], next?: string): Step => ({
    body: {
      metadata: { resourceVersion: '5', ...(next === undefined ? {} : { continue: next }) },
      items: names.map((name) => ({ metadata: { name } })),
    },
  })
  const expired: Step = {
    status: 410,
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Expired', code: 410 },
  }

  it('a continue token that has expired: the list is read afresh, once, in one piece', async () => {
    const { client, transport } = setUp([page(['a'], 't'), expired, page(['a', 'b', 'c'])])
    const { items } = await client.list(Thing, { resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' })
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c'])
    expect(transport.requests.map(({ path }) => path)).toEqual([
      '/apis/ex.io/v1/things?resourceVersion=5&resourceVersionMatch=NotOlderThan&limit=500',
      '/apis/ex.io/v1/things?limit=500&continue=t',
      '/apis/ex.io/v1/things?resourceVersion=5&resourceVersionMatch=NotOlderThan',
    ])
  })

  it('a paged read reports an expired continue token; a first page is never repeated', async () => {
    const { client } = setUp([page(['a'], 't'), expired])
    const seen: number[] = []
    const reading = (async () => {
      for await (const { items } of client.pages(Thing)) seen.push(items.length)
    })()
    await expect(reading).rejects.toMatchObject({ code: 410 })
    expect(seen).toEqual([1])
    const first = setUp([expired])
    await expect(first.client.list(Thing)).rejects.toMatchObject({ code: 410 })
    expect(first.transport.requests).toHaveLength(1)
  })

  it('items: null is an empty list', async () => {
    const { client } = setUp([{ body: { metadata: {}, items: null } }])
    expect(await client.list(Thing)).toEqual({ metadata: {}, items: [] })
  })
})
