/** What a user who holds one verb can do, with every method on every form of a path. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { createControlPlane } from '../control-plane.ts'
import type { InProcessResponse } from './in-process.ts'

const plane = createControlPlane({ env: simulatedEnv(), authorization: 'RBAC' })
const admin = plane.transport()

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'proxy', '']
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const core = '/api/v1'
const group = '/apis/example.com/v1'

const rbac = '/apis/rbac.authorization.k8s.io/v1'

beforeAll(async () => {
  await admin({
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: {
      metadata: { name: 'secrets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'secrets', kind: 'Secret', listKind: 'SecretList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
            subresources: { status: {} },
          },
        ],
      },
    },
  })
  for (const verb of verbs) {
    const rules = [{ verbs: [verb], apiGroups: ['', 'example.com'], resources: ['*'] }]
    const name = `only-${verb}`
    await admin({ method: 'POST', path: `${rbac}/clusterroles`, body: { metadata: { name }, rules } })
    await admin({
      method: 'POST',
      path: `${rbac}/clusterrolebindings`,
      body: { metadata: { name }, roleRef: { kind: 'ClusterRole', name }, subjects: [{ kind: 'User', name }] },
    })
  }
  await admin({ method: 'POST', path: `${core}/namespaces/default/serviceaccounts`, body: { metadata: { name: 'a' } } })
})

afterAll(() => plane.close())

function as(verb: string): ReturnType<typeof plane.transport> {
  return plane.transport({ name: `only-${verb}`, uid: '', groups: ['system:authenticated'] })
}

const below = (root: string): string[] => {
  const here = `${root}/namespaces/default/secrets`
  const watched = `${root}/watch/namespaces/default/secrets`
  return [
    `${root}/secrets`,
    here,
    `${here}?watch=1`,
    `${here}?fieldSelector=metadata.name%3Da`,
    `${here}/`,
    `${here}//`,
    `${here}/a`,
    `${here}/a/`,
    `${here}//a`,
    `${here}/a?watch=1`,
    `${here}%2Fa`,
    `${here}/a/status`,
    `${here}//status`,
    `${here}/a/status/x`,
    `${root}/namespaces//secrets`,
    `${root}/namespaces//secrets/a`,
    `${root}/namespaces/default//secrets`,
    `/${here}`,
    `${root}//namespaces/default/secrets`,
    `${root}/watch/secrets`,
    watched,
    `${watched}/`,
    `${watched}/a`,
    `${watched}//a`,
    `${watched}/a/status`,
    `${root}/%77atch/namespaces/default/secrets/a`,
    `${root}%2Fwatch%2Fnamespaces%2Fdefault%2Fsecrets%2Fa`,
    `${root}/watch/watch/namespaces/default/secrets/a`,
    `${root}/watch/namespaces//secrets`,
    `${root}/watch//secrets`,
    `${root}/proxy/namespaces/default/secrets/a`,
    `${root}/proxy/watch/secrets/a`,
    `${root}/watch/proxy/secrets/a`,
  ]
}

const paths = [
  ...below(core),
  ...below(group),
  `/apis//v1/namespaces/default/secrets`,
  `${core}/namespaces/default/serviceaccounts/a/token`,
  `${core}/watch/namespaces/default/serviceaccounts/a/token`,
]

async function revision(): Promise<string> {
  const { body } = await admin({ method: 'GET', path: `${core}/namespaces/none/events` })
  return ((body as JsonObject)['metadata'] as JsonObject)['resourceVersion'] as string
}

async function restore(): Promise<void> {
  for (const root of [core, group]) {
    const path = `${root}/namespaces/default/secrets`
    await admin({ method: 'DELETE', path })
    await admin({ method: 'POST', path, body: secret(path, { name: 'a' }) })
  }
}

/** The verb that a successful response shows. */
function doneVerb(method: string, { status, body, events }: InProcessResponse, isChanged: boolean): string {
  if (events !== undefined) return 'watch'
  const isList = typeof body === 'object' && body !== null && 'items' in body
  if (isList) return isChanged ? 'deletecollection' : 'list'
  if (status === 201) return 'create'
  if (method === 'GET' || method === 'HEAD') return isChanged ? 'a write' : 'get'
  return method === 'PUT' ? 'update' : method === 'PATCH' ? 'patch' : 'delete'
}

function secret(path: string, metadata: JsonObject): JsonObject {
  return { apiVersion: path.startsWith(core) ? 'v1' : 'example.com/v1', kind: 'Secret', metadata }
}

function bodyOf(method: string, path: string): Json | undefined {
  if (path.includes('/token')) return { spec: {} }
  if (method === 'POST') return secret(path, { generateName: 'b-' })
  return method === 'PUT' || method === 'PATCH' ? secret(path, { name: 'a', labels: { by: method } }) : undefined
}

describe('a user with one verb', () => {
  it.each(verbs)('a user who may only %j does nothing else', async (verb) => {
    const user = as(verb)
    const others: string[] = []
    const done = new Set<string>()
    await restore()
    for (const path of paths) {
      for (const method of methods) {
        const before = await revision()
        const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
        const body = bodyOf(method, path)
        const answer = await user({ method, path, headers, ...(body === undefined ? {} : { body }) })
        answer.events?.stop()
        const isChanged = (await revision()) !== before
        if (isChanged) await restore()
        if (answer.status >= 300) {
          expect(isChanged, `${method} ${path} is refused`).toBe(false)
          continue
        }
        const other = doneVerb(method, answer, isChanged)
        done.add(other)
        if (other !== verb) others.push(`${method} ${path}: ${other}`)
      }
    }
    expect(others).toEqual([])
    expect([...done]).toEqual(verb === 'proxy' || verb === '' ? [] : [verb])
  })

  it('a user who may only watch gets 405 for other methods below /watch/', async () => {
    await restore()
    const path = `${core}/watch/namespaces/default/secrets/a`
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
      expect(await as('watch')({ method, path, body: {} }), method).toMatchObject({
        status: 405,
        body: { reason: 'MethodNotAllowed' },
      })
    }
    const token = `${core}/watch/namespaces/default/serviceaccounts/a/token`
    expect(await as('watch')({ method: 'POST', path: token, body: { spec: {} } })).toMatchObject({ status: 404 })
  })

  it('a status without a name is not a list', async () => {
    const path = `${group}/namespaces/default/secrets//status`
    expect(await as('list')({ method: 'GET', path })).toMatchObject({
      status: 405,
      body: { message: 'list is not supported on resources of kind "secrets.example.com"' },
    })
  })
})
