/**
 * The audit log of the embedded server must have the entries of a real kube-apiserver: both get the same policy and the
 * same requests. Ids, times and versions are masked; docs/reference/audit.md lists what else may differ.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpsRequest, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'
import { realEnv } from '../../src/env/real.ts'
import { memoryCertificates } from '../../src/webhooks/certificates.ts'
import { startCluster, type Cluster } from '../cluster/index.ts'
import { policy, probes, ready, setup, type Probe } from './probes.ts'

interface Entry {
  readonly auditID: string
  readonly [field: string]: unknown
}

let cluster: Cluster
let plane: ControlPlane
let server: Server
let folder: string
let real: readonly Entry[]
let ours: readonly Entry[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-audit-'))
  const [policyFile, logFile] = [join(folder, 'policy.json'), join(folder, 'audit.log')]
  writeFileSync(policyFile, JSON.stringify(policy))
  cluster = await startCluster({
    apiserverArgs: [`--audit-policy-file=${policyFile}`, `--audit-log-path=${logFile}`],
  })
  const lines: string[] = []
  plane = createControlPlane({
    authorization: 'RBAC',
    tokens: Object.values(cluster.users).map(({ token, ...user }) => ({ token, user })),
    audit: { policy, write: (line) => lines.push(line) },
  })
  const listener = await plane.listen()
  const { ca, cert, key } = await memoryCertificates(realEnv(), ['127.0.0.1']).current()
  server = webhookServer(cert, key)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const webhooks = setup(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca)
  await sendAll(cluster.url, cluster.ca, webhooks)
  await sendAll(listener.url, listener.caCert ?? '', webhooks)
  const last = `"auditID":"${idOf(probes.length - 1)}","stage":"ResponseComplete"`
  await vi.waitFor(() => expect(readFileSync(logFile, 'utf8').includes(last)).toBe(true), 20_000)
  real = entriesOf(readFileSync(logFile, 'utf8').split('\n'))
  ours = entriesOf(lines)
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await plane.close()
  await cluster.stop()
  rmSync(folder, { recursive: true })
})

/** Responds by the path of the webhook. */
function webhookServer(cert: string, key: string): Server {
  return createServer({ cert, key }, (request, response) => {
    let text = ''
    request
      .setEncoding('utf8')
      .on('data', (chunk) => (text += String(chunk)))
      .on('end', () => {
        const path = (request.url ?? '').split('?')[0]
        if (path === '/open-broken' || path === '/open-failing') return void response.writeHead(500).end('no')
        const { uid } = (JSON.parse(text) as { request: { uid: string } }).request
        const answer = { uid, allowed: path !== '/deny', ...answers[path ?? ''] }
        const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(review))
      })
  })
}

const patchOf = (operations: readonly object[]): object => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})
const answers: Readonly<Record<string, object>> = {
  '/patch': patchOf([{ value: '<b>', path: '/data/patched', op: 'add' }]),
  '/same': patchOf([{ op: 'replace', path: '/data/a', value: '1' }]),
  '/connection': patchOf([{ op: 'add', path: '/container', value: 'c' }]),
  '/notes': { auditAnnotations: { seen: 'yes', 'not/valid': 'x' }, warnings: ['noted'] },
}

const idOf = (index: number): string => `probe-${String(index).padStart(3, '0')}`

async function sendAll(url: string, ca: string, prepare: readonly Probe[]): Promise<void> {
  for (const probe of prepare) expect(await send(url, ca, probe, 'setup'), probe.path).toBe(201)
  for (const { probe, status } of ready)
    await vi.waitFor(async () => expect(await send(url, ca, probe, 'setup')).toBe(status), 20_000)
  for (const [i, probe] of probes.entries()) await send(url, ca, probe, idOf(i))
}

/** The status of the response, after its end. */
function send(
  url: string,
  ca: string,
  { method, path, user = 'admin', headers, body }: Probe,
  id: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const token = user === 'nobody' ? {} : { authorization: `Bearer ${cluster.users[user].token}` }
    const all = { ...token, 'audit-id': id, 'user-agent': 'probe/1', 'content-type': 'application/json', ...headers }
    const sent = httpsRequest(`${url}${path}`, { method, ca, agent: false, headers: all }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('upgrade', (_response, socket) => socket.resume().on('close', () => resolve(101)))
    sent.on('error', reject)
    sent.end(typeof body === 'object' ? JSON.stringify(body) : body)
  })
}

/** By request, with what differs from run to run masked. */
function entriesOf(lines: readonly string[]): Entry[] {
  return lines
    .filter((line) => line.includes('"auditID":"probe-'))
    .map((line) => JSON.parse(line, masked) as Entry)
    .sort((a, b) => a.auditID.localeCompare(b.auditID))
}

const variable = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'time',
  'lastTransitionTime',
  'token',
  'expirationTimestamp',
  'requestReceivedTimestamp',
  'stageTimestamp',
])

function masked(name: string, value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return value
  // Present if the request took longer than half a second.
  if (name.startsWith('apiserver.latency.k8s.io/')) return undefined
  if (variable.has(name)) return '…'
  // Columns of tables have no descriptions here.
  if (name === 'description') return ''
  if (/^g-\w{5}$/.test(value)) return 'g-…'
  if (value.startsWith('JTI=')) return 'JTI=…'
  return value
}

const describeProbe = ({ method, path, user = 'admin' }: Probe): string => `${method} ${path} as ${user}`

describe('the audit log compared with a real server', () => {
  it.each(probes.map((probe, i) => [describeProbe(probe), idOf(i)] as const))('%s (%s)', (_name, id) => {
    const of = (entries: readonly Entry[]): Entry[] => entries.filter(({ auditID }) => auditID === id)
    expect(of(ours)).toEqual(of(real))
    expect(of(ours).map((entry) => Object.keys(entry))).toEqual(of(real).map((entry) => Object.keys(entry)))
  })
})
