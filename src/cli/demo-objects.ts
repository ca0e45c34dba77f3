/** What a demo creates in its cluster: the CRDs of the operator's kinds, and the samples. */
import type { ApiObject } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import { RestMapper } from '../client/rest-mapper.ts'
import type { Env } from '../env/env.ts'
import { pause } from '../env/pause.ts'
import { CustomResourceDefinition } from '../schema/builtin/kinds.ts'
import type { Kind } from '../schema/kind.ts'
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import type { Sample } from '../operator/operator-demo.ts'

/** How often to poll for the condition Established, and how many times. */
const established = { every: 20, looks: 250 }

/** Resolves when the server serves the kinds. */
export async function installDefinitions(
  client: Client,
  env: Env,
  { controllers, crds = [] }: OperatorDefinition,
): Promise<void> {
  const own = controllers.flatMap(({ kind }) => (kind as Kind & { readonly crd?: object }).crd ?? [])
  const all = [...own, ...crds] as CustomResourceDefinition[]
  // By name: several controllers may reconcile one kind, and its CRD is a fresh value on each access.
  const definitions = new Map(all.map((crd) => [crd.metadata.name ?? '', crd]))
  for (const crd of definitions.values()) await client.create(CustomResourceDefinition, crd)
  for (const name of definitions.keys()) {
    for (let looks = 0; ; looks++) {
      const { status } = await client.get(CustomResourceDefinition, { name })
      if (status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true) break
      if (looks > established.looks)
        throw new Error(
          `the CustomResourceDefinition ${name} was not established: ${JSON.stringify(status?.conditions)}`,
        )
      await pause(env, established.every)
    }
  }
}

export async function applySamples(client: Client, samples: readonly Sample[]): Promise<void> {
  const mapper = new RestMapper(client)
  for (const sample of samples) {
    const kind = await mapper.kindOfObject(sample)
    const metadata = {
      ...(kind.namespaced ? { namespace: 'default' } : {}),
      ...sample.metadata,
      name: sample.metadata.name ?? '',
    }
    await client.apply<ApiObject>(kind, { ...sample, metadata }, { force: true })
  }
}
