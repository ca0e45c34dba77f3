/**
 * A canary for credentials: an operator whose token is echoed by its server, in every place where a server can say
 * something, and by its exec plugin. No output of the runtime may contain it. About two seconds.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clusterTransport } from '../../src/client/cluster-access.ts'
import { loadAccess } from '../../src/client/load-access.ts'
import { RestClient } from '../../src/client/rest-client.ts'
import { eventually } from '../../src/client/testdata/eventually.ts'
import type { Transport } from '../../src/client/transport.ts'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'
import { controller } from '../../src/controller/builder.ts'
import { realEnv } from '../../src/env/real.ts'
import { formatTraces } from '../../src/flow/trace-file.ts'
import { TraceRing } from '../../src/flow/trace-ring.ts'
import { debugPage } from '../../src/manager/debug-page.ts'
import { Manager } from '../../src/manager/manager.ts'
import { clusterToRead } from '../../src/plan/cluster-client.ts'
import { plan } from '../../src/plan/plan.ts'
import { planText } from '../../src/plan/plan-text.ts'
import { ConfigMap, CoreEvent, Secret } from '../../src/schema/builtin/kinds.ts'
import { createLogger } from '../../src/telemetry/log-writer.ts'
import type { Tracer } from '../../src/telemetry/tracer.ts'
import { FaultProxy } from './fault-proxy.ts'

const canary = 'canary-2f9d41c7e8b05a63-token'
const env = realEnv()

let plane: ControlPlane
let proxy: FaultProxy
let folder: string
let kubeconfig: string
/** Whatever the exec plugin and the runtime have written. */
const outputs: string[] = []
const transports: Transport[] = []

beforeEach(async () => {
  outputs.length = 0
  folder = mkdtempSync(join(tmpdir(), 'coxswain-canary-'))
  plane = createControlPlane({
    tokens: [{ token: canary, user: { name: 'operator', uid: 'o', groups: ['system:masters'] } }],
  })
  proxy = new FaultProxy((await plane.listen({ tls: false })).port)
  kubeconfig = join(folder, 'kubeconfig')
  const credential = {
    kind: 'ExecCredential',
    apiVersion: 'client.authentication.k8s.io/v1',
    status: { token: canary },
  }
  writeFileSync(
    join(folder, 'plugin.cjs'),
    `console.error('the token is ${canary}'); console.log(${JSON.stringify(JSON.stringify(credential))})`,
  )
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'x',
      clusters: [{ name: 'c', cluster: { server: await proxy.start() } }],
      users: [
        {
          name: 'u',
          user: {
            exec: {
              apiVersion: credential.apiVersion,
              interactiveMode: 'Never',
              command: process.execPath,
              args: [join(folder, 'plugin.cjs')],
            },
          },
        },
      ],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    }),
  )
})
afterEach(async () => {
  for (const transport of transports.splice(0)) await transport.close()
  await proxy.stop()
  await plane.close()
  rmSync(folder, { recursive: true })
})

async function transport(): Promise<Transport> {
  const onStderr = (chunk: Uint8Array): number => outputs.push(Buffer.from(chunk).toString())
  const made = clusterTransport(env, await loadAccess({ env, kubeconfig, onStderr }))
  transports.push(made)
  return made
}

/** The Authorization header of a request. */
const authorizationOf = (request: string): string => /authorization: ([^\r]*)/i.exec(request)?.[1] ?? ''

function response(head: string, body: string): string {
  return `HTTP/1.1 ${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
}

const echoes: Readonly<Record<string, (echo: string) => string>> = {
  status: (echo) => {
    const cause = { reason: echo, message: echo, field: echo }
    const status = { kind: 'Status', apiVersion: 'v1', code: 403, reason: 'Forbidden', message: `not with ${echo}` }
    const body = JSON.stringify({ ...status, details: { name: echo, causes: [cause] } })
    return response(`403 Forbidden\r\ncontent-type: application/json\r\nwarning: 299 - "${echo}"`, body)
  },
  text: (echo) => response('500 Internal Server Error\r\ncontent-type: text/plain', `x${'-'.repeat(2030)}${echo}`),
  notJson: (echo) => response('200 OK\r\ncontent-type: application/json', `{"a": ${echo}`),
  encoding: (echo) => response(`200 OK\r\ncontent-encoding: ${echo}`, '{}'),
  transfer: (echo) => `HTTP/1.1 200 OK\r\ntransfer-encoding: ${echo}\r\n\r\n`,
  length: (echo) => `HTTP/1.1 200 OK\r\ncontent-length: ${echo}\r\n\r\n`,
  errorEvent: (echo) => {
    const object = { kind: 'Status', apiVersion: 'v1', code: 500, message: echo }
    return response('200 OK\r\ncontent-type: application/json', `${JSON.stringify({ type: 'ERROR', object })}\n`)
  },
  oddEvent: (echo) => response('200 OK\r\ncontent-type: application/json', `{"kind": "${echo}"}\n`),
  brokenEvent: (echo) => response('200 OK\r\ncontent-type: application/json', `{"type": ${echo}\n`),
  oddObject: (echo) => response('422 Odd\r\ncontent-type: application/json', JSON.stringify({ echo })),
}

/** Everything that a program may print of an error. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return [error.message, error.stack, JSON.stringify(error), textOf(error.cause)].join('\n')
}

describe('own credentials do not reach any output', () => {
  it.each(Object.keys(echoes))('errors of calls and watches: %s', async (name) => {
    const warnings: string[] = []
    proxy.weather = { answer: (request) => echoes[name]?.(authorizationOf(request)) }
    const client = new RestClient({ env, transport: await transport(), onWarning: (text) => warnings.push(text) })
    const failure = (call: Promise<unknown>): Promise<unknown> => call.then(String, (error: unknown) => error)
    const errors = [await failure(client.get(ConfigMap, { namespace: 'a', name: 'b' }))]
    errors.push(await failure(client.create(ConfigMap, { metadata: { namespace: 'a', name: 'b' } })))
    const watching = async (): Promise<void> => {
      for await (const events of await client.watch(ConfigMap)) outputs.push(JSON.stringify(events))
    }
    errors.push(await failure(watching()))
    const all = [...outputs, ...warnings, ...errors.map(textOf)].join('\n')
    expect(all).not.toContain(canary.slice(0, 16))
    if (name !== 'notJson' && name !== 'brokenEvent') expect(all).toContain('[masked]')
  })

  it.each(['json', 'text'] as const)(
    'logs (%s), spans, traces, events, metrics, probes, objects and the debug page of an operator',
    async (format) => {
      const spans: string[] = []
      const tracer: Tracer = {
        startSpan: (name, attributes) => ({
          within: (work) => work(),
          end: (error) => spans.push(name, JSON.stringify(attributes), textOf(error)),
        }),
      }
      const logs: string[] = []
      const log = createLogger({ env, format, level: 'debug', write: (line) => logs.push(line) })
      const traces = new TraceRing()
      const reconcile = controller(ConfigMap)
        .named('echo')
        .owns(Secret)
        .reconcile(async ({ object, apply, event, log: own }) => {
          if (object.metadata.name !== 'echo') return
          own.info('with the header', { headers: { accept: `Bearer ${canary}` }, text: canary })
          try {
            await apply(Secret, { metadata: { name: 'echoed' } })
          } catch (error) {
            event('Warning', 'Failed', (error as Error).message)
            throw error
          }
        })
      const echo = echoes['status'] as (echo: string) => string
      proxy.weather = {
        answer: (request) => (request.startsWith('PATCH ') ? echo(authorizationOf(request)) : undefined),
      }
      const manager = new Manager({
        transport: await transport(),
        controllers: [reconcile],
        env,
        log,
        traces,
        tracer,
        leaderElection: { namespace: 'default', name: 'echo', identity: 'a' },
      })
      const stop = new AbortController()
      const ended = manager.run(stop.signal)
      const user = plane.transport()
      const read = async (path: string): Promise<string> => JSON.stringify((await user({ method: 'GET', path })).body)
      await user({
        method: 'POST',
        path: '/api/v1/namespaces/default/configmaps',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'echo' } },
      })
      const client = new RestClient({ env, transport: await transport() })
      await eventually(() => logs.filter((line) => line.includes('not with')).length).toBeGreaterThan(0)
      await expect
        .poll(async () => (await client.list(CoreEvent)).items.length, { timeout: 20_000, interval: 20 })
        .toBeGreaterThan(0)
      const all = {
        logs: logs.join('\n'),
        spans: spans.join('\n'),
        traces: formatTraces(traces.traces),
        events: await read('/api/v1/events'),
        objects: (await read('/api/v1/configmaps')) + (await read('/apis/coordination.k8s.io/v1/leases')),
        metrics: manager.metrics.text(),
        debugPage: debugPage(manager),
        probes: JSON.stringify([
          await manager.readyz.answer('readyz', { verbose: true }),
          await manager.healthz.answer('healthz'),
        ]),
        stderr: outputs.join(''),
      }
      stop.abort()
      await ended
      for (const [name, text] of Object.entries(all)) expect(text, name).not.toContain(canary.slice(0, 16))
      for (const name of ['logs', 'spans', 'traces', 'events', 'stderr'] as const)
        expect(all[name], name).toContain('[masked]')
    },
  )

  it('plans, and the errors of plans', async () => {
    const read = controller(ConfigMap)
      .named('reader')
      .owns(Secret)
      .reconcile(async ({ object, apply }) => {
        if (object.metadata.name === 'new') await apply(Secret, { metadata: { name: 'new' } })
      })
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new', namespace: 'default' } }
    const echo = echoes['status'] as (echo: string) => string
    for (const path of ['/api/v1/secrets', '/api']) {
      proxy.weather = {
        answer: (request) => (request.startsWith(`GET ${path}`) ? echo(authorizationOf(request)) : undefined),
      }
      const cluster = await clusterToRead({ kubeconfig })
      try {
        const made = await plan({
          operator: { name: 'reader', controllers: [read] },
          now: cluster.now,
          from: cluster.client,
          apply: [manifest],
        })
        outputs.push(planText(made), JSON.stringify(made))
      } catch (error) {
        outputs.push(textOf(error))
      } finally {
        await cluster.close()
      }
    }
    expect(outputs.join('\n')).not.toContain(canary.slice(0, 16))
    expect(outputs.join('\n')).toContain('[masked]')
  })
})
