/** The examples of docs/reference/testing.md, compiled. */
import { Greeting, greetings } from '../../../examples/greeting.ts'
import {
  embedded,
  explore,
  exploreSpec,
  type Embedded,
  type ExploreReport,
  type Oracle,
  type SpecReport,
} from '../index.ts'

export const hello = {
  apiVersion: 'example.dev/v1',
  kind: 'Greeting',
  metadata: { name: 'hello' },
  spec: { name: 'world' },
}

export async function quickly(): Promise<Embedded> {
  const cluster = await embedded({ controllers: [greetings] })
  await cluster.apply(hello)
  await cluster.settle()
  return cluster
}

export async function exhaustively(oracles: readonly Oracle[]): Promise<ExploreReport> {
  const report = await explore({
    cluster: { controllers: () => [greetings] },
    steps: [
      { name: 'create', act: (cluster) => cluster.apply(hello) },
      { name: 'update', act: (cluster) => cluster.apply({ ...hello, spec: { name: 'you' } }) },
      {
        name: 'delete',
        act: async ({ client }) => void (await client.delete(Greeting, { namespace: 'default', name: 'hello' })),
      },
    ],
    oracles,
  })
  return report
}

export async function everyField(): Promise<SpecReport> {
  const report = await exploreSpec({ cluster: { controllers: () => [greetings] }, kind: Greeting, sample: hello })
  return report
}

export const neverEmpty: Oracle = {
  name: 'never empty',
  change: ({ by, object }) =>
    by === 'operator' && object.kind === 'ConfigMap' && object['data'] === undefined
      ? 'a ConfigMap without data'
      : undefined,
}
