import { expect, it } from 'vitest'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { createControlPlane } from '../controlplane/index.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { CustomResourceDefinition, Namespace } from '../schema/builtin/kinds.ts'
import { age, column } from '../schema/columns.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { readTable } from './kind-table.ts'

const App = resource('test.io/v1', 'App', {
  spec: t.object({ size: t.int(), note: t.string().optional() }),
  columns: [
    column('Size', '.spec.size'),
    column('Note', '.spec.note'),
    column('Hidden', '.spec.note', { priority: 1 }),
    age(),
  ],
})

it('the table of a kind is what kubectl shows, with the columns of the definition', async () => {
  const env = simulatedEnv()
  const plane = createControlPlane({ env })
  const client = new RestClient({ env, transport: inProcessTransport(plane.transport()), timeoutMs: 0 })
  const { signal } = new AbortController()
  await client.create(CustomResourceDefinition, App.crd)
  await env.advanceAsync(1000)
  expect(await readTable(client, App, signal)).toEqual({ lines: ['no apps'], rows: [] })
  await client.create(App, { metadata: { name: 'a', namespace: 'default' }, spec: { size: 1 } })
  await client.create(App, { metadata: { name: 'longer', namespace: 'default' }, spec: { size: 200, note: 'well' } })
  await env.advanceAsync(5000)
  const { lines, rows } = await readTable(client, App, signal)
  expect(lines).toEqual(['NAME     SIZE   NOTE   AGE', 'a        1             5s', 'longer   200    well   5s'])
  expect(rows).toEqual([
    {
      kind: 'App',
      name: 'a',
      cells: [
        ['Size', '1'],
        ['Note', ''],
      ],
    },
    {
      kind: 'App',
      name: 'longer',
      cells: [
        ['Size', '200'],
        ['Note', 'well'],
      ],
    },
  ])
  expect((await readTable(client, Namespace, signal)).lines[0]).toMatch(/^NAME +STATUS +AGE$/)
  await plane.close()
})
