/** Tests Helm with its default settings: server-side apply, and watches for hooks and readiness. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { describeClient } from './session.ts'
import type { Session } from './session.ts'

const chart = fileURLToPath(new URL('../../tools/clients/chart', import.meta.url))

const deployment = '/apis/apps/v1/namespaces/default/deployments/shop'
const job = '/apis/batch/v1/namespaces/default/jobs/shop-after'
const cart = '/apis/clients.coxswain.dev/v1/namespaces/default/carts/shop'
const configMap = '/api/v1/namespaces/default/configmaps/shop'
const service = '/api/v1/namespaces/default/services/shop'
const hook = '/api/v1/namespaces/default/configmaps/shop-before'
const events = '/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=shop-after'

interface Stored {
  readonly metadata: { readonly uid: string; readonly generation: number }
  readonly spec: { readonly replicas: number }
}

await describeClient('helm', (session) => {
  const helm = (...args: string[]): ReturnType<Session['run']> => session().run(join(session().home, 'helm'), args)
  const read = async (path: string): Promise<unknown> => (await session().request('GET', path)).body
  const ok = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await helm(...args)
    expect(code, stderr).toBe(0)
    return stdout
  }

  it('helm installs a chart: definitions first, then hooks, then the rest', async () => {
    expect(await ok('install', 'shop', chart)).toMatch(/^STATUS: deployed$/m)
    expect(await read(deployment)).toMatchObject({
      spec: { replicas: 1 },
      metadata: { labels: { 'app.kubernetes.io/managed-by': 'Helm' } },
    })
    expect(await read(cart)).toMatchObject({ spec: { size: 1, currency: 'EUR' } })
    expect(await read(service)).toHaveProperty('spec.clusterIP', expect.stringMatching(/^\d/))
    expect(await read(hook)).toHaveProperty('data.revision', '1')
    // What the chart read from the server: its version, and an object by name.
    const { uid } = ((await read('/api/v1/namespaces/default')) as Stored).metadata
    expect(await read(configMap)).toHaveProperty('data', {
      greeting: 'hello',
      'served-by': expect.stringMatching(/^v1\.35\./),
      namespace: uid,
    })
    expect(await read(configMap)).toHaveProperty('metadata.managedFields', [
      expect.objectContaining({ manager: 'helm', operation: 'Apply' }),
    ])
  })

  it('helm refuses to install it twice', async () => {
    expect(await helm('install', 'shop', chart)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot re-?use a name/),
    })
  })

  it('helm reports what the server refuses, and nothing of it stays', async () => {
    const { code, stderr } = await helm('upgrade', 'shop', chart, '--set', 'replicas=0')
    expect(code).toBe(1)
    expect(stderr).toContain('spec.size in body should be greater than or equal to 1')
    expect(await read(cart)).toHaveProperty('spec.size', 1)
  })

  it('helm upgrades, waits until the Deployment is ready, then for a Job', async () => {
    const before = (await read(deployment)) as Stored
    const upgrade = ok('upgrade', 'shop', chart, '--set', 'replicas=3,greeting=bye', '--wait', '--timeout', '60s')
    // No controllers run here, so the test writes their statuses.
    await Promise.all([upgrade, playDeployment(before.metadata.generation), playJob()])
    expect(await upgrade).toMatch(/^STATUS: deployed$/m)
    expect(await read(deployment)).toMatchObject({ spec: { replicas: 3 }, metadata: { uid: before.metadata.uid } })
    expect(await read(configMap)).toHaveProperty('data.greeting', 'bye')
    expect(await read(job)).toHaveProperty('code', 404)
  })

  it('helm tells of releases and their objects', async () => {
    const history = JSON.parse(await ok('history', 'shop', '-o', 'json')) as { status: string }[]
    expect(history.map((each) => each.status)).toEqual(['superseded', 'failed', 'deployed'])
    expect(JSON.parse(await ok('list', '-o', 'json'))).toEqual([
      expect.objectContaining({ name: 'shop', revision: '3' }),
    ])
    expect(await ok('get', 'values', 'shop')).toMatch(/^replicas: 3$/m)
    expect(await ok('status', 'shop')).toMatch(
      /^==> v1\/Deployment\nNAME +READY +UP-TO-DATE +AVAILABLE +AGE *\nshop +3\/3 +3 +3 /m,
    )
  })

  it('helm rolls back', async () => {
    expect(await ok('rollback', 'shop', '1')).toContain('Rollback was a success')
    expect(await read(deployment)).toHaveProperty('spec.replicas', 1)
    expect(await read(configMap)).toHaveProperty('data.greeting', 'hello')
    expect(await read(cart)).toHaveProperty('spec.size', 1)
  })

  it('helm uninstalls; definitions stay, and with them the hooks that were kept', async () => {
    expect(await ok('uninstall', 'shop')).toContain('uninstalled')
    for (const path of [deployment, cart, configMap, service])
      expect(await read(path), path).toHaveProperty('code', 404)
    const carts = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/carts.clients.coxswain.dev'
    expect((await session().request('GET', carts)).status).toBe(200)
    expect(await read('/api/v1/namespaces/default/secrets')).toHaveProperty('items', [])
  })

  /** Marks the Deployment as rolled out, after a generation later than this one. */
  async function playDeployment(generation: number): Promise<void> {
    const { metadata, spec } = await eventually(deployment, (found) => found.metadata.generation > generation)
    const { replicas } = spec
    const at = new Date().toISOString().replace(/\.\d+/, '')
    const condition = (type: string, reason: string): unknown => {
      return { type, status: 'True', reason, message: '', lastUpdateTime: at, lastTransitionTime: at }
    }
    await report(deployment, {
      observedGeneration: metadata.generation,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      conditions: [
        condition('Available', 'MinimumReplicasAvailable'),
        condition('Progressing', 'NewReplicaSetAvailable'),
      ],
    })
  }

  /** Marks the Job as complete. */
  async function playJob(): Promise<void> {
    await eventually(job, () => true)
    const at = new Date().toISOString().replace(/\.\d+/, '')
    const condition = (type: string): unknown => ({ type, status: 'True', lastProbeTime: at, lastTransitionTime: at })
    await report(job, {
      startTime: at,
      completionTime: at,
      succeeded: 1,
      uncountedTerminatedPods: {},
      conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
    })
  }

  async function report(path: string, status: unknown): Promise<void> {
    const object = (await read(path)) as object
    const answer = await session().request('PUT', `${path}/status`, { ...object, status })
    expect(answer, JSON.stringify(answer.body)).toHaveProperty('status', 200)
  }

  function eventually(path: string, isMeant: (object: Stored) => boolean): Promise<Stored> {
    return vi.waitFor(
      async () => {
        const { status, body } = await session().request('GET', path)
        const object = body as Stored
        if (status !== 200 || !isMeant(object)) throw new Error(`${path} did not appear`)
        return object
      },
      { timeout: 60_000, interval: 50 },
    )
  }
})

await describeClient(
  'helm',
  (session) => {
    const helm = (...args: string[]) => session().run(join(session().home, 'helm'), args)
    const read = async (path: string): Promise<unknown> => (await session().request('GET', path)).body

    it('helm waits for workloads and hook Jobs, which controllers and simulated nodes bring to their end', async () => {
      const install = await helm('install', 'shop', chart, '--set', 'replicas=2', '--wait', '--timeout', '60s')
      expect(install, install.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^STATUS: deployed$/m) })
      expect(await read(deployment)).toHaveProperty('status.readyReplicas', 2)
      const upgrade = await helm('upgrade', 'shop', chart, '--set', 'replicas=3', '--wait', '--timeout', '60s')
      expect(upgrade, upgrade.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^STATUS: deployed$/m) })
      expect(await read(deployment)).toHaveProperty('status.readyReplicas', 3)
      // It has succeeded, and is deleted for that.
      expect(await read(job)).toHaveProperty('code', 404)
      const reasons = ((await read(events)) as { items: { reason: string }[] }).items.map(({ reason }) => reason)
      expect(reasons).toContain('Completed')
    })
  },
  { flags: ['--controllers', 'all', '--nodes', '3'] },
)
