import { describe, expect, it } from 'vitest'
import { ApiError, ConfigMap, Secret, type Kind, type LiveObject, type OwnerReference } from '../../index.ts'
import { simulatedEnv } from '../../env/index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { garbageCollector } from './index.ts'

const kinds: readonly Kind[] = [ConfigMap, Secret]
const policies = ['Background', 'Foreground', 'Orphan'] as const

async function everything({ client }: Embedded): Promise<(LiveObject & { readonly kind: Kind })[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) =>
      (await client.list(kind, { namespace: 'default', labelSelector: 'random' })).items.map(({ metadata }) => ({
        kind,
        metadata,
      })),
    ),
  )
  return lists.flat()
}

/**
 * At random: creates objects that own each other (cycles included), changes their owners, deletes them with every
 * propagation policy, and crashes the controllers.
 */
async function disturb(cluster: Embedded, random: () => number): Promise<void> {
  const { client } = cluster
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  for (let step = 0; step < 40; step++) {
    const all = await everything(cluster)
    const referred = all
      .filter(() => random() < 2 / Math.max(2, all.length))
      .map(({ kind, metadata: { name, uid } }): OwnerReference => ({
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        name,
        uid,
        blockOwnerDeletion: random() < 0.5,
      }))
    const dice = random()
    const target = all.length === 0 ? undefined : pick(all)
    try {
      if (target === undefined || dice < 0.5) {
        const metadata = {
          namespace: 'default',
          name: `o${step}`,
          labels: { random: 'yes' },
          ownerReferences: referred,
        }
        await client.create(pick(kinds), { metadata })
      } else if (dice < 0.7) {
        const patch = {
          metadata: { ownerReferences: referred.filter(({ uid }) => uid !== target.metadata.uid) },
        } as never
        await client.patch(target.kind, { namespace: 'default', name: target.metadata.name }, { type: 'merge', patch })
      } else if (dice < 0.95) {
        await client.delete(
          target.kind,
          { namespace: 'default', name: target.metadata.name },
          { propagationPolicy: pick(policies) },
        )
      } else {
        await cluster.crash()
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
    if (random() < 0.3) await cluster.settle()
  }
}

function problems(all: readonly (LiveObject & { readonly kind: Kind })[]): string[] {
  const uids = new Set(all.map(({ metadata }) => metadata.uid))
  return all.flatMap(({ metadata }) => {
    const owners = metadata.ownerReferences ?? []
    const gone = owners.filter(({ uid }) => !uids.has(uid))
    return [
      ...(gone.length > 0 ? [`${metadata.name} refers to ${gone.map(({ name }) => name).join()}, which is gone`] : []),
      ...(metadata.deletionTimestamp === undefined
        ? []
        : [`${metadata.name} is stuck with ${metadata.finalizers?.join()}`]),
    ]
  })
}

describe('the garbage collector, whatever users do', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'the garbage collector, whatever users do leaves no garbage and nothing half deleted (seed %i)',
    async (seed) => {
      const env = simulatedEnv({ seed })
      const cluster = await embedded({ seed, tasks: [garbageCollector()] })
      try {
        await disturb(cluster, () => env.random())
        await cluster.settle()
        expect(problems(await everything(cluster))).toEqual([])
        const revision = cluster.plane.store.revision
        await cluster.restart()
        await cluster.settle()
        expect(cluster.plane.store.revision).toBe(revision)
      } finally {
        await cluster.stop()
      }
    },
  )
})
