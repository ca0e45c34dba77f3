/**
 * What the fields of a WebApp can make the operator do: its pods pass the Pod Security Standard "restricted" (item 5),
 * values of Secrets reach no output (6), and nothing is fetched (18).
 */
import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { podTemplate } from '../../operators/webapp/children/pod-template.ts'
import { exploration } from '../../operators/webapp/testing/exploration.ts'
import { parts } from '../../operators/webapp/testing/scenario.ts'
import { WebApp } from '../../operators/webapp/schema/webapp.ts'
import { World } from '../../operators/webapp/testing/world.ts'
import type { JsonObject } from '../../src/api/json.ts'
import { formatTraces } from '../../src/flow/trace-file.ts'
import { debugPage } from '../../src/manager/debug-page.ts'
import { CoreEvent, Deployment, Namespace, Pod } from '../../src/schema/builtin/kinds.ts'
import { explore } from '../../src/explore/explore.ts'
import { isLong } from './size.ts'

let world: World
beforeEach(async () => {
  world = await World.open()
})
afterEach(() => world.close())

/** Why a namespace that enforces "restricted" refuses a pod of this Deployment; undefined if it does not. */
async function refusal(template: { readonly metadata?: object; readonly spec?: object }): Promise<string | undefined> {
  const pod = {
    metadata: { ...template.metadata, name: 'probe', namespace: 'restricted' },
    spec: template.spec,
  } as unknown as Pod
  return world.cluster.client.create(Pod, pod as never, { dryRun: true }).then(
    () => undefined,
    (error: unknown) => String(error),
  )
}

describe('the pods of an app', () => {
  beforeEach(async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    await world.cluster.client.create(Namespace, { metadata: { name: 'restricted', labels } })
  })

  /** Fields of pods that a tenant would like to have. The schema does not know them. */
  const wishes: JsonObject = {
    hostNetwork: true,
    hostPID: true,
    hostIPC: true,
    hostUsers: true,
    privileged: true,
    securityContext: { privileged: true, runAsUser: 0 },
    volumes: [{ name: 'root', hostPath: { path: '/' } }],
    initContainers: [{ name: 'root', image: 'x', securityContext: { privileged: true } }],
    ephemeralContainers: [{ name: 'root', image: 'x' }],
    containers: [{ name: 'root', image: 'x', securityContext: { privileged: true } }],
    nodeName: 'control-plane',
    automountServiceAccountToken: true,
    shareProcessNamespace: true,
    template: { spec: { hostNetwork: true } },
  }

  it('fields that the schema does not know reach no child', async () => {
    const { status } = await world.cluster.plane.transport()({
      method: 'POST',
      path: '/apis/coxswain.dev/v1/namespaces/default/webapps?fieldValidation=Ignore',
      body: {
        apiVersion: WebApp.apiVersion,
        kind: WebApp.kind,
        metadata: { name: 'hello' },
        spec: { image: 'nginx:1.20', ...wishes },
      },
    })
    expect(status).toBe(201)
    await world.settle()
    const app = (await world.app()) as unknown as { spec: JsonObject }
    for (const field of Object.keys(wishes)) expect(app.spec[field], field).toBeUndefined()
    const { template } = (await world.deployment()).spec as NonNullable<Deployment['spec']>
    expect(JSON.stringify(template)).not.toMatch(/hostPath|"privileged"|hostNetwork|hostPID|hostIPC|control-plane/)
    expect(template.spec?.containers.map(({ name }) => name)).toEqual(['web'])
    expect(template.spec?.automountServiceAccountToken).toBe(false)
    expect(await refusal(template)).toBeUndefined()
  })

  it('and are not copied by the code either, from an object that has them', () => {
    const spec = { ...WebApp.defaulted({ metadata: { name: 'a' }, spec: { image: 'x' } }).spec, ...wishes }
    const dangerous = {
      ...spec,
      security: { profile: 'Restricted', runAsUser: 0, privileged: true },
      probes: { readiness: { httpGet: { port: 80, host: '169.254.169.254' } } },
    }
    const text = JSON.stringify(podTemplate({ name: 'a', spec: dangerous as never }))
    expect(text).not.toMatch(/hostPath|"privileged"|hostNetwork|hostPID|hostIPC|control-plane|169\.254/)
    expect(text).not.toContain('"runAsUser":0')
  })

  it('every app with the default profile has pods that "restricted" accepts, or is refused itself', async () => {
    const text = fc.constantFrom('a', 'http', '/', '--privileged', '$(id)', '../../etc', '8080')
    const number = fc.constantFrom(0, 1, 80, 443, 1000, 65535)
    const handler = fc.oneof(
      fc.record({ httpGet: fc.record({ port: number, host: text, path: text }, { requiredKeys: ['port'] }) }),
      fc.record({ tcpSocket: fc.record({ port: number, host: text }, { requiredKeys: ['port'] }) }),
      fc.record({ exec: fc.record({ command: fc.array(text, { maxLength: 2 }) }) }),
    )
    const spec = fc.record(
      {
        command: fc.array(text, { maxLength: 2 }),
        args: fc.array(text, { maxLength: 2 }),
        port: number,
        ports: fc.array(fc.record({ name: fc.constantFrom('a', 'b'), port: number }), { maxLength: 2 }),
        env: fc.dictionary(fc.constantFrom('A', 'B'), text),
        files: fc.constantFrom([], [{ path: '/x', secret: 's' }], [{ path: '/proc', configMap: 'c' }]),
        probes: fc.record({ startup: handler, readiness: handler, liveness: handler }, { requiredKeys: [] }),
        security: fc.record(
          { runAsUser: number, fsGroup: number, readOnlyRootFilesystem: fc.boolean() },
          { requiredKeys: [] },
        ),
        serviceAccountName: fc.constantFrom('default', 'other'),
        preStopSeconds: fc.constantFrom(0, 5),
        podMetadata: fc.record({ labels: fc.constant({ x: 'y' }), annotations: fc.constant({ x: 'y' }) }),
      },
      { requiredKeys: [] },
    )
    const counts = { accepted: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(spec, async (fields) => {
        const app = { metadata: { name: 'x', namespace: 'default' }, spec: { image: 'nginx:1.20', ...fields } }
        const made = await world.cluster.client.create(WebApp, app as never, { dryRun: true }).catch(() => undefined)
        if (made === undefined) {
          counts.refused++
          return
        }
        counts.accepted++
        const reason = await refusal(podTemplate({ name: 'x', spec: made.spec }) as object)
        // Others than those of the standard, such as a probe of a port that is no name, are of no interest here.
        expect(reason ?? '').not.toContain('violates PodSecurity')
      }),
      { numRuns: isLong ? 5_000 : 400, seed: 5 },
    )
    expect(counts.accepted).toBeGreaterThan(50)
    expect(counts.refused).toBeGreaterThan(10)
  })
})

describe('values of Secrets', () => {
  const canary = 'canary-7d1f0c-value'
  const encoded = Buffer.from(canary).toString('base64')

  it('are in no log, event, status, metric, trace, debug page or report of the explorer', async () => {
    const secret = (value: string) =>
      world.cluster.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'keys' },
        stringData: { password: value },
      } as never)
    await secret(canary)
    await world.apply({
      image: 'nginx:1.20',
      envFrom: [{ secretRef: { name: 'keys' } }],
      envValueFrom: { PASSWORD: { secretKeyRef: { name: 'keys', key: 'password' } } },
      files: [{ path: '/keys', secret: 'keys' }],
    })
    await world.settle()
    await secret(`${canary}-2`)
    await world.cluster.advance(60_000)
    await world.patch({ envValueFrom: { OTHER: { secretKeyRef: { name: 'keys', key: 'missing' } } } })
    await world.cluster.advance(60_000)
    const { cluster } = world
    const read = async (kind: typeof CoreEvent | typeof WebApp | typeof Deployment | typeof Pod): Promise<string> =>
      JSON.stringify((await cluster.client.list(kind as typeof Pod)).items)
    const report = await explore({
      ...exploration(parts.creation),
      atMost: 4,
      oracles: [{ name: 'never content', rest: () => 'this run must be reported' }],
      cluster: {
        ...exploration().cluster,
        crds: [],
      },
    })
    const outputs = {
      logs: cluster.logs.join('\n'),
      events: await read(CoreEvent),
      apps: await read(WebApp),
      deployments: await read(Deployment),
      pods: await read(Pod),
      metrics: cluster.manager.metrics.text(),
      traces: formatTraces(world.traces.traces),
      debugPage: debugPage(cluster.manager),
      report: report.text + JSON.stringify(report.failures),
    }
    expect(outputs.report).toContain('this run must be reported')
    for (const [name, text] of Object.entries(outputs)) {
      expect(text.length, name).toBeGreaterThan(50)
      expect(text, name).not.toContain(canary.slice(0, 12))
      expect(text, name).not.toContain(encoded.slice(0, 12))
    }
  })
})

describe('addresses in an app', () => {
  it('are not called, resolved or fetched', async () => {
    const connect = vi.spyOn(net.Socket.prototype, 'connect')
    const lookup = vi.spyOn(dns, 'lookup')
    const promised = vi.spyOn(dns.promises, 'lookup')
    const datagram = vi.spyOn(dgram.Socket.prototype, 'send')
    const fetched = vi.spyOn(globalThis, 'fetch')
    try {
      for (const address of [
        'http://169.254.169.254/latest/meta-data',
        'http://[::ffff:169.254.169.254]/',
        'https://localhost:6443/api/v1/secrets',
        'file:///etc/passwd',
        'gopher://127.0.0.1:6379/_FLUSHALL',
        'http://0x7f000001/',
        '//attacker.example/x',
      ]) {
        await world
          .apply(
            {
              image: address,
              env: { URL: address },
              command: [address],
              probes: { readiness: { httpGet: { port: 80, path: address } } },
              ingress: { host: 'a.example.com', path: '/x', className: 'x', annotations: { x: address } },
              podMetadata: { annotations: { x: address } },
            },
            { annotations: { x: address, 'coxswain.dev/reconcile-at': address } },
          )
          .catch(() => undefined)
        await world.cluster.advance(60_000)
      }
      expect((await world.deployment()).spec?.template.spec?.containers[0]?.image).toContain('attacker.example')
      for (const spy of [connect, lookup, promised, datagram, fetched]) expect(spy).not.toHaveBeenCalled()
    } finally {
      vi.restoreAllMocks()
    }
  })
})
