/** Every stable resource of the facts is served and follows the common rules. */
import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { discovery } from '../facts/facts.ts'
import { createControlPlane } from './index.ts'

const plane = createControlPlane({ env: simulatedEnv({ seed: 5 }) })
const api = plane.transport()

const resources = [...discovery().api.items, ...discovery().apis.items].flatMap(({ metadata, versions }) =>
  versions.flatMap(({ version, resources: all }) =>
    all.map((resource) => {
      const prefix = metadata.name === undefined ? `/api/${version}` : `/apis/${metadata.name}/${version}`
      const scope = resource.scope === 'Namespaced' ? '/namespaces/default' : ''
      return { path: `${prefix}${scope}/${resource.resource}`, kind: resource.responseKind.kind, verbs: resource.verbs }
    }),
  ),
)

describe('served resources', () => {
  it('served resources are all of the facts', () => {
    expect(resources).toHaveLength(66)
  })

  it.each(resources.filter(({ verbs }) => verbs.includes('list')))(
    'served resources: $path lists, as objects, table and metadata',
    async ({ path, kind }) => {
      expect(await api({ method: 'GET', path })).toMatchObject({
        status: 200,
        body: { kind: `${kind}List`, items: expect.any(Array) },
      })
      const accept = (as: string) => ({ accept: `application/json;as=${as};g=meta.k8s.io;v=v1` })
      const table = await api({ method: 'GET', path, headers: accept('Table') })
      expect(table).toMatchObject({
        status: 200,
        body: { kind: 'Table', columnDefinitions: expect.any(Array), rows: expect.any(Array) },
      })
      const partial = await api({ method: 'GET', path, headers: accept('PartialObjectMetadataList') })
      expect(partial).toMatchObject({ status: 200, body: { kind: 'PartialObjectMetadataList' } })
      expect(await api({ method: 'GET', path: `${path}/missing` })).toMatchObject({
        status: 404,
        body: { reason: 'NotFound' },
      })
    },
  )

  it.each(resources.filter(({ verbs }) => verbs.includes('watch')))(
    'served resources: $path can be watched',
    async ({ path, kind }) => {
      const { status, events } = await api({
        method: 'GET',
        path: `${path}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
      })
      expect(status).toBe(200)
      expect(events?.drain().at(-1)).toMatchObject({
        type: 'BOOKMARK',
        object: { kind, metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
      })
      events?.stop()
    },
  )

  it.each(resources.filter(({ verbs }) => !verbs.includes('list')))(
    'served resources: $path stores nothing',
    async ({ path, kind, verbs }) => {
      expect(verbs).toEqual(['create'])
      expect((await api({ method: 'GET', path })).status).toBe(405)
      const before = plane.store.revision
      const { status } = await api({ method: 'POST', path, body: { kind, spec: {} } })
      // A real server answers a Binding without a target with 500.
      expect(path.endsWith('/bindings') ? [500] : [201, 400, 422, 501]).toContain(status)
      expect(plane.store.revision).toBe(before)
    },
  )
})
