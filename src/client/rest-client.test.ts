/** Every verb of the client on the embedded control plane: in process, and over TLS sockets. */
import { createControlPlane } from '../controlplane/index.ts'
import { realEnv } from '../env/real.ts'
import { fixedCredentials } from './credentials.ts'
import { HttpTransport } from './http-transport.ts'
import { inProcessTransport } from './in-process-transport.ts'
import { describeVerbs } from './testdata/verbs.ts'

const env = realEnv()

describeVerbs('in process', env, async () => {
  const plane = createControlPlane({ env })
  const transport = inProcessTransport(plane.transport())
  return { transport, close: () => plane.close() }
})

describeVerbs('over TLS', env, async () => {
  const plane = createControlPlane({
    env,
    tokens: [{ token: 't', user: { name: 'admin', uid: '', groups: ['system:masters'] } }],
  })
  const { url, caCert } = await plane.listen()
  const trust = { ca: caCert }
  const transport = new HttpTransport({
    env,
    server: url,
    trust: () => Promise.resolve(trust),
    credentials: fixedCredentials({ authorization: 'Bearer t' }),
  })
  return {
    transport,
    async close() {
      await transport.close()
      await plane.close()
    },
  }
})
