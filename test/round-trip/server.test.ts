/** The embedded control plane accepts and returns protobuf: the same object as in JSON, in the same bytes. */
import { Agent } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'
import type { Server } from './exchange.ts'
import { trips } from './manifest-trip.ts'

describe('the embedded control plane', () => {
  let plane: ControlPlane
  let server: Server
  beforeAll(async () => {
    plane = createControlPlane({
      tokens: [{ token: 'round-trip', user: { name: 'admin', uid: '', groups: ['system:masters'] } }],
    })
    const { url, caCert } = await plane.listen()
    server = { url, ca: caCert, token: 'round-trip', agent: new Agent({ keepAlive: true }) }
  })
  afterAll(async () => {
    server.agent.destroy()
    await plane.close()
  })

  it.each(trips)('the embedded control plane takes and gives a full $name', async ({ run }) => {
    const { created, read, written } = await run(server)
    expect(created.got).toEqual(created.expected)
    expect(read?.got).toEqual(read?.expected)
    expect(written.got).toBe(written.expected)
  })
})
