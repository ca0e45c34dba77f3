/**
 * The form of a known bug: an operator of somebody else, rebuilt in miniature from the described mechanism. ConfigMaps
 * stand for pods, claims and workloads: what matters is the order of reads and writes.
 */
import { ConfigMap, isNotFound, resource, t, type Infer } from 'coxswain'
import type { Client, ControllerDefinition, Live } from 'coxswain'
import type { Embedded, ExploreStep, Oracle } from 'coxswain/testing'

export const Database = resource('example.dev/v1', 'Database', {
  spec: t.object({
    replicas: t.int().min(0).default(1),
    size: t.string().optional(),
    image: t.string().optional(),
    secret: t.string().optional(),
    affinity: t.string().optional(),
    proxy: t.boolean().default(false),
    labels: t.map(t.string()).optional(),
  }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    phase: t.string().optional(),
    config: t.object({ name: t.string() }).optional(),
    conditions: t.conditions().optional(),
  }),
})
export type Database = Infer<typeof Database>

export interface KnownBug {
  /** `project#issue`. */
  readonly id: string
  readonly foundBy: 'Sieve' | 'Acto' | 'Anvil'
  readonly broken: () => readonly ControllerDefinition[]
  readonly correct: () => readonly ControllerDefinition[]
  readonly steps: readonly ExploreStep[]
  /** What a user would state about the operator, besides the default oracles. */
  readonly properties?: readonly Oracle[]
  /** One schedule that reveals it, as in a report. `STEP/0/none`: no fault is needed. */
  readonly reveals: string
  /** Part of what the report says is wrong. */
  readonly expects: string
  /** The fault or oracle that the explorer does not have yet. */
  readonly needs?: string
}

export const key = { namespace: 'default', name: 'db' }
export const named = (name: string) => ({ namespace: 'default', name })

type Spec = Readonly<Record<string, unknown>>

const database = (spec: Spec) => ({ apiVersion: 'example.dev/v1', kind: 'Database', metadata: { name: 'db' }, spec })

export const create = (spec: Spec): ExploreStep => ({
  name: 'create',
  act: (cluster) => cluster.apply(database(spec) as never),
})

export const change = (name: string, spec: Spec): ExploreStep => ({
  name,
  act: async ({ client }: Embedded) =>
    void (await client.patch(Database, key, { type: 'merge', patch: { spec } as never })),
})

export const remove = (name = 'delete'): ExploreStep => ({
  name,
  act: async ({ client }) => void (await client.delete(Database, key)),
})

/** Writes the status in the middle of a run, as operators do that keep a phase. */
export async function setStatus(client: Client, status: object): Promise<void> {
  await client.patch(Database, key, { type: 'merge', patch: { status } as never }, { subresource: 'status' })
}

/** Writes some data of an object, and keeps the others. */
export async function patchData(client: Client, name: string, data: Readonly<Record<string, string>>): Promise<void> {
  await client.patch(ConfigMap, named(name), { type: 'merge', patch: { data } })
}

export async function deleteIfThere(client: Client, name: string, uid?: string): Promise<void> {
  await client.delete(ConfigMap, named(name), uid === undefined ? {} : { uid }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
}

/** A property of all databases at rest: what the spec asks for is in this ConfigMap. */
export function asSpecified(
  name: string,
  wanted: (database: Live<Database>) => unknown,
  found: (workload: Live<ConfigMap> | undefined) => unknown,
): Oracle {
  return {
    name: 'as specified',
    rest: (world) => {
      for (const each of world.objects(Database)) {
        const workload = world.objects<ConfigMap>(ConfigMap).find(({ metadata }) => metadata.name === name)
        const [expected, actual] = [JSON.stringify(wanted(each)), JSON.stringify(found(workload))]
        if (expected !== actual) return `${name} has ${actual}, and the spec asks for ${expected}`
      }
      return undefined
    },
  }
}
