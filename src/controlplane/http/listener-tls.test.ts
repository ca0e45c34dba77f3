/** TLS, from another process: a client that sends its next body while the previous response is still being sent. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createControlPlane } from '../index.ts'

/** Sends 200 chunked bodies of 16 to 24 KiB on one connection and prints the status codes of the responses. */
const client = `
  const https = require('node:https')
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
  const put = (size) => new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
    const path = '/api/v1/namespaces/default/configmaps/large'
    const sent = https.request({ port: Number(process.argv[1]), method: 'PUT', path, agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    sent.write(JSON.stringify({ metadata: { name: 'large' }, data: { text: 'x'.repeat(size) } }))
    sent.end()
  })
  void (async () => {
    const codes = new Set()
    for (let i = 0; i < 200; i++) codes.add(await put(16_000 + 41 * i))
    agent.destroy()
    console.log([...codes].join())
  })()
`

it('the TLS listener reads every body', async () => {
  const user = { name: 'admin', uid: '', groups: ['system:masters'] }
  const plane = createControlPlane({ tokens: [{ token: 't', user }] })
  try {
    const { port } = await plane.listen()
    await plane.transport(user)({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: { metadata: { name: 'large' } },
    })
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', client, String(port)])
    expect(stdout.trim()).toBe('200')
  } finally {
    await plane.close()
  }
})
