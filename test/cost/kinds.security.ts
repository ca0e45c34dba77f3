/**
 * Every list and map of every built-in kind, with n and 4n distinct and equal entries: the cost is linear, whether the
 * object is valid or not. `COXSWAIN_COST=long` tries more entries, and also patches and memory.
 */
import { afterEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/api/json.ts'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'
import { manifests, type KindManifests } from '../differential/manifests/index.ts'
import { collectionsOf, filledWith, type Collection, type Entries } from './kind-fields.ts'
import { growthProblem, isLong, memoryProblem, timeoutMs } from './measure.ts'

const count = isLong ? 6000 : 1000

let plane: ControlPlane | undefined
const internal: unknown[] = []

afterEach(async () => {
  await plane?.close()
  plane = undefined
  expect(internal.splice(0)).toEqual([])
})

const seen = new Set<string>()

/** Many kinds have the same struct, such as the spec of a pod: its lists are tried once. */
function tried(kind: KindManifests): Collection[] {
  return collectionsOf(kind).filter(({ id }) => !seen.has(id) && seen.add(id) !== undefined)
}

function pathOf({ group, version, resource, namespaced }: KindManifests): string {
  const prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return `${prefix}${namespaced ? '/namespaces/default' : ''}/${resource}`
}

describe('the cost of a request is proportional to its size', () => {
  it.each(manifests.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
    '%s',
    async (_, kind) => {
      plane = createControlPlane({ onInternalError: (error) => internal.push(error) })
      const api = plane.transport()
      const send = async (method: string, path: string, body: Json, type = 'application/json') => {
        const headers = { 'content-type': type }
        return await api({ method, path, headers, body })
      }
      const problems: string[] = []
      for (const collection of tried(kind)) {
        for (const entries of ['distinct', 'equal'] satisfies Entries[]) {
          const object = (n: number) => renamed(filledWith(kind, collection, n, entries))
          const create = async (n: number) => await send('POST', `${pathOf(kind)}?dryRun=All`, object(n))
          const report = (what: string, problem: string | undefined) => {
            if (problem !== undefined) problems.push(`${what} ${collection.path.join('.')} (${entries}): ${problem}`)
          }
          report('create', await growthProblem(create, count))
          if (isLong) {
            report('create', await memoryProblem(create, count))
            const name = String((kind.full['metadata'] as JsonObject)['name'])
            await send('POST', pathOf(kind), renamed(filledWith(kind, collection, 1, entries)))
            for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']) {
              const query = type.startsWith('apply') ? 'dryRun=All&fieldManager=m&force=true' : 'dryRun=All'
              const patch = async (n: number) =>
                await send('PATCH', `${pathOf(kind)}/${name}?${query}`, object(n), `application/${type}`)
              report(type, await growthProblem(patch, count))
            }
            await api({ method: 'DELETE', path: `${pathOf(kind)}/${name}`, headers: {} })
          }
        }
      }
      expect(problems).toEqual([])
    },
    timeoutMs,
  )
})

/** The names of cluster-scoped manifests have places for the names of a case. */
function renamed(object: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(object).replaceAll('NAMESPACE', 'default')) as JsonObject
}
