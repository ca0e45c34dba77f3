/**
 * Seed 000 (exercise 3, update and synchronisation): its test programme, scenario by scenario, on the real API, with a
 * story that is told from what happened and must be the seed's own, line by line; and its check-list, item by item.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CallTrace, StepTrace, Trace, TraceEntry } from 'coxswain/flow'
import { World } from './testing/world.ts'

const name = 'test-webapp'

let world: World
beforeEach(async () => {
  world = await World.open()
  await world.apply({ image: 'nginx:1.20', replicas: 2, port: 80, env: { ENV: 'production' } }, { name })
  await world.settle()
}, 30_000)
afterEach(() => world.close(), 30_000)

const update = { replicas: 5, image: 'nginx:1.21', port: 8080 }

async function patch(spec: object): Promise<void> {
  const app = await world.app(name)
  await world.cluster.apply({
    apiVersion: 'coxswain.dev/v1',
    kind: 'WebApp',
    metadata: { name },
    spec: { ...app.spec, ...spec },
  } as never)
}

describe('the scenarios of update and synchronisation', () => {
  it('the operator reports the walkthrough of the source document in the same words', async () => {
    const story: string[] = ['=== 测试练习 3: 更新与同步逻辑 ===']
    const before = await world.app(name)
    story.push(
      '初始状态:',
      `  Generation: ${before.metadata.generation ?? 0}`,
      `  ObservedGeneration: ${before.status?.observedGeneration ?? 0}`,
      ...(await deploymentLines()),
    )
    const seen = world.traces.traces.length
    await patch(update)
    const { spec } = await world.app(name)
    story.push(
      '',
      '修改 Spec:',
      `  新的 Replicas: ${spec.replicas}`,
      `  新的 Image: ${spec.image}`,
      `  新的 Port: ${spec.port}`,
    )

    await world.settle()
    const [first] = world.traces.traces.slice(seen)
    story.push('', '触发协调:', ...reconcileLines(first as Trace))

    const { status } = await world.app(name)
    const deployment = await world.deployment(name)
    const port = (await world.service(name)).spec?.ports?.[0]?.port
    const image = deployment.spec?.template?.spec?.containers?.[0]?.image
    story.push(
      '',
      '同步后状态:',
      `  ObservedGeneration: ${status?.observedGeneration ?? 0} (应该是 2)`,
      `  Deployment Replicas: ${deployment.spec?.replicas ?? 0} (应该是 5)`,
      `  Deployment Image: ${image ?? ''} (应该是 nginx:1.21)`,
      `  Service Port: ${port ?? 0} (应该是 8080)`,
    )
    const isSynced =
      status?.observedGeneration === 2 && deployment.spec?.replicas === 5 && image === 'nginx:1.21' && port === 8080
    story.push('', isSynced ? '✓ 所有资源已正确同步' : '✗ 资源同步失败')

    const quiet = world.traces.traces.length
    await world.cluster.advance(30_000)
    const [again] = world.traces.traces.slice(quiet)
    story.push(
      '',
      '再次协调（无 Spec 变更）:',
      ...reconcileLines(again as Trace).slice(0, -1),
      '  应该跳过同步，只进行健康检查',
      `  RequeueAfter: ${(again?.after ?? 0) / 1000}s`,
    )

    process.stdout.write(`${story.join('\n')}\n`)
    expect(story.join('\n')).toBe(expected.trim())
  })
})

async function deploymentLines(): Promise<string[]> {
  const { spec } = await world.deployment(name)
  return [
    `  Deployment Replicas: ${spec?.replicas ?? 0}`,
    `  Deployment Image: ${spec?.template?.spec?.containers?.[0]?.image ?? ''}`,
  ]
}

/** What a trace says, in the words of the seed. */
function reconcileLines(trace: Trace): string[] {
  const info = (text: string, facts: string): string => `[INFO] test: ${text} [${facts}]`
  const entries = flat(trace.entries)
  const steps = entries.filter((entry): entry is StepTrace => entry.type === 'step')
  const calls = entries.filter((entry): entry is CallTrace => entry.type === 'call')
  const phase = steps.some((each) => each.name === 'running') ? 'Running' : '?'
  const lines = [
    info('Reconcile called', `webapp ${trace.name ?? ''} phase ${phase}`),
    info(`处理 ${phase} 状态`, `webapp ${trace.name ?? ''}`),
  ]
  const sync = steps.find((each) => each.name === 'sync children')
  if (sync !== undefined) {
    lines.push(
      info(
        '检测到 Spec 变更，开始同步',
        `generation ${sync.inputs?.['generation'] ?? '?'} observedGeneration ` +
          `${sync.inputs?.['observedGeneration'] ?? '?'}`,
      ),
    )
  }
  for (const [kind, fields] of Object.entries(seedFields)) {
    const call = calls.find((each) => each.verb === 'apply' && each.kind === kind && each.sent)
    if (call === undefined) continue
    for (const [path, text] of Object.entries(fields)) {
      const change = changeOf(call, path)
      if (change !== undefined) lines.push(info(`${text} 变更`, `old ${change.old} new ${change.new}`))
    }
    lines.push(info(`同步 ${kind}`, `name ${call.name ?? ''}`))
  }
  if (sync?.outcome === 'next') lines.push(info('资源同步完成', ''))
  if (!steps.some((each) => each.name === 'check health')) lines.push('no health check')
  lines.push(`  协调结果: Requeue=${String(trace.after !== undefined)}, RequeueAfter=${(trace.after ?? 0) / 1000}s`)
  return lines
}

const seedFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Deployment: { 'spec.replicas': 'Replicas', 'spec.template.spec.containers[name=web].image': 'Image' },
  Service: { 'spec.ports[name=http].port': 'Service Port' },
}

function changeOf({ changes }: CallTrace, path: string): { old: string; new: string } | undefined {
  const found = changes.find((change) => change.path === path)
  return found === undefined
    ? undefined
    : { old: String(JSON.parse(found.before ?? 'null')), new: String(JSON.parse(found.after ?? 'null')) }
}

function flat(entries: readonly TraceEntry[]): TraceEntry[] {
  return entries.flatMap((entry) => [entry, ...(entry.type === 'step' ? flat(entry.entries) : [])])
}

const expected = `
=== 测试练习 3: 更新与同步逻辑 ===
初始状态:
  Generation: 1
  ObservedGeneration: 1
  Deployment Replicas: 2
  Deployment Image: nginx:1.20

修改 Spec:
  新的 Replicas: 5
  新的 Image: nginx:1.21
  新的 Port: 8080

触发协调:
[INFO] test: Reconcile called [webapp test-webapp phase Running]
[INFO] test: 处理 Running 状态 [webapp test-webapp]
[INFO] test: 检测到 Spec 变更，开始同步 [generation 2 observedGeneration 1]
[INFO] test: Replicas 变更 [old 2 new 5]
[INFO] test: Image 变更 [old nginx:1.20 new nginx:1.21]
[INFO] test: 同步 Deployment [name test-webapp]
[INFO] test: Service Port 变更 [old 80 new 8080]
[INFO] test: 同步 Service [name test-webapp]
[INFO] test: 资源同步完成 []
  协调结果: Requeue=true, RequeueAfter=30s

同步后状态:
  ObservedGeneration: 2 (应该是 2)
  Deployment Replicas: 5 (应该是 5)
  Deployment Image: nginx:1.21 (应该是 nginx:1.21)
  Service Port: 8080 (应该是 8080)

✓ 所有资源已正确同步

再次协调（无 Spec 变更）:
[INFO] test: Reconcile called [webapp test-webapp phase Running]
[INFO] test: 处理 Running 状态 [webapp test-webapp]
  应该跳过同步，只进行健康检查
  RequeueAfter: 30s
`

describe('the check-list of update and synchronisation', () => {
  const reasons = async (): Promise<string[]> =>
    (await world.cluster.events({ metadata: { name } })).map(({ reason }) => reason)

  it('specChanged detects a change of the spec', async () => {
    const { specChanged } = await import('./state/facts.ts')
    expect(specChanged(await world.app(name))).toBe(false)
    await patch({ replicas: 3 })
    expect(specChanged(await world.app(name))).toBe(true)
    await world.settle()
    expect(specChanged(await world.app(name))).toBe(false)
  })

  it('syncDeployment puts replicas, image and env in place', async () => {
    await patch({ replicas: 3, image: 'nginx:1.22', env: { ENV: 'test', LEVEL: '2' } })
    await world.settle()
    const { spec } = await world.deployment(name)
    expect(spec?.replicas).toBe(3)
    expect(spec?.template?.spec?.containers?.[0]).toMatchObject({
      image: 'nginx:1.22',
      env: [
        { name: 'ENV', value: 'test' },
        { name: 'LEVEL', value: '2' },
      ],
    })
    expect(await reasons()).toContain('DeploymentSynced')
  })

  it('syncService puts the port in place', async () => {
    await patch({ service: { port: 9090 } })
    const requests = await world.calls(() => Promise.resolve())
    expect((await world.service(name)).spec?.ports).toMatchObject([{ port: 9090, targetPort: 'http' }])
    expect(requests.filter((request) => request.includes('deployments'))).toEqual([])
    expect(await reasons()).toContain('ServiceSynced')
  })

  it('incremental: only what has changed is sent, and env in another order is no change', async () => {
    expect(
      (await world.calls(() => patch({ replicas: 4 }))).filter(
        (call) => call.startsWith('PATCH') && !call.includes('webapps'),
      ),
    ).toEqual([`PATCH deployments/${name}`])
    await patch({ env: { B: '2', A: '1' } })
    await world.settle()
    expect(
      (await world.calls(() => patch({ env: { A: '1', B: '2' } }))).filter((call) => call.includes('deployments')),
    ).toEqual([])
  })

  it('ObservedGeneration follows', async () => {
    await patch({ replicas: 3 })
    await world.settle()
    const { metadata, status } = await world.app(name)
    expect(status?.observedGeneration).toBe(metadata.generation)
  })

  it('without a change nothing is synced', async () => {
    expect(await world.calls(() => world.cluster.advance(120_000))).toEqual([])
  })

  it('health is looked at every 30 s', async () => {
    const from = world.traces.traces.length
    await world.cluster.advance(90_000)
    const runs = world.traces.traces.slice(from)
    expect(runs.map(({ after }) => after)).toEqual([30_000, 30_000, 30_000])
    for (const run of runs)
      expect(flat(run.entries).some((entry) => entry.type === 'step' && entry.name === 'check health')).toBe(true)
  })

  it('events are recorded: DeploymentSynced, ServiceSynced, ResourcesSynced', async () => {
    await patch(update)
    await world.settle()
    expect(await reasons()).toEqual(expect.arrayContaining(['DeploymentSynced', 'ServiceSynced', 'ResourcesSynced']))
    const reported = (await world.cluster.events({ metadata: { name } })).find(
      ({ reason }) => reason === 'ResourcesSynced',
    )
    expect(reported?.message).toContain('generation 2')
  })
})
