/** The CRDs that exist before an operator starts: of its kinds, of its conversion webhooks, and others. */
import type { Client } from '../client/client.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import type { SimulatedEnv } from '../env/simulated.ts'
import { CustomResourceDefinition } from '../schema/builtin/kinds.ts'
import { conversionsOf } from '../webhooks/configurations.ts'
import type { Webhook } from '../webhooks/webhook-server.ts'

/** By name: a kind gives a fresh value on each access. Hubs come last, since their CRD has all versions. */
export function definitionsOf(
  controllers: readonly ControllerDefinition[],
  crds: readonly object[],
  webhooks: readonly Webhook[],
): readonly CustomResourceDefinition[] {
  const kinds = controllers.flatMap(({ kind, sources }) => [kind, ...sources.map((source) => source.kind)]) as {
    readonly crd?: object
  }[]
  const converted = conversionsOf(webhooks).map(({ hub }) => hub.crd)
  const definitions = new Map<string, CustomResourceDefinition>()
  for (const crd of [...kinds.flatMap((kind) => kind.crd ?? []), ...crds, ...converted] as CustomResourceDefinition[])
    definitions.set(crd.metadata.name ?? '', crd)
  return [...definitions.values()]
}

/** Creates them, and waits until they are served. */
export async function installDefinitions(
  client: Client,
  env: SimulatedEnv,
  definitions: readonly CustomResourceDefinition[],
): Promise<void> {
  for (const crd of definitions) await client.create(CustomResourceDefinition, crd)
  for (let tries = 0; tries < 100; tries++) {
    const { items } = await client.list(CustomResourceDefinition)
    if (
      items.every(
        ({ status }) =>
          status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true,
      )
    )
      return
    await env.advanceAsync(100)
  }
  throw new Error('a CustomResourceDefinition was not established: see its conditions')
}
