/** The initial state of a watch is sent as fast as the client reads, whatever its size. */
import { afterEach, describe, expect, it } from 'vitest'
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { createControlPlane, type ControlPlane } from '../control-plane.ts'

const planes: ControlPlane[] = []
afterEach(async () => {
  for (const plane of planes.splice(0)) await plane.close()
})

/** 20 MiB of ConfigMaps: more than a client may leave unread, in events smaller than the buffer of a socket. */
async function largePlane(): Promise<ControlPlane> {
  const plane = createControlPlane({
    tokens: [{ token: 'admin', user: { name: 'admin', uid: '', groups: ['system:masters'] } }] as never,
  })
  planes.push(plane)
  const transport = plane.transport()
  const text = 'x'.repeat(4_000)
  for (let i = 0; i < 5000; i++) {
    await transport({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `map-${i}` }, data: { text } },
    })
  }
  return plane
}

const path =
  '/api/v1/namespaces/default/configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&' +
  'allowWatchBookmarks=true&timeoutSeconds=60'

describe('the initial events of a watch', () => {
  it.each([false, true])(
    'initial events of 20 MiB reach a client that reads, followed by later changes (TLS: %s)',
    async (tls) => {
      const plane = await largePlane()
      const listener = await plane.listen({ tls })
      const { port } = new URL(listener.url)
      const request = tls ? requestTls : requestPlain
      const types: string[] = []
      await new Promise<void>((resolve, reject) => {
        const call = request(
          { port, path, headers: { authorization: 'Bearer admin' }, ...(tls ? { ca: listener.caCert } : {}) },
          (answer) => {
            let text = ''
            let added = false
            answer.setEncoding('utf8').on('data', (chunk: string) => {
              text += chunk
              const lines = text.split('\n')
              text = lines.pop() as string
              for (const line of lines) types.push((JSON.parse(line) as { type: string }).type)
              if (!added) {
                added = true
                void plane.transport()({
                  method: 'POST',
                  path: '/api/v1/namespaces/default/configmaps',
                  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } },
                })
              }
              if (types.length < 5002) return
              call.destroy()
              resolve()
            })
            answer.once('end', () => reject(new Error(`the watch ended after ${types.length} events`)))
          },
        )
        call.once('error', (error) => (types.length < 5002 ? reject(error) : undefined))
        call.end()
      })
      expect(types.lastIndexOf('ADDED')).toBe(5001)
      expect(types.indexOf('BOOKMARK')).toBe(5000)
      await listener.close()
    },
  )

  it('the initial events of a watch wait for a reader in this process too', async () => {
    const plane = createControlPlane()
    planes.push(plane)
    const transport = plane.transport()
    for (let i = 0; i < 10_050; i++) {
      await transport({
        method: 'POST',
        path: '/api/v1/namespaces/default/configmaps',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `map-${i}` } },
      })
    }
    const { events } = await transport({ method: 'GET', path })
    if (events === undefined) throw new Error('no watch')
    const first = events.drain()
    const second = events.drain()
    expect([first.length, second.length, second.at(-1)?.type]).toEqual([10_000, 51, 'BOOKMARK'])
    events.stop()
  })
})
