/**
 * The audit log of the embedded server must have the entries of a real kube-apiserver: both get the same policy and the
 * same requests. Ids, times and versions are masked; docs/reference/audit.md lists what else may differ.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'
import { startCluster, type Cluster } from '../cluster/index.ts'

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [
    { level: 'None', nonResourceURLs: ['/healthz*'] },
    { level: 'Metadata', resources: [{ group: '', resources: ['secrets'] }] },
    { level: 'Request', resources: [{ group: '', resources: ['serviceaccounts'] }], omitStages: ['RequestReceived'] },
    { level: 'RequestResponse', verbs: ['patch'], omitManagedFields: true },
    { level: 'RequestResponse', namespaces: ['probe'] },
    { level: 'Metadata' },
  ],
}

interface Probe {
  readonly method: string
  readonly path: string
  readonly user?: 'admin' | 'alice' | 'nobody'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
}

const configMaps = '/api/v1/namespaces/probe/configmaps'
const configMap = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { a: '1' },
  ...more,
})
const merge = { 'content-type': 'application/merge-patch+json' }
const apply = { 'content-type': 'application/apply-patch+yaml' }

const probes: readonly Probe[] = [
  { method: 'POST', path: `${configMaps}?fieldManager=me`, body: configMap('a') },
  { method: 'POST', path: configMaps, body: configMap('a') },
  { method: 'POST', path: configMaps, body: configMap('A_B') },
  { method: 'POST', path: configMaps, body: '{"a":' },
  { method: 'GET', path: `${configMaps}/a` },
  { method: 'GET', path: `${configMaps}/missing` },
  { method: 'GET', path: `${configMaps}?limit=500` },
  { method: 'GET', path: `${configMaps}?fieldSelector=metadata.name%3Da` },
  { method: 'GET', path: `${configMaps}?watch=1&timeoutSeconds=1` },
  { method: 'PUT', path: `${configMaps}/a`, body: configMap('a', { data: { a: '2' } }) },
  { method: 'PATCH', path: `${configMaps}/a?fieldManager=me`, headers: merge, body: { data: { b: '1' } } },
  { method: 'PATCH', path: `${configMaps}/b?fieldManager=me`, headers: apply, body: configMap('b') },
  { method: 'GET', path: configMaps, user: 'alice' },
  { method: 'POST', path: configMaps, user: 'alice', body: configMap('c') },
  { method: 'GET', path: `${configMaps}?watch=1`, user: 'alice' },
  { method: 'GET', path: `${configMaps}/a`, headers: { 'impersonate-user': 'bob', 'impersonate-group': 'dev' } },
  { method: 'GET', path: `${configMaps}/a`, user: 'alice', headers: { 'impersonate-user': 'bob' } },
  { method: 'GET', path: `${configMaps}/a`, headers: { authorization: 'Bearer wrong' } },
  { method: 'GET', path: '/version', headers: { authorization: 'Basic YTpi' } },
  { method: 'GET', path: '/version?probe=%20x' },
  { method: 'GET', path: '/version', user: 'nobody' },
  { method: 'GET', path: `${configMaps}/a`, user: 'nobody' },
  { method: 'GET', path: '/healthz' },
  { method: 'GET', path: '/apis/nothing.example.com/v1/things' },
  { method: 'GET', path: '/api/v1/things' },
  { method: 'POST', path: '/api/v1/namespaces/probe/secrets', body: { metadata: { name: 's' }, data: { x: 'eA==' } } },
  { method: 'GET', path: '/api/v1/namespaces/probe/secrets/s' },
  { method: 'POST', path: '/api/v1/namespaces/probe/serviceaccounts', body: { metadata: { generateName: 'g-' } } },
  {
    method: 'GET',
    path: '/api/v1/namespaces/probe',
    headers: { 'x-forwarded-for': '192.0.2.1', 'x-real-ip': '192.0.2.2' },
  },
  { method: 'DELETE', path: `${configMaps}/a`, body: { propagationPolicy: 'Background' } },
  { method: 'DELETE', path: configMaps },
  { method: 'DELETE', path: `${configMaps}/missing` },
]

interface Entry {
  readonly auditID: string
  readonly [field: string]: unknown
}

let cluster: Cluster
let plane: ControlPlane
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
  await sendAll(cluster.url, cluster.ca)
  await sendAll(listener.url, listener.caCert)
  const last = `"auditID":"${idOf(probes.length - 1)}","stage":"ResponseComplete"`
  await vi.waitFor(() => expect(readFileSync(logFile, 'utf8').includes(last)).toBe(true), 20_000)
  real = entriesOf(readFileSync(logFile, 'utf8').split('\n'))
  ours = entriesOf(lines)
})
afterAll(async () => {
  await plane.close()
  await cluster.stop()
  rmSync(folder, { recursive: true })
})

const idOf = (index: number): string => `probe-${String(index).padStart(2, '0')}`

async function sendAll(url: string, ca: string): Promise<void> {
  await send(url, ca, { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'probe' } } }, 'setup')
  for (const [i, probe] of probes.entries()) await send(url, ca, probe, idOf(i))
}

function send(
  url: string,
  ca: string,
  { method, path, user = 'admin', headers, body }: Probe,
  id: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const token = user === 'nobody' ? {} : { authorization: `Bearer ${cluster.users[user].token}` }
    const all = { ...token, 'audit-id': id, 'user-agent': 'probe/1', 'content-type': 'application/json', ...headers }
    const sent = httpsRequest(new URL(path, url), { method, ca, agent: false, headers: all }, (response) => {
      response.resume().on('end', () => resolve())
    })
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

const variable = /^(uid|resourceVersion|creationTimestamp|time|requestReceivedTimestamp|stageTimestamp)$/

function masked(name: string, value: unknown): unknown {
  if (variable.test(name) && typeof value === 'string' && value !== '') return '…'
  if (typeof value === 'string' && /^g-\w{5}$/.test(value)) return 'g-…'
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
