import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { realEnv } from '../env/real.ts'
import { ConfigMap, CustomResourceDefinition } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import type { DoctorReport } from '../doctor/finding.ts'
import { runCommandLine } from './command-line.ts'
import { installDefinitions } from './demo-objects.ts'
import { kubeconfigText } from './kubeconfig.ts'

const guestbook = fileURLToPath(new URL('../manifests/testdata/guestbook.ts', import.meta.url))

let folder: string
let kubeconfig: string
let plane: ControlPlane
const env = realEnv()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-doctor-'))
  kubeconfig = join(folder, 'kc')
  plane = createControlPlane({ env, tokens: [{ token: 'mine', user: { name: 'me', uid: '', groups: [] } }] })
  const { url } = await plane.listen({ tls: false })
  writeFileSync(kubeconfig, kubeconfigText({ url, caCert: '', token: 'mine' }))
  writeFileSync(join(folder, 'gone'), kubeconfigText({ url: 'http://127.0.0.1:1', caCert: '', token: 'mine' }))
  const client = new RestClient({ env, transport: inProcessTransport(plane.transport()) })
  const crds = ['a.example.dev', 'b.example.dev'].map(
    (group) => resource(`${group}/v1`, 'Widget', { spec: t.object({}) }).crd,
  )
  await installDefinitions(client, env, { name: 'widgets', controllers: [], crds })
  expect((await client.list(CustomResourceDefinition)).items).toHaveLength(2)
  await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'well' } })
  const metadata = { namespace: 'default', name: 'stuck', finalizers: ['example.dev/x'] }
  await client.create(ConfigMap, { metadata })
  await client.delete(ConfigMap, { namespace: 'default', name: 'stuck' })
})
afterAll(async () => {
  await plane.close()
  rmSync(folder, { recursive: true, force: true })
})

async function doctor(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  const out: string[] = []
  const error: string[] = []
  const code = await runCommandLine(['doctor', '--kubeconfig', kubeconfig, ...args], {
    out: (line) => void out.push(line),
    error: (line) => void error.push(line),
    stopped: new Promise(() => undefined),
  })
  return { code, out: out.join('\n'), error: error.join('\n') }
}

describe('coxswain doctor', () => {
  it('exits with 0 if nothing wrong was found, in both forms', async () => {
    for (const args of [['configmap/well'], ['cm', 'well', '-n', 'default']])
      expect(await doctor(...args)).toEqual({
        code: 0,
        out: 'ConfigMap default/well: nothing wrong was found',
        error: '',
      })
  })

  it('exits with 1 if it found something; commands name the same cluster', async () => {
    const { code, out } = await doctor('configmap/stuck')
    expect(code).toBe(1)
    expect(out).toMatch(
      /^ConfigMap default\/stuck: 1 finding\n\n1\. ConfigMap default\/stuck has been terminating for /,
    )
    expect(out).toContain(`\n   → kubectl --kubeconfig ${kubeconfig} get configmap/stuck -n default -o yaml`)
  })

  it('prints JSON of a version', async () => {
    const { code, out } = await doctor('configmap/stuck', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      version: 'coxswain.dev/doctor/v1',
      subject: 'ConfigMap default/stuck',
      findings: [{ type: 'being-deleted', evidence: [expect.stringContaining('example.dev/x')] }],
      unread: [],
    })
  })

  it.each<[number, string[], string]>([
    [2, [], 'give one object as KIND/NAME, or a MODULE (see: coxswain doctor --help)'],
    [2, ['configmap'], 'give one object as KIND/NAME'],
    [2, ['configmap/a/b'], 'give one object as KIND/NAME'],
    [2, ['configmap/a', '--context', 'nosuch'], 'nosuch'],
    [2, ['nosuch.js'], 'there is no module nosuch.js'],
    [1, ['nosuch/a'], 'the server does not serve "nosuch"'],
    [1, ['nosuch/a'], 'kubectl api-resources lists the kinds that it serves'],
    [1, ['widget/a'], 'several kinds are called widget: write widgets.a.example.dev or widgets.b.example.dev'],
    [1, ['widgets.b.example.dev/a'], 'there is no Widget a in namespace default'],
    [1, ['cm/nobody', '-n', 'else'], 'there is no ConfigMap nobody in namespace else: kubectl get configmaps'],
  ])('exit code %i: %j: %s', async (code, args, message) => {
    const ended = await doctor(...args)
    expect(ended.error).toContain(message)
    expect(ended.code).toBe(code)
  })

  it('says which server it cannot reach, and what to check', async () => {
    const { code, error } = await doctor('configmap/a', '--kubeconfig', join(folder, 'gone'))
    expect(code).toBe(1)
    expect(error).toContain('no answer from 127.0.0.1:1: connection refused')
    expect(error).toContain('context "coxswain"')
    expect(error).toContain('kubectl config get-contexts')
  })

  it('examines the operator of a module', async () => {
    const { code, out } = await doctor(guestbook, '--json')
    expect(code).toBe(1)
    const report = JSON.parse(out) as DoctorReport
    expect(report).toMatchObject({ subject: 'operator guestbook', unread: [] })
    expect(report.findings.map(({ type }) => type)).toEqual(['crd-missing', 'not-deployed'])
    const gone = await doctor(guestbook, '--kubeconfig', join(folder, 'gone'))
    expect(gone.code).toBe(1)
    expect(gone.out).toContain('1. The server cannot be reached.\n   no answer from 127.0.0.1:1: connection refused')
    expect(gone.out).toContain('context "coxswain"')
  })

  it('says whose credentials are refused', async () => {
    const { url } = await plane.listen({ tls: false })
    writeFileSync(join(folder, 'refused'), kubeconfigText({ url, caCert: '', token: 'of-nobody-any-more' }))
    const { code, error } = await doctor('configmap/a', '--kubeconfig', join(folder, 'refused'))
    expect(code).toBe(1)
    expect(error).toMatch(/context "coxswain".*: Unauthorized; kubectl config get-contexts/)
    const { out } = await doctor(guestbook, '--kubeconfig', join(folder, 'refused'))
    expect(out).toContain('1. The server refuses the credentials.')
  })
})
