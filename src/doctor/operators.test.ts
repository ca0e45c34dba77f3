import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { microTime } from '../api/micro-time.ts'
import { controller } from '../controller/builder.ts'
import type { KubeObject } from '../api/object.ts'
import guestbook, { Guestbook, guestbooks } from '../manifests/testdata/guestbook.ts'
import {
  ClusterRole,
  CustomResourceDefinition,
  Deployment,
  Lease,
  ValidatingWebhookConfiguration,
} from '../schema/builtin/kinds.ts'
import { operator } from '../operator/operator.ts'
import { kind } from '../schema/kind.ts'
import { embedded, type ApplyObject, type Embedded } from '../testing/index.ts'
import { validating } from '../webhooks/index.ts'
import { examineOperator } from './examine-operator.ts'
import type { DoctorReport, Finding } from './finding.ts'
import type { OperatorToExamine } from './operator-facts.ts'

const namespace = 'guestbook-system'
const install = 'coxswain manifests operator.js | kubectl apply --server-side --force-conflicts -f -'
const deployment = { namespace, name: 'guestbook-operator' }
const definition = { name: 'guestbooks.example.dev' }

let cluster: Embedded
beforeEach(async () => {
  const terminationMessage = 'no permission to list guestbooks'
  const ending = { image: 'ending:1', behaviour: { exitAfterMs: 500, exitCode: 1, terminationMessage } }
  cluster = await embedded({ nodes: 1, behaviours: [ending], controlPlane: { authorization: 'RBAC' } })
})
afterEach(() => cluster.stop())

/** The manifests, and a lease as its replicas would hold it: containers are simulated. */
async function deploy(
  of: OperatorToExamine = guestbook,
  change: (object: KubeObject) => KubeObject = (object) => object,
): Promise<void> {
  for (const object of (await of.manifests()).objects) {
    await cluster.apply(change(object) as ApplyObject)
    await cluster.settle()
  }
  await cluster.client.create(Lease, {
    metadata: { namespace, name: 'guestbook' },
    spec: { holderIdentity: 'pod-1', leaseDurationSeconds: 15, renewTime: microTime(cluster.env.now()) },
  })
}

function examine(of: OperatorToExamine = guestbook, skewMs = 0): Promise<DoctorReport> {
  const request = { operator: of, module: 'operator.js' }
  return examineOperator(cluster.client, request, { source: 'context "test"', now: cluster.env.now() + skewMs })
}

async function only(of?: OperatorToExamine, skewMs?: number): Promise<Finding | undefined> {
  const { findings, unread } = await examine(of, skewMs)
  expect(unread).toEqual([])
  expect(findings.map(({ summary }) => summary)).toHaveLength(1)
  return findings[0]
}

describe('an operator', () => {
  it('that is installed and leads has no findings', async () => {
    await deploy()
    const { subject, findings, unread } = await examine()
    expect({ subject, findings, unread }).toEqual({ subject: 'operator guestbook', findings: [], unread: [] })
  })

  it('that is not installed', async () => {
    const { findings } = await examine()
    expect(findings.map(({ type, command }) => [type, command])).toEqual([
      ['crd-missing', install],
      ['not-deployed', install],
    ])
  })

  it('with a CRD of another version', async () => {
    await deploy(guestbook, (object) =>
      object.kind === 'CustomResourceDefinition'
        ? (JSON.parse(JSON.stringify(object).replaceAll('"name":"v1"', '"name":"v1beta1"')) as KubeObject)
        : object,
    )
    expect(await only()).toMatchObject({
      type: 'crd-differs',
      evidence: ['it has no version v1, only v1beta1'],
      command: install,
    })
  })

  it('with a CRD of another schema', async () => {
    await deploy()
    const { spec } = await cluster.client.get(CustomResourceDefinition, definition)
    const text = JSON.stringify(spec.versions).replace('"default":80', '"default":8080')
    const patch = { spec: { versions: JSON.parse(text) as [] } }
    await cluster.client.patch(CustomResourceDefinition, definition, { type: 'merge', patch })
    expect(await only()).toMatchObject({
      type: 'crd-differs',
      evidence: ['the schema of v1 differs at spec.port.default'],
    })
  })

  it('that watches a kind of somebody else, which is not served', async () => {
    const Thing = kind({ apiVersion: 'other.dev/v1', kind: 'Thing', plural: 'things', namespaced: true })
    const things = operator({
      name: 'guestbook',
      version: '1.2.3',
      controllers: [guestbooks, controller(Thing).reconcile(() => undefined)],
    })
    await deploy(things)
    expect(await only(things)).toMatchObject({
      type: 'crd-missing',
      summary: 'The server does not serve things.other.dev in v1, which the operator watches.',
      command: 'kubectl get crd things.other.dev',
    })
  })

  it('with a CRD whose names are taken', async () => {
    const other = (await guestbook.manifests()).objects.find(({ kind }) => kind === 'CustomResourceDefinition')
    const text = JSON.stringify(other).replaceAll('guestbooks', 'books')
    await cluster.apply(JSON.parse(text) as ApplyObject)
    await cluster.settle()
    await deploy()
    const finding = await only()
    expect(finding).toMatchObject({
      type: 'crd-not-established',
      command: 'kubectl describe crd guestbooks.example.dev',
    })
    expect(finding?.evidence[0]).toContain('NamesAccepted is False')
  })

  it('without some of its permissions', async () => {
    await deploy()
    const role = await cluster.client.get(ClusterRole, { name: 'guestbook-operator' })
    const rules = (role.rules ?? []).filter(({ apiGroups }) => apiGroups?.includes('apps') !== true)
    await cluster.client.patch(
      ClusterRole,
      { name: 'guestbook-operator' },
      { type: 'merge', patch: { rules } as never },
    )
    const finding = await only()
    expect(finding?.type).toBe('permission-missing')
    expect(finding?.summary).toMatch(/^The service account guestbook-system\/guestbook-operator lacks \d permissions/)
    expect(finding?.evidence).toContain('may not list deployments.apps')
    expect(finding?.command).toBe(install)
  })

  it('whose container ends again and again: its termination message', async () => {
    await deploy()
    const template = { spec: { containers: [{ name: 'operator', image: 'ending:1' }] } }
    await cluster.client.patch(Deployment, deployment, { type: 'strategic', patch: { spec: { template } } })
    await cluster.advance(300_000)
    const { findings } = await examine()
    const [first] = findings
    expect(first?.type).toBe('child-not-ready')
    expect(first?.evidence.join()).toContain('CrashLoopBackOff')
    expect(first?.command).toMatch(
      /^kubectl logs pod\/guestbook-operator-\S+ -n guestbook-system --all-containers --prev/,
    )
  })

  it('whose lease has expired, was released, or was renewed by a clock that is ahead', async () => {
    await deploy()
    expect(await only(guestbook, 75_000)).toMatchObject({
      type: 'lease',
      summary: 'Nobody renews the lease guestbook-system/guestbook: no replica leads.',
      command: 'kubectl get lease guestbook -n guestbook-system -o yaml',
    })
    expect(await only(guestbook, -60_000)).toMatchObject({
      type: 'clock-skew',
      summary: 'The clock of pod-1 is 60s ahead of this one.',
    })
    const key = { namespace, name: 'guestbook' }
    await cluster.client.patch(Lease, key, { type: 'merge', patch: { spec: { holderIdentity: '' } } })
    expect((await only())?.summary).toBe('Nobody holds the lease guestbook-system/guestbook.')
    await cluster.client.delete(Lease, key)
    expect((await only())?.summary).toBe('No replica has taken the lease guestbook-system/guestbook.')
  })

  it('whose webhook configuration is missing, has no CA bundle, or a service without endpoints', async () => {
    const checking = operator({
      name: 'guestbook',
      version: '1.2.3',
      controllers: [guestbooks],
      webhooks: [validating(Guestbook, { create: () => undefined })],
    })
    await deploy(checking)
    const name = 'guestbook-webhooks'
    expect(await only(checking)).toMatchObject({
      type: 'webhook',
      summary: expect.stringContaining(`The ValidatingWebhookConfiguration ${name} has no CA bundle`),
      command: 'kubectl logs deployment/guestbook-operator -n guestbook-system --tail=50',
    })
    await cluster.client.patch(Deployment, deployment, { type: 'merge', patch: { spec: { replicas: 0 } } })
    await cluster.settle()
    const { findings } = await examine(checking)
    expect(findings.map(({ type }) => type)).toEqual(['controller-not-running', 'lease', 'webhook', 'webhook'])
    expect(findings[3]).toMatchObject({
      summary:
        `The ValidatingWebhookConfiguration ${name} calls the service guestbook-system/${name}, ` +
        'which has no ready endpoint.',
      command: `kubectl get endpointslices -n guestbook-system -l kubernetes.io/service-name=${name}`,
    })
    await cluster.client.delete(ValidatingWebhookConfiguration, { name })
    const missing = (await examine(checking)).findings.at(-1)
    expect(missing).toMatchObject({
      summary: `The ValidatingWebhookConfiguration ${name} is missing.`,
      command: install,
    })
  })
})
