/** Warnings about kinds whose controller does not run. */
import { afterEach, describe, expect, it } from 'vitest'
import { createControlPlane } from '../controlplane/index.ts'
import { controller } from '../controller/builder.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { ConfigMap, StatefulSet } from '../schema/builtin/kinds.ts'
import { embedded } from './embedded.ts'
import type { Embedded } from './embedded-handle.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import { idleKindWarnings } from './idle-kinds.ts'

const running: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(options: EmbeddedOptions): Promise<Embedded> {
  const cluster = await embedded(options)
  running.push(cluster)
  return cluster
}

const labels = { app: 'db' }
const spec = {
  serviceName: 'db',
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [{ name: 'db', image: 'db:1' }] } },
}
const statefulSets = '/apis/apps/v1/namespaces/default/statefulsets'
const noStatefulSets =
  'no controller for StatefulSet is running: start statefulset-controller ' +
  "(builtin: ['statefulset-controller'] or ['all'])"

/** The Warning headers of a create. */
async function warningsOf(
  { plane }: Pick<Embedded, 'plane'>,
  path: string,
  body: { readonly metadata: { readonly name: string }; readonly spec: object },
): Promise<unknown> {
  const { status, headers } = await plane.transport()({ method: 'POST', path, body: body as never })
  expect(status).toBe(201)
  return headers['warning']
}

describe('a kind whose controller does not run', () => {
  it('is warned about when an object is created, with the remedy', async () => {
    const cluster = await start({ builtin: ['deployment-controller'] })
    const shown = `299 - ${JSON.stringify(noStatefulSets)}`
    expect([await warningsOf(cluster, statefulSets, { metadata: { name: 'db' }, spec })].flat()).toEqual([shown])
    const pods = '/api/v1/namespaces/default/pods'
    expect([await warningsOf(cluster, pods, { metadata: { name: 'p' }, spec: spec.template.spec })].flat()).toEqual([
      '299 - "no scheduler is running, the pod stays Pending: start simulated nodes (nodes: 3)"',
    ])
  })

  it('is warned about in the log of the operator that creates it, by an apply too', async () => {
    const cluster = await start({
      controllers: [
        controller(ConfigMap)
          .named('databases')
          .owns(StatefulSet)
          .reconcile(async ({ object, apply }) => {
            await apply(StatefulSet, { metadata: { name: object.metadata.name }, spec })
          }),
      ],
    })
    await cluster.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'db' } })
    await cluster.settle()
    const lines = cluster.logs.filter((line) => line.includes('the server warns'))
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([noStatefulSets])
  })

  it('is not warned about when its controller runs, and neither by the bare server', async () => {
    const cluster = await start({ builtin: ['statefulset-controller'] })
    expect(await warningsOf(cluster, statefulSets, { metadata: { name: 'db' }, spec })).toBeUndefined()
    const plane = createControlPlane({ env: simulatedEnv() })
    running.push({ stop: () => plane.close() })
    expect(await warningsOf({ plane }, statefulSets, { metadata: { name: 'db' }, spec })).toBeUndefined()
  })

  it('is one that Coxswain has no controller for, if all run', () => {
    const missing = [...idleKindWarnings({ controllers: ['all'], nodes: 1 }).values()]
    expect(missing.filter((text) => !text.endsWith('is not part of Coxswain'))).toEqual([])
    expect(idleKindWarnings({ controllers: ['all', '-job-controller'], nodes: 1 }).get('jobs.batch')).toContain(
      'start job-controller',
    )
  })
})
