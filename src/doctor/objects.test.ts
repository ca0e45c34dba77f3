import { afterEach, describe, expect, it } from 'vitest'
import { embedded, type Embedded, type EmbeddedOptions } from '../testing/index.ts'
import { controller } from '../controller/builder.ts'
import { ConfigMap, Deployment, Pod, ReplicaSet } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { examineObject } from './examine-object.ts'
import type { DoctorReport } from './finding.ts'
import { reportLines } from './report-text.ts'

const Note = resource('example.dev/v1', 'Note', {
  spec: t.object({ image: t.string() }),
  status: t.object({ observedGeneration: t.int64().optional(), conditions: t.conditions().optional() }),
})
const note = {
  apiVersion: 'example.dev/v1',
  kind: 'Note',
  metadata: { name: 'one', namespace: 'default' },
  spec: { image: 'web:1' },
}

const labels = { app: 'one' }
const deploymentOf = (image: string) => ({
  replicas: 1,
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } },
})

/** Applies a Deployment, and is ready when that is available. */
const notes = controller(Note)
  .owns(Deployment)
  .reconcile(async ({ object, apply, status, get }) => {
    await apply(Deployment, { metadata: { name: object.metadata.name }, spec: deploymentOf(object.spec.image) })
    const { status: seen } = (await get(Deployment, object.metadata.name)) ?? {}
    const isReady = (seen?.readyReplicas ?? 0) > 0
    status.condition({ type: 'Ready', status: isReady, reason: isReady ? 'Available' : 'Waiting' })
  })

let cluster: Embedded | undefined
afterEach(async () => {
  await cluster?.stop()
  cluster = undefined
})

async function start(options: EmbeddedOptions): Promise<Embedded> {
  cluster = await embedded(options)
  return cluster
}

function examine({ client, env }: Embedded, kind: string, name: string): Promise<DoctorReport> {
  return examineObject(client, { kind, name, namespace: 'default' }, env.now())
}

const types = ({ findings }: DoctorReport): readonly string[] => findings.map(({ type }) => type)

describe('an object', () => {
  it('that is as its spec wants it has no findings', async () => {
    const all = await start({ controllers: [notes], nodes: 1 })
    await all.apply(note)
    await all.settle()
    const { findings, unread, subject } = await examine(all, 'note', 'one')
    expect({ findings, unread, subject }).toEqual({ findings: [], unread: [], subject: 'Note default/one' })
    expect(types(await examine(all, 'deploy', 'one'))).toEqual([])
  })

  it('whose image cannot be pulled: the pod comes first, with the reason', async () => {
    const all = await start({
      controllers: [notes],
      nodes: 1,
      behaviours: [{ image: 'web:2', behaviour: { failPull: true } }],
    })
    await all.apply({ ...note, spec: { image: 'web:2' } })
    await all.advance(60_000)
    const report = await examine(all, 'notes', 'one')
    expect(types(report)).toEqual(['child-not-ready', 'child-not-ready', 'condition'])
    const [pod, deployment, condition] = report.findings
    expect(pod?.evidence.join()).toMatch(/^Pod default\/one-.*: container web waits: (ErrImagePull|ImagePullBackOff)/)
    expect(pod?.command).toMatch(/^kubectl describe pod\/one-\S+ -n default$/)
    expect(deployment).toMatchObject({
      summary: 'Deployment default/one, which it owns, is not ready.',
      command: 'coxswain doctor deployment/one -n default',
    })
    expect(condition).toMatchObject({
      summary: 'Note default/one says that Ready is False (Waiting).',
      command: 'kubectl describe notes.example.dev/one -n default',
    })
  })

  it('whose container ends: the last exit code and termination message', async () => {
    const terminationMessage = 'no database'
    const all = await start({
      controllers: [notes],
      nodes: 1,
      behaviours: [{ image: 'web:1', behaviour: { exitAfterMs: 500, exitCode: 3, terminationMessage } }],
    })
    await all.apply(note)
    await all.advance(120_000)
    const [first] = (await examine(all, 'note', 'one')).findings
    expect(first?.type).toBe('child-not-ready')
    const [pod] = (await all.client.list(Pod, { namespace: 'default' })).items
    const report = await examine(all, 'pod', pod?.metadata.name ?? '')
    expect(report.findings[0]?.evidence.join()).toContain('container web ended with code 3 (Error): no database')
  })

  it('with a finalizer that nobody removes: who added it, and the command that removes exactly this one', async () => {
    const all = await start({})
    const metadata = { name: 'kept', namespace: 'default', finalizers: ['example.dev/a', 'example.dev/b'] }
    await all.client.create(ConfigMap, { metadata }, { fieldManager: 'archive' })
    await all.client.delete(ConfigMap, { namespace: 'default', name: 'kept' })
    await all.advance(90_000)
    const { findings } = await examine(all, 'configmap', 'kept')
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatchObject({
      type: 'being-deleted',
      summary:
        'ConfigMap default/kept has been terminating for 90s and waits for the finalizers ' +
        'example.dev/a, example.dev/b.',
      evidence: [
        'example.dev/a: added by archive; which controllers run is not known',
        'example.dev/b: added by archive; which controllers run is not known',
      ],
      command: 'kubectl get configmap/kept -n default -o yaml --show-managed-fields',
    })
  })

  it('that no controller has observed, and a finalizer of a kind without a controller', async () => {
    const all = await start({ crds: [Note.crd] })
    await all.apply({ ...note, metadata: { ...note.metadata, finalizers: ['example.dev/note'] } } as never)
    const waiting = await examine(all, 'note', 'one')
    expect(types(waiting)).toEqual(['not-observed'])
    expect(waiting.findings[0]?.evidence[0]).toBe('it has no status')
    expect(waiting.findings[0]?.evidence[1]).toContain('the operator is not installed in this cluster')
    await all.client.delete(Note, { namespace: 'default', name: 'one' })
    const [finding] = (await examine(all, 'note', 'one')).findings
    expect(finding?.type).toBe('being-deleted')
    expect(finding?.evidence[0]).toContain('no workload in the cluster has a role that names this kind')
    expect(finding?.command).toBe(
      'kubectl patch notes.example.dev/one -n default --type=json -p ' +
        `'[{"op":"test","path":"/metadata/finalizers/0","value":"example.dev/note"},` +
        `{"op":"remove","path":"/metadata/finalizers/0"}]'  # skips its cleanup`,
    )
  })

  it('whose pods a quota refuses', async () => {
    const all = await start({ nodes: 1 })
    await all.apply({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'none', namespace: 'default' },
      spec: { hard: { pods: '0' } },
    } as never)
    await all.settle()
    const metadata = { name: 'one', namespace: 'default' }
    await all.client.create(ReplicaSet, { metadata, spec: deploymentOf('web:1') })
    await all.advance(10_000)
    const report = await examine(all, 'rs', 'one')
    expect(types(report)).toEqual(['denied', 'condition'])
    expect(report.findings[0]?.evidence[0]).toContain('exceeded quota: none')
    expect(report.findings[0]?.command).toBe('kubectl events --for replicaset/one -n default --types=Warning')
  })

  it('whose reconcile fails: the warning of its controller, without control characters', async () => {
    const failing = controller(Note).reconcile(() => {
      throw new Error('no \u001b[31mdatabase')
    })
    const all = await start({ controllers: [failing] })
    await all.apply(note)
    await all.advance(10_000)
    const report = await examine(all, 'note', 'one')
    expect(types(report)).toEqual(['not-observed', 'warning'])
    expect(report.findings[1]?.summary).toBe('Note default/one has the warning ReconcileRetried.')
    const text = reportLines(report).map((line) => line.text)
    expect(text.join('\n')).toContain('database')
    expect(text.filter((line) => line.includes('\u001b'))).toEqual([])
  })

  it('whose owner is gone, or is another one of the same name', async () => {
    const all = await start({})
    const owner = await all.client.create(ConfigMap, { metadata: { name: 'owner', namespace: 'default' } })
    const refer = (name: string, uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid })
    const ownerReferences = [refer('owner', owner.metadata.uid), refer('owner', 'other'), refer('nobody', 'none')]
    await all.client.create(ConfigMap, { metadata: { name: 'child', namespace: 'default', ownerReferences } })
    const report = await examine(all, 'cm', 'child')
    expect(report.findings.map(({ summary }) => summary)).toEqual([
      'The owner of ConfigMap default/child, ConfigMap owner, is another object now.',
      'The owner of ConfigMap default/child, ConfigMap nobody, does not exist.',
    ])
  })

  it('with a child that somebody else has changed', async () => {
    const all = await start({ controllers: [notes], nodes: 1 })
    await all.apply(note)
    await all.settle()
    const key = { namespace: 'default', name: 'one' }
    const patch = { type: 'merge', patch: { spec: { minReadySeconds: 1 } } } as const
    await all.client.patch(Deployment, key, patch, { fieldManager: 'kubectl-edit' })
    await all.settle()
    const { findings } = await examine(all, 'note', 'one')
    expect(findings).toEqual([
      {
        type: 'drift',
        summary: 'kubectl-edit owns fields of Deployment default/one, which note controls.',
        evidence: ['spec.minReadySeconds'],
        command: 'kubectl get deployment/one -n default -o yaml --show-managed-fields',
      },
    ])
  })
})
