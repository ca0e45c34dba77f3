import { afterEach, describe, expect, it } from 'vitest'
import { operator } from '../operator/operator.ts'
import { controller } from '../controller/builder.ts'
import guestbook, { Guestbook, guestbooks } from '../manifests/testdata/guestbook.ts'
import { ConfigMap, Deployment, Namespace, Pod, Secret } from '../schema/builtin/kinds.ts'
import { AccessRecorder } from './access-recorder.ts'
import { embedded } from './embedded.ts'
import type { Embedded } from './embedded-handle.ts'
import { matchers } from '../testing/matchers.ts'

let cluster: Embedded
afterEach(() => cluster?.stop())

const book = { apiVersion: 'example.dev/v1', kind: 'Guestbook', metadata: { name: 'a' }, spec: { image: 'x' } }
const key = { namespace: 'default', name: 'a' }

async function wholeLife(controllers: Parameters<typeof embedded>[0]): Promise<void> {
  cluster = await embedded(controllers)
  await cluster.apply(book)
  await cluster.settle()
  await cluster.client.delete(Guestbook, key)
  await cluster.settle()
}

const reported = (...operators: Parameters<typeof matchers.toUseExactly>[1][]): string =>
  matchers.toUseExactly(cluster.access, operators[0] as never).message()

describe('rights that were used', () => {
  it('rights that were used are those that are declared, after a whole life', async () => {
    await wholeLife({ controllers: guestbook.controllers })
    expect(cluster.access.compare(guestbook)).toEqual({ missing: [], unused: [] })
    expect(matchers.toUseExactly(cluster.access, guestbook).pass).toBe(true)
  })

  // Known failure: runtime 30.
  it('rights that were used and are not declared are reported with the request', async () => {
    await wholeLife({ controllers: guestbook.controllers })
    const forgetful = operator({ name: 'guestbook', controllers: [{ ...guestbooks, access: [] }] })
    expect(cluster.access.compare(forgetful)).toEqual({
      missing: ['delete services (DELETE /api/v1/namespaces/default/services/a)'],
      unused: [],
    })
    expect(reported(forgetful)).toContain(
      'missing: delete services (DELETE /api/v1/namespaces/default/services/a); declare it',
    )
    const blind = operator({
      name: 'guestbook',
      controllers: [
        {
          ...guestbooks,
          finalizers: [],
          sources: guestbooks.sources.filter(({ kind }) => kind !== (Deployment as unknown)),
        },
      ],
    })
    expect(cluster.access.compare(blind).missing).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^watch deployments.apps /),
        expect.stringMatching(/^patch deployments.apps /),
        expect.stringMatching(/^create deployments.apps /),
        expect.stringMatching(/^patch guestbooks.example.dev /),
      ]),
    )
  })

  it('rights that are declared and were not used are reported, too', async () => {
    await wholeLife({ controllers: guestbook.controllers })
    const greedy = operator({
      name: 'guestbook',
      controllers: guestbook.controllers,
      access: [
        { kind: Secret, verbs: ['delete'] },
        { kind: Pod, subresource: 'eviction', verbs: ['create'] },
      ],
    })
    expect(cluster.access.compare(greedy)).toEqual({ missing: [], unused: ['delete secrets', 'create pods/eviction'] })
    expect(reported(greedy)).toContain('unused: delete secrets;')
  })

  it('rights that were used in a trial that never ends are not all that is declared', async () => {
    cluster = await embedded({ controllers: guestbook.controllers })
    await cluster.apply(book)
    await cluster.settle()
    expect(cluster.access.compare(guestbook)).toEqual({ missing: [], unused: ['delete services'] })
  })

  it('rights that were used count the right to finalize an owner only where something is owned', async () => {
    cluster = await embedded({ controllers: guestbook.controllers })
    expect(cluster.access.compare(guestbook).unused).toEqual(
      expect.arrayContaining(['update guestbooks.example.dev/finalizers', 'create deployments.apps']),
    )
    expect(cluster.access.compare(guestbook).unused.some((right) => /^(get|list|watch) /.test(right))).toBe(false)
  })

  it('rights that were used are told from the requests: verbs, subresources, names', async () => {
    const access = new AccessRecorder()
    const transport = access.transport({
      request: ({ method }) => Promise.resolve({ status: method === 'PUT' ? 201 : 200, headers: {}, body: null }),
      close: () => Promise.resolve(),
    })
    const paths = [
      ['GET', '/api/v1/namespaces/a'],
      ['GET', '/api/v1/pods?limit=1'],
      ['GET', '/api/v1/namespaces/a/pods?watch=true'],
      ['PUT', '/api/v1/namespaces/a/status'],
      ['POST', '/api/v1/namespaces/a/pods/b/eviction'],
      ['DELETE', '/apis/apps/v1/namespaces/a/deployments'],
      ['GET', '/apis/apps/v1'],
      ['GET', '/version'],
      ['GET', '/apis'],
    ] as const
    for (const [method, path] of paths) await transport.request({ method, path })
    expect(access.used.map(({ verb, group, resource, name }) => `${verb} ${group}/${resource} ${name}`)).toEqual([
      'get /namespaces a',
      'list /pods ',
      'watch /pods ',
      'update /namespaces/status a',
      'create /namespaces/status a',
      'create /pods/eviction b',
      'deletecollection apps/deployments ',
    ])
  })

  it('rights that were used of one name are not those of another', async () => {
    const reader = (name: string) =>
      operator({
        name: 'reader',
        controllers: [
          controller(Namespace)
            .may('get', { kind: ConfigMap, names: [name] })
            .reconcile(async ({ client }) => {
              await client.get(ConfigMap, { namespace: 'default', name: 'settings' }).catch(() => undefined)
            }),
        ],
      })
    cluster = await embedded({ controllers: reader('settings').controllers })
    expect(cluster.access.compare(reader('settings'))).toEqual({ missing: [], unused: [] })
    expect(cluster.access.compare(reader('other'))).toEqual({
      missing: ['get configmaps (GET /api/v1/namespaces/default/configmaps/settings)'],
      unused: ['get configmaps'],
    })
  })
})
