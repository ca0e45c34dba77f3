/** The status that the server maintains itself. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane, type ControlPlane } from '../control-plane.ts'

const planes: ControlPlane[] = []

afterEach(async () => {
  await Promise.all(planes.splice(0).map((plane) => plane.close()))
})

function server() {
  const plane = createControlPlane({ env: simulatedEnv() })
  planes.push(plane)
  const api = plane.transport()
  return async (method: string, path: string, body?: Json) =>
    (await api(body === undefined ? { method, path } : { method, path, body })).body as JsonObject & {
      items: JsonObject[]
    }
}

const flows = '/apis/flowcontrol.apiserver.k8s.io/v1'
const registrations = '/apis/apiregistration.k8s.io/v1/apiservices'

describe('statuses that the server keeps', () => {
  it('statuses that the server keeps say whether a flow schema dangles, and follow its level', async () => {
    const send = server()
    const made = await send('POST', `${flows}/flowschemas`, {
      metadata: { name: 's' },
      spec: { priorityLevelConfiguration: { name: 'mine' } },
    })
    expect(made['status']).toEqual({})
    expect(await send('GET', `${flows}/flowschemas/s`)).toMatchObject({
      status: { conditions: [{ type: 'Dangling', status: 'True', reason: 'NotFound' }] },
    })
    await send('POST', `${flows}/prioritylevelconfigurations`, {
      metadata: { name: 'mine' },
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    })
    expect(await send('GET', `${flows}/flowschemas/s`)).toMatchObject({
      status: { conditions: [{ type: 'Dangling', status: 'False', reason: 'Found' }] },
    })
  })

  it('statuses that the server keeps say whether a registered API can be reached', async () => {
    const send = server()
    const spec = {
      group: 'x.example.com',
      version: 'v1',
      groupPriorityMinimum: 1,
      versionPriority: 1,
      service: { name: 'x', namespace: 'default' },
    }
    await send('POST', registrations, { metadata: { name: 'v1.x.example.com' }, spec })
    expect(await send('GET', `${registrations}/v1.x.example.com`)).toMatchObject({
      status: {
        conditions: [
          {
            type: 'Available',
            status: 'False',
            reason: 'ServiceNotFound',
            message: 'service/x in "default" is not present',
          },
        ],
      },
    })
  })
})

describe('objects that the server makes', () => {
  it('objects that the server makes are there at the start', async () => {
    const send = server()
    const count = async (path: string) => (await send('GET', path)).items.length
    expect(await count(registrations)).toBe(21)
    expect(await count(`${flows}/flowschemas`)).toBe(11)
    expect(await count(`${flows}/prioritylevelconfigurations`)).toBe(8)
    expect(await count('/apis/scheduling.k8s.io/v1/priorityclasses')).toBe(2)
    expect(await send('GET', '/api/v1/namespaces/default/services/kubernetes')).toMatchObject({
      spec: { clusterIP: '10.0.0.1' },
    })
  })

  it('objects that the server makes come and go with services', async () => {
    const send = server()
    const names = async () =>
      (await send('GET', '/apis/networking.k8s.io/v1/ipaddresses')).items.map(
        (item) => (item['metadata'] as JsonObject)['name'],
      )
    expect(await names()).toEqual(['10.0.0.1'])
    const made = await send('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 's' },
      spec: { ports: [{ port: 1 }] },
    })
    const ip = (made['spec'] as JsonObject)['clusterIP']
    expect(await names()).toContain(ip)
    await send('DELETE', '/api/v1/namespaces/default/services/s')
    expect(await names()).toEqual(['10.0.0.1'])
  })
})
