/** A server on the machine's clock that is restarted without its data: old versions of clients are too old for it. */
import { afterEach, describe, expect, it } from 'vitest'
import { isGone } from '../api/error-reasons.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { realEnv } from '../env/real.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { createControlPlane, type ControlPlane, type ControlPlaneOptions } from './control-plane.ts'

const planes: ControlPlane[] = []
afterEach(async () => {
  for (const plane of planes.splice(0)) await plane.close()
})

function start(options?: ControlPlaneOptions): ControlPlane {
  const plane = createControlPlane(options)
  planes.push(plane)
  return plane
}

describe('a restarted server', () => {
  it('a restarted server answers a version of its predecessor with 410', async () => {
    // The predecessor was started a minute before.
    const revision = start().store.revision - 60_000
    const client = new RestClient({ env: realEnv(), transport: inProcessTransport(start().transport()) })
    const events = await client.watch(ConfigMap, { resourceVersion: String(revision) })
    const read = (async () => {
      for await (const batch of events) expect(batch).toEqual([])
    })()
    const error: unknown = await read.catch((caught: unknown) => caught)
    expect(isGone(error)).toBe(true)
  })

  it('a server on a simulated clock starts at the same low revision', () => {
    expect(start({ env: simulatedEnv() }).store.revision).toBe(start({ env: simulatedEnv() }).store.revision)
    expect(start({ env: simulatedEnv() }).store.revision).toBeLessThan(1000)
  })
})
