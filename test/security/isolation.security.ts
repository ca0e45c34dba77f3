/**
 * Lists, watches and selectors show exactly what a brute-force filter over all objects would, within the rights of the
 * user (item 28).
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/api/json.ts'
import { createControlPlane, type ControlPlane } from '../../src/controlplane/index.ts'
import { isLong } from './size.ts'

const namespaces = ['team-a', 'team-b', 'team-c']
const verbs = ['get', 'list', 'watch'] as const

interface User {
  readonly name: string
  /** Where the user may read ConfigMaps; `*`: everywhere. */
  readonly reads: readonly string[]
  /** The only object that the user may read there. */
  readonly only?: string
}

const users: readonly User[] = [
  { name: 'nobody', reads: [] },
  { name: 'ann', reads: ['team-a'] },
  { name: 'bob', reads: ['team-b', 'team-c'] },
  { name: 'eve', reads: ['team-a'], only: 'm3' },
  { name: 'root', reads: ['*'] },
]

interface Stored {
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

const objects: readonly Stored[] = namespaces.flatMap((namespace, n) =>
  Array.from({ length: 8 }, (_, i) => ({
    namespace,
    name: `m${i}`,
    labels: { tier: i % 2 === 0 ? 'front' : 'back', team: namespace, ...(i % 3 === n ? { odd: '' } : {}) },
  })),
)

let plane: ControlPlane
const as = ({ name }: User) => plane.transport({ name, uid: name, groups: ['system:authenticated'] })

beforeAll(async () => {
  plane = createControlPlane({ authorization: 'RBAC' })
  const admin = plane.transport()
  const create = async (path: string, body: Json): Promise<void> => {
    expect((await admin({ method: 'POST', path, body })).status).toBe(201)
  }
  const rbac = 'rbac.authorization.k8s.io'
  const rule = (resourceNames?: readonly string[]): Json => ({
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: [...verbs],
    ...(resourceNames === undefined ? {} : { resourceNames: [...resourceNames] }),
  })
  for (const name of namespaces) await create('/api/v1/namespaces', { metadata: { name } })
  for (const { name, reads, only } of users)
    for (const place of reads) {
      const scope = place === '*' ? '' : `/namespaces/${place}`
      const kind = place === '*' ? 'ClusterRole' : 'Role'
      const base = `/apis/${rbac}/v1${scope}/${kind.toLowerCase()}`
      await create(`${base}s`, { metadata: { name }, rules: [rule(only === undefined ? undefined : [only])] })
      await create(`${base}bindings`, {
        metadata: { name },
        roleRef: { apiGroup: rbac, kind, name },
        subjects: [{ apiGroup: rbac, kind: 'User', name }],
      })
    }
  for (const { namespace, name, labels } of objects)
    await create(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name, labels: { ...labels } } })
})
afterAll(() => plane.close())

interface Question {
  readonly user: User
  readonly namespace: string | undefined
  readonly label: readonly [text: string, fits: (object: Stored) => boolean]
  readonly field: readonly [text: string, fits: (object: Stored) => boolean, only?: string]
  readonly limit: number
}

const everything = ['', () => true] as const
const question: fc.Arbitrary<Question> = fc.record({
  user: fc.constantFrom(...users),
  namespace: fc.constantFrom(undefined, ...namespaces, 'default'),
  label: fc.constantFrom<Question['label'][]>(
    everything,
    ['tier=front', ({ labels }) => labels['tier'] === 'front'],
    ['tier!=front', ({ labels }) => labels['tier'] !== 'front'],
    ['odd', ({ labels }) => 'odd' in labels],
    ['!odd', ({ labels }) => !('odd' in labels)],
    ['team in (team-b,team-c)', ({ labels }) => labels['team'] !== 'team-a'],
    ['team notin (team-a),tier=back', ({ labels }) => labels['team'] !== 'team-a' && labels['tier'] === 'back'],
  ),
  field: fc.constantFrom<Question['field'][]>(
    everything,
    ['metadata.name=m3', ({ name }) => name === 'm3', 'm3'],
    ['metadata.name=m4', ({ name }) => name === 'm4', 'm4'],
    ['metadata.name!=m3', ({ name }) => name !== 'm3'],
    ['metadata.namespace=team-b', ({ namespace }) => namespace === 'team-b'],
    ['metadata.namespace!=team-b', ({ namespace }) => namespace !== 'team-b'],
    [
      'metadata.name=m3,metadata.namespace=team-c',
      ({ name, namespace }) => name === 'm3' && namespace === 'team-c',
      'm3',
    ],
  ),
  limit: fc.constantFrom(0, 1, 3),
})

/** What the rights say: a right for one name covers requests that select this name. */
function mayList({ user, namespace, field }: Question): boolean {
  const covers = user.reads.includes('*') || (namespace !== undefined && user.reads.includes(namespace))
  return covers && (user.only === undefined || user.only === field[2])
}

const expected = ({ namespace, label, field }: Question): string[] =>
  objects
    .filter((object) => namespace === undefined || object.namespace === namespace)
    .filter((object) => label[1](object) && field[1](object))
    .map((object) => `${object.namespace}/${object.name}`)
    .sort()

function pathOf({ namespace, label, field }: Question, more = ''): string {
  const query = new URLSearchParams()
  if (label[0] !== '') query.set('labelSelector', label[0])
  if (field[0] !== '') query.set('fieldSelector', field[0])
  return `/api/v1/${namespace === undefined ? '' : `namespaces/${namespace}/`}configmaps?${query.toString()}${more}`
}

interface Meta {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: object }
}
const idOf = ({ metadata: { namespace, name } }: Meta): string => `${namespace}/${name}`

/** Objects of the bootstrap, such as kube-root-ca.crt, are not among those that are compared. */
const isOurs = ({ metadata }: Meta): boolean => namespaces.includes(metadata.namespace) && /^m\d/.test(metadata.name)

describe('tenants', () => {
  it('a list has what a filter over all objects finds, or is forbidden', { timeout: 300_000 }, async () => {
    const counts = { allowed: 0, forbidden: 0 }
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const found: string[] = []
        let token = ''
        do {
          const more = `${asked.limit === 0 ? '' : `&limit=${asked.limit}`}${token === '' ? '' : `&continue=${token}`}`
          const { status, body } = await as(asked.user)({ method: 'GET', path: pathOf(asked, more) })
          if (!mayList(asked)) {
            counts.forbidden++
            expect(status).toBe(403)
            expect(JSON.stringify(body)).not.toContain('"items"')
            return
          }
          expect(status).toBe(200)
          const list = body as unknown as { metadata: { continue?: string }; items: Meta[] }
          found.push(...list.items.filter(isOurs).map(idOf))
          token = encodeURIComponent(list.metadata.continue ?? '')
        } while (token !== '')
        counts.allowed++
        expect(found.sort()).toEqual(expected(asked))
      }),
      { numRuns: isLong ? 20_000 : 1_500, seed: 28 },
    )
    expect(counts.allowed).toBeGreaterThan(200)
    expect(counts.forbidden).toBeGreaterThan(200)
  })

  it('a continue token of one user gives another one nothing', async () => {
    const [, ann, bob] = users as [User, User, User]
    const first = await as(ann)({ method: 'GET', path: '/api/v1/namespaces/team-a/configmaps?limit=1' })
    const token = encodeURIComponent((first.body as unknown as { metadata: { continue: string } }).metadata.continue)
    const path = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps?limit=9&continue=${token}`
    expect((await as(bob)({ method: 'GET', path: path('team-a') })).status).toBe(403)
    const other = await as(bob)({ method: 'GET', path: path('team-b') })
    if (other.status === 200)
      for (const { metadata } of (other.body as unknown as { items: Meta[] }).items)
        expect(metadata.namespace).toBe('team-b')
  })

  it('a watch sees the changes that the filter finds, and no others', { timeout: 300_000 }, async () => {
    const counts = { allowed: 0, forbidden: 0 }
    const admin = plane.transport()
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const abort = new AbortController()
        const path = pathOf(asked, '&watch=true&resourceVersion=0')
        const answer = await as(asked.user)({ method: 'GET', path, signal: abort.signal })
        if (!mayList(asked)) {
          counts.forbidden++
          expect({ status: answer.status, events: answer.events }).toEqual({ status: 403, events: undefined })
          return
        }
        counts.allowed++
        expect(answer.status).toBe(200)
        const seen: string[] = []
        const reading = (async (): Promise<void> => {
          for await (const batch of answer.events?.batches() ?? [])
            for (const { object } of batch)
              if (isOurs(object as unknown as Meta)) seen.push(idOf(object as unknown as Meta))
        })().catch(() => undefined)
        // Each object is there at the beginning, and changes once; its labels stay.
        for (const { namespace, name } of objects)
          await admin({
            method: 'PATCH',
            path: `/api/v1/namespaces/${namespace}/configmaps/${name}`,
            headers: { 'content-type': 'application/merge-patch+json' },
            body: { data: { changed: String(counts.allowed) } },
          })
        await new Promise((resolve) => setImmediate(resolve))
        abort.abort()
        await reading
        const wanted = expected(asked)
        expect([...new Set(seen)].sort()).toEqual(wanted)
        expect(seen.length).toBeGreaterThanOrEqual(wanted.length)
      }),
      { numRuns: isLong ? 2_000 : 200, seed: 29 },
    )
    expect(counts.allowed).toBeGreaterThan(30)
  })
})
