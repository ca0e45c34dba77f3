/** Responses apart from their bodies: warnings, omitted headers and unsupported representations. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane, type ControlPlane } from '../control-plane.ts'

let plane: ControlPlane

beforeEach(() => {
  plane = createControlPlane({
    env: simulatedEnv(),
    authorization: 'RBAC',
    tokens: [{ token: 's3cret', user: { name: 'ada', uid: '1', groups: [] } }],
  })
})

afterEach(() => plane.close())

const whoAmI = '/apis/authentication.k8s.io/v1/selfsubjectreviews'

describe('a token after an extra space', () => {
  const send = (authorization: string, path: string) => {
    return plane.transport(plane.authenticate({ authorization }))({ method: 'GET', path, headers: { authorization } })
  }

  it('a token after an extra space is ignored with a warning, whatever the answer', async () => {
    for (const [path, status] of [
      ['/version', 200],
      ['/api/v1/pods', 403],
    ] as const) {
      const answer = await send('Bearer  s3cret', path)
      expect(answer.status).toBe(status)
      expect(answer.headers['warning']).toEqual([
        '299 - "the provided Authorization header contains extra space before the bearer token, and is ignored"',
      ])
    }
  })

  it('a token after an extra space is not warned of where there is none', async () => {
    for (const authorization of ['Bearer s3cret', 'Bearer ', 'Basic  x']) {
      expect((await send(authorization, '/version')).headers).not.toHaveProperty('warning')
    }
  })
})

it('the API handler does not say how to cache what no filter has seen', async () => {
  const listener = await plane.listen({ host: '127.0.0.1', port: 0, tls: false })
  try {
    const headers = { authorization: 'Bearer s3cret' }
    const answer = await fetch(`${listener.url}/api/v1/watch`, { headers })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([500, null])
    const other = await fetch(`${listener.url}/api`, { headers })
    expect([other.status, other.headers.get('cache-control')]).toEqual([200, 'no-cache, private'])
  } finally {
    await listener.close()
  }
})

describe('a table', () => {
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const ask = async (accept: string) =>
    plane.transport()({ method: 'POST', path: whoAmI, headers: { accept }, body: {} })

  it('a table is not made of a review', async () => {
    expect((await ask(table)).status).toBe(406)
  })

  it('a table is passed over for the next that the client takes', async () => {
    const { status, body } = await ask(`${table},application/json`)
    expect([status, (body as JsonObject)['kind']]).toEqual([201, 'SelfSubjectReview'])
  })
})

it('the API handler takes headers that are there several times, in process too', async () => {
  const headers = { 'impersonate-user': 'bob', 'impersonate-group': ['dev', 'a, b'] }
  const { body } = await plane.transport()({ method: 'POST', path: whoAmI, headers, body: {} })
  const { userInfo } = (body as JsonObject)['status'] as { userInfo: JsonObject }
  expect(userInfo['groups']).toEqual(['dev', 'a, b', 'system:authenticated'])
})
