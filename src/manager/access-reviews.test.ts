import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { TransportError, type Transport } from '../client/transport.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import { ClusterRole, ClusterRoleBinding } from '../schema/builtin/kinds.ts'
import { createLogger } from '../telemetry/log-writer.ts'
import { AccessReviews } from './access-reviews.ts'
import type { RouteResponse } from './http-server.ts'

const tokens = ['reader', 'other'].map((name) => ({
  token: `${name}-token`,
  user: { name, uid: `uid-of-${name}`, groups: [`group-of-${name}`] },
}))

let env: SimulatedEnv
let plane: ControlPlane
let admin: RestClient
let requests: string[]
let logs: string[]
let isServerUp: boolean
let reviews: AccessReviews
beforeEach(async () => {
  env = simulatedEnv()
  plane = createControlPlane({ env, authorization: 'RBAC', tokens })
  admin = new RestClient({ env, transport: inProcessTransport(plane.transport()) })
  await admin.create(ClusterRole, {
    metadata: { name: 'metrics-reader' },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  })
  await admin.create(ClusterRoleBinding, {
    metadata: { name: 'readers' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics-reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'group-of-reader' }],
  })
  requests = []
  logs = []
  isServerUp = true
  const inner = inProcessTransport(plane.transport())
  const transport: Transport = {
    request: (request) => {
      requests.push(`${request.method} ${request.path.split('/').at(-1) ?? ''}`)
      return isServerUp ? inner.request(request) : Promise.reject(new TransportError('MALFORMED', 'nonsense', true))
    },
    close: () => inner.close(),
  }
  reviews = new AccessReviews({
    env,
    client: new RestClient({ env, transport, timeoutMs: 0 }),
    log: createLogger({ env, level: 'debug', write: (line) => void logs.push(line) }),
  })
})
afterEach(() => plane.close())

function decide(authorization: string | undefined, verb = 'get'): Promise<RouteResponse | undefined> {
  return reviews.decide({ verb, path: '/metrics', authorization })
}

describe('access reviews', () => {
  it('access reviews admit a token whose user may get /metrics, and nobody else', async () => {
    expect(await decide('Bearer reader-token')).toBeUndefined()
    expect(await decide('bearer reader-token')).toBeUndefined()
    for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic reader-token', 'reader-token', 'Bearer wrong'])
      expect((await decide(header))?.status, header).toBe(401)
    expect(await decide('Bearer other-token')).toEqual({
      status: 403,
      body: 'Authorization denied for user other\n',
    })
    expect((await decide('Bearer reader-token', 'post'))?.status).toBe(403)
    expect((await reviews.decide({ verb: 'get', path: '/x', authorization: 'Bearer reader-token' }))?.status).toBe(403)
  })

  it('access reviews are two requests, shared and kept for a minute', async () => {
    await Promise.all(Array.from({ length: 100 }, () => decide('Bearer reader-token')))
    await decide('Bearer reader-token')
    expect(requests).toEqual(['POST tokenreviews', 'POST subjectaccessreviews'])
    env.advance(59_000)
    await decide('Bearer reader-token')
    expect(requests.length).toBe(2)
    await admin.delete(ClusterRoleBinding, { name: 'readers' })
    env.advance(2_000)
    expect((await decide('Bearer reader-token'))?.status).toBe(403)
    expect(requests.length).toBe(4)
  })

  it('access reviews keep rejections for ten seconds only, and a request without a token needs none', async () => {
    await decide('Bearer wrong')
    await decide('Bearer wrong')
    await decide(undefined)
    expect(requests).toEqual(['POST tokenreviews'])
    env.advance(11_000)
    await decide('Bearer wrong')
    expect(requests.length).toBe(2)
  })

  it('access reviews of made-up tokens are few at a time, and displace no decision about a valid one', async () => {
    await decide('Bearer reader-token')
    const all = await Promise.all(Array.from({ length: 100 }, (_, index) => decide(`Bearer made-up-${index}`)))
    const statuses = all.map((decision) => decision?.status)
    expect(statuses.filter((status) => status === 401).length).toBe(16)
    expect(statuses.filter((status) => status === 503).length).toBe(84)
    for (let index = 0; index < 1_100; index++) await decide(`Bearer another-${index}`)
    const before = requests.length
    expect(await decide('Bearer reader-token')).toBeUndefined()
    expect(requests.length).toBe(before)
  })

  it('access reviews that fail admit nobody, are not kept, and leave no token in the log', async () => {
    isServerUp = false
    expect((await decide('Bearer reader-token'))?.status).toBe(500)
    isServerUp = true
    expect(await decide('Bearer reader-token')).toBeUndefined()
    expect(logs.join()).toContain('did not review a caller')
    expect(logs.join()).not.toContain('reader-token')
  })
})
