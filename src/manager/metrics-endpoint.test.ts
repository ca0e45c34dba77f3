/** The metrics of a program, as its generated manifests set it up: over HTTPS, for those who may read them. */
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import type { KubeObject } from '../api/object.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { controller } from '../controller/builder.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { realEnv } from '../env/real.ts'
import { operatorManifests } from '../manifests/manifests.ts'
import { ClusterRole, ClusterRoleBinding, ConfigMap } from '../schema/builtin/kinds.ts'
import { createLogger } from '../telemetry/log-writer.ts'
import { renewed } from '../webhooks/certificates.ts'
import { readConfiguration } from './configuration.ts'
import { metricsEndpoint } from './metrics-endpoint.ts'
import { OperatorRuntime } from './operator-runtime.ts'

const env = realEnv()
const definition = { name: 'maps', controllers: [controller(ConfigMap).reconcile(() => undefined)] }
const account = {
  name: 'system:serviceaccount:maps-system:maps-operator',
  uid: '',
  groups: ['system:serviceaccounts', 'system:authenticated'],
}
const tokens = ['reader', 'other'].map((name) => ({ token: `${name}-token`, user: { name, uid: '', groups: [] } }))

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A server with the roles of the generated manifests, and an account that may read metrics. */
async function cluster(): Promise<ControlPlane> {
  const plane = createControlPlane({ authorization: 'RBAC', tokens })
  closing.push(() => plane.close())
  const admin = new RestClient({ env, transport: inProcessTransport(plane.transport()) })
  const ofKind = <T>(kind: string): T[] =>
    operatorManifests(definition).objects.filter((each: KubeObject) => each.kind === kind) as never
  for (const role of ofKind<ClusterRole>('ClusterRole')) await admin.create(ClusterRole, role)
  for (const binding of ofKind<ClusterRoleBinding>('ClusterRoleBinding'))
    await admin.create(ClusterRoleBinding, binding)
  await admin.create(ClusterRoleBinding, {
    metadata: { name: 'readers' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'maps-metrics-reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }],
  })
  return plane
}

async function start(plane: ControlPlane, ...args: string[]): Promise<Readonly<Record<string, string>>> {
  const program = new OperatorRuntime({
    ...definition,
    namespace: 'maps-system',
    env,
    log: createLogger({ env, write: () => undefined }),
    transport: inProcessTransport(plane.transport(account)),
    configuration: readConfiguration({ args: ['--health-probe-bind-address=127.0.0.1:0', ...args] }),
  })
  const stop = new AbortController()
  const ended = program.run(stop.signal)
  closing.push(async () => {
    stop.abort()
    await ended
  })
  await program.manager.whenWorking()
  return program.urls
}

/** Another name of 127.0.0.1, which the settings do not take for loopback. */
const beyondLoopback = '--metrics-bind-address=127.1:0'

interface Scraped {
  readonly status: number | undefined
  readonly text: string
  readonly certificate?: string
}

function scrape(url: string | undefined, token?: string, method = 'GET'): Promise<Scraped> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const request = url?.startsWith('https:') === true ? secureRequest : plainRequest
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url ?? ''}/metrics`,
      { method, headers, agent: false, rejectUnauthorized: false },
      (got) => {
        const socket = got.socket as TLSSocket
        const certificate = url?.startsWith('https:') === true ? socket.getPeerX509Certificate()?.toString() : undefined
        let text = ''
        got.on('data', (chunk) => (text += String(chunk)))
        got.on('end', () =>
          resolve({ status: got.statusCode, text, ...(certificate === undefined ? {} : { certificate }) }),
        )
        got.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

describe('the metrics of a program', () => {
  it('metrics beyond loopback are served over HTTPS, to tokens whose users may get them', async () => {
    const { metrics, probes } = await start(await cluster(), beyondLoopback)
    expect(metrics).toMatch(/^https:\/\/127\.0\.0\.1:/)
    expect(await scrape(metrics, 'reader-token')).toMatchObject({
      status: 200,
      text: expect.stringContaining('controller_runtime_max_concurrent_reconciles'),
    })
    expect(await scrape(metrics)).toMatchObject({ status: 401, text: 'Unauthorized\n' })
    expect((await scrape(metrics, 'wrong')).status).toBe(401)
    expect(await scrape(metrics, 'other-token')).toMatchObject({
      status: 403,
      text: 'Authorization denied for user other\n',
    })
    expect((await scrape(metrics, 'reader-token', 'POST')).status).toBe(403)
    await expect(scrape(metrics?.replace('https:', 'http:'), 'reader-token')).rejects.toThrow()
    expect((await fetch(`${probes ?? ''}/healthz`)).status).toBe(200)
  })

  it('a program with secure metrics ends though a client never finishes its handshake', async () => {
    const { metrics = '' } = await start(await cluster(), beyondLoopback)
    const silent = connect(Number(new URL(metrics).port), '127.0.0.1')
    const closed = new Promise((resolve) => silent.once('close', resolve))
    await new Promise((resolve) => silent.once('connect', resolve))
    await closing.pop()?.()
    await closed
  })

  it('metrics use the certificate of a folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coxswain-metrics-'))
    closing.push(() => rmSync(folder, { recursive: true, force: true }))
    const { cert, key } = renewed(env, undefined, ['metrics.example'])
    writeFileSync(join(folder, 'tls.crt'), cert)
    writeFileSync(join(folder, 'tls.key'), key)
    const { metrics } = await start(await cluster(), beyondLoopback, '--metrics-cert-dir', folder)
    expect((await scrape(metrics, 'reader-token')).certificate?.trim()).toBe(cert.trim())
  })

  it('metrics on loopback, or with --metrics-secure=false, are plain and for everyone', async () => {
    const plane = await cluster()
    for (const args of [['--metrics-bind-address=127.0.0.1:0'], [beyondLoopback, '--metrics-secure=false']]) {
      const { metrics } = await start(plane, ...args)
      expect(metrics).toMatch(/^http:/)
      expect((await scrape(metrics)).status).toBe(200)
    }
  })

  it.each<[readonly string[], ReturnType<typeof metricsEndpoint>]>([
    [[], { port: 8443, isSecure: true }],
    [['--metrics-bind-address=0.0.0.0:1'], { port: 1, isSecure: true }],
    [['--metrics-bind-address=[::]:1', '--metrics-secure=false'], { port: 1, isSecure: false }],
    [['--metrics-bind-address=127.0.0.1:1'], undefined],
    [['--metrics-bind-address=[::1]:1'], undefined],
    [['--metrics-bind-address=localhost:1'], undefined],
    [['--metrics-bind-address=0'], undefined],
  ])('the metrics that other machines reach with %j', (args, expected) =>
    expect(metricsEndpoint(readConfiguration({ args }))).toEqual(expected),
  )
})
