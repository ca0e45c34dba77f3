/**
 * Compares documents with those of a real kube-apiserver v1.35.8 that served the definitions of `testdata/`. Large
 * documents are compared by digest: SHA-256 of their JSON without descriptions (OpenAPI v2: with sorted keys),
 * truncated to half its length.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { ApiResponse, TextResponse } from '../contract/request.ts'
import type { Resource, Subresource } from '../contract/resource.ts'
import { ApiDocuments } from './api-documents.ts'
import type { CustomDefinition } from './served-groups.ts'

interface DefinitionSpec {
  group: string
  scope: string
  names: {
    plural: string
    singular: string
    kind: string
    listKind?: string
    shortNames?: string[]
    categories?: string[]
  }
  versions: {
    name: string
    served: boolean
    storage: boolean
    schema: { openAPIV3Schema: JsonObject }
    subresources?: { status?: JsonObject; scale?: JsonObject }
    selectableFields?: { jsonPath: string }[]
  }[]
}

interface Digests {
  openapiV3: Record<string, string>
  openapiV2: string
  legacy: Record<string, string>
  aggregated: Record<string, string>
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./testdata/${name}`, import.meta.url), 'utf8'))
}

const specs = read('definitions.json') as DefinitionSpec[]
const digests = read('digests.json') as Digests

function resourcesOf(spec: DefinitionSpec): [Resource, CustomDefinition][] {
  const { group, names } = spec
  const storageVersion = spec.versions.find((each) => each.storage)?.name ?? ''
  return spec.versions
    .filter((each) => each.served)
    .map((each) => {
      const subresources = new Map<string, Subresource>()
      const verbs = ['get', 'patch', 'update']
      if (each.subresources?.status) {
        subresources.set('status', { name: 'status', verbs, group, version: each.name, kind: names.kind })
      }
      if (each.subresources?.scale) {
        subresources.set('scale', { name: 'scale', verbs, group: 'autoscaling', version: 'v1', kind: 'Scale' })
      }
      const resource = {
        group,
        version: each.name,
        kind: names.kind,
        listKind: names.listKind ?? `${names.kind}List`,
        plural: names.plural,
        singular: names.singular,
        namespaced: spec.scope === 'Namespaced',
        builtin: false,
        subresources,
        shortNames: names.shortNames ?? [],
        categories: names.categories ?? [],
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      } as unknown as Resource
      const selectableFields = (each.selectableFields ?? []).map(({ jsonPath }) => jsonPath)
      return [resource, { storageVersion, schema: each.schema.openAPIV3Schema, selectableFields }]
    })
}

const now = Date.UTC(2026, 0, 2, 3, 4, 5)

function serve(definitions: Map<Resource, CustomDefinition>): ApiDocuments {
  return new ApiDocuments({
    serverAddress: '127.0.0.1:26443',
    resources: () => [...definitions.keys()],
    definitionOf: (resource) => definitions.get(resource),
    now: () => now,
  })
}

const all = new Map(specs.flatMap(resourcesOf))
const documents = serve(all)
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

type Headers = Record<string, string>

function get(path: string, headers: Headers = {}, from = documents, method = 'GET'): ApiResponse {
  const [plain = '', query = ''] = path.split('?')
  const answer = from.respond({ method, path: plain, query: new URLSearchParams(query), headers })
  if (answer === undefined) throw new Error(`no answer to ${path}`)
  return answer
}

function bodyOf(answer: ApiResponse): Json {
  if (answer.type === 'object') return answer.body
  if (answer.type === 'text') return answer.body
  throw new Error(`a ${answer.type}`)
}

function text(path: string, from = documents): string {
  const answer = get(path, {}, from)
  if (answer.type !== 'text') throw new Error(`a ${answer.type}`)
  return answer.body
}

const etagOf = (answer: ApiResponse) => String(answer.headers?.['etag'])
const digest = (value: string) => createHash('sha256').update(value).digest('hex').slice(0, 32)

function withoutDescriptions(value: Json, sort = false): Json {
  if (Array.isArray(value)) return value.map((each) => withoutDescriptions(each, sort))
  if (!isObject(value)) return value
  const isDescription = (key: string, each: Json) => key === 'description' && typeof each === 'string'
  const entries = Object.entries(value).filter(([key, each]) => !isDescription(key, each))
  if (sort) entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutDescriptions(each, sort)]))
}

const parse = (value: string): Json => JSON.parse(value) as Json

describe('discovery', () => {
  test.each(Object.keys(digests.aggregated))('aggregated %s equals the real one', (path) => {
    const answer = get(path, { accept: aggregated })
    expect(digest(JSON.stringify(bodyOf(answer)))).toBe(digests.aggregated[path])
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': aggregated, 'cache-control': 'public', vary: 'Accept' },
    })
    expect(answer.type === 'object' && answer.text).toBe(JSON.stringify(bodyOf(answer)))
  })

  test('an aggregated document has the ETag that the real server gives it', () => {
    const recorded = new Map([...all].filter(([resource]) => resource.group === 'ex.io'))
    expect(etagOf(get('/apis', { accept: aggregated }, serve(recorded)))).toBe(
      '"93C9238A7A6387CA22252B997FB4BF184C23A076304B7664676A8A79E935F526' +
        '5C94331BD6EF1EB6660A5D8B3BEF67090624434EB436D691AAF5E25B12C6BC41"',
    )
  })

  test('a client that has the document gets 304', () => {
    const etag = etagOf(get('/apis', { accept: aggregated }))
    const answer = get('/apis', { accept: aggregated, 'if-none-match': etag })
    expect(answer).toEqual({
      type: 'text',
      status: 304,
      contentType: '',
      body: '',
      headers: { etag, 'cache-control': 'public', vary: 'Accept' },
    })
  })

  test.each(Object.keys(digests.legacy))('discovery: %s equals the real one', (path) => {
    expect(digest(JSON.stringify(bodyOf(get(path))))).toBe(digests.legacy[path])
  })

  test('/api says where the server is', () => {
    expect(bodyOf(get('/api'))).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:26443' }],
    })
  })

  test('slashes at the end do not matter', () => {
    for (const path of ['/api', '/apis', '/api/v1', '/apis/apps', '/apis/apps/v1', '/apis/ex.io/v1']) {
      expect(bodyOf(get(`${path}/`))).toEqual(bodyOf(get(path)))
    }
  })

  test('YAML is asked of the encoder by the content type', () => {
    const answer = get('/apis/apps', { accept: 'application/yaml' })
    expect(answer.headers).toEqual({ 'content-type': 'application/yaml' })
    expect(get('/apis/apps').headers).toBeUndefined()
  })
})

describe('what upstream refuses', () => {
  const rejection = (path: string, headers: Record<string, string> = {}, method = 'GET'): unknown => {
    try {
      return get(path, headers, documents, method)
    } catch (error) {
      return error
    }
  }

  test('unknown groups are no pages; unknown versions of built-in groups are no resources', () => {
    const page = { status: 404, body: '404 page not found\n' }
    expect(rejection('/apis/nope')).toMatchObject(page)
    expect(rejection('/apis/nope/v1')).toMatchObject(page)
    expect(rejection('/apis/ex.io/v9')).toMatchObject(page)
    expect(rejection('/apis/constructor')).toMatchObject(page)
    expect(rejection('/apis/tools.example.com/v1alpha1')).toMatchObject(page)
    const missing = { status: { code: 404, message: 'the server could not find the requested resource' } }
    expect(rejection('/apis/apps/v9')).toMatchObject(missing)
    expect(rejection('/api/v2')).toMatchObject(missing)
    expect(rejection('/version/x')).toMatchObject(missing)
  })

  test('built-in routes take GET only, others anything', () => {
    for (const path of ['/api', '/api/v1', '/apis/apps/v1', '/version']) {
      expect(rejection(path, {}, 'POST')).toMatchObject({ status: { code: 405 } })
    }
    for (const path of ['/apis', '/apis/apps', '/apis/ex.io/v1', '/', '/healthz', '/openapi/v3']) {
      expect(rejection(path, {}, 'POST')).toMatchObject({ status: 200 })
    }
  })

  test('media types that nobody can make are told apart by the route', () => {
    const three = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'
    const html = { accept: 'text/html' }
    const refused = (message: string) => ({ status: { code: 406, reason: 'NotAcceptable', message } })
    const routed = refused(`406: Not Acceptable\n\nAvailable representations: ${three}`)
    const negotiated = refused(`only the following media types are accepted: ${three}`)
    expect(rejection('/api', html)).toMatchObject(routed)
    expect(rejection('/apis/apps/v1', html)).toMatchObject(routed)
    expect(rejection('/apis', html)).toMatchObject(negotiated)
    expect(rejection('/apis/apps', html)).toMatchObject(negotiated)
    expect(rejection('/apis/ex.io/v1', html)).toMatchObject(negotiated)
    expect(rejection('/api/v1', { accept: aggregated })).toMatchObject(negotiated)
    expect(rejection('/version', html)).toMatchObject({ status: { code: 406 } })
  })

  test('other paths are left to others', () => {
    const rest = { method: 'GET', query: new URLSearchParams(), headers: {} }
    const ask = (path: string) => documents.respond({ ...rest, path })
    expect(ask('/api/v1/pods')).toBeUndefined()
    expect(ask('/apis/apps/v1/deployments')).toBeUndefined()
    expect(ask('/metrics')).toBeUndefined()
  })
})

test('/version is indented for everybody and can be overridden in part', () => {
  const answer = get('/version')
  expect(answer.type === 'object' && answer.text).toContain('\n  "gitVersion": "v1.35.8",\n')
  const other = new ApiDocuments({
    serverAddress: '',
    resources: () => [],
    definitionOf: () => undefined,
    now: () => now,
    version: { platform: 'test' },
  })
  expect(bodyOf(get('/version', {}, other))).toMatchObject({ gitVersion: 'v1.35.8', platform: 'test' })
})

describe('OpenAPI v3', () => {
  const index = parse(text('/openapi/v3')) as { paths: Record<string, { serverRelativeURL: string }> }

  test('the index names every document', () => {
    expect(Object.keys(index.paths)).toEqual(Object.keys(digests.openapiV3).sort())
    expect(get('/openapi/v3')).toMatchObject({ status: 200, contentType: 'text/plain; charset=utf-8' })
  })

  test.each(Object.keys(digests.openapiV3))('OpenAPI v3: %s equals the real one but for descriptions', (name) => {
    const document = withoutDescriptions(parse(text(`/openapi/v3/${name}`)))
    expect(digest(JSON.stringify(document))).toBe(digests.openapiV3[name])
  })

  test('descriptions of built-ins are not there; those of authors are kept', () => {
    expect(text('/openapi/v3/apis/apps/v1')).not.toContain('"description":"')
    const gizmos = text('/openapi/v3/apis/tools.example.com/v2')
    expect(gizmos).toContain('{"description":"A gizmo, as its author describes it.","type":"object"')
    expect(gizmos).toContain('"port":{"description":"a port"')
  })

  test('the hash of the index is that of the document, and makes it immutable', () => {
    const url = index.paths['apis/ex.io/v1']?.serverRelativeURL ?? ''
    const hash = createHash('sha512').update(text('/openapi/v3/apis/ex.io/v1')).digest('hex').toUpperCase()
    expect(url).toBe(`/openapi/v3/apis/ex.io/v1?hash=${hash}`)
    const headers = {
      vary: 'Accept',
      'cache-control': 'public, immutable',
      expires: 'Sat, 02 Jan 2027 03:04:05 GMT',
      etag: `"${hash}"`,
    }
    expect(get(url)).toMatchObject({ status: 200, contentType: 'application/json', headers })
    const unchanged = get(url, { 'if-none-match': `"${hash}"` })
    expect(unchanged).toEqual({ type: 'text', status: 304, contentType: '', body: '', headers })
  })

  test('another hash leads to the present one; none is revalidated', () => {
    const location = index.paths['version']?.serverRelativeURL
    const moved = get('/openapi/v3/version?hash=0')
    expect(moved).toMatchObject({ status: 301, headers: { location, vary: 'Accept' } })
    const answer = get('/openapi/v3/version')
    expect(answer.headers).toEqual({ vary: 'Accept', etag: etagOf(answer) })
    const asking = (tags: string) => get('/openapi/v3/version', { 'if-none-match': tags }).status
    expect(asking(`"x", W/${etagOf(answer)}`)).toBe(304)
    expect(asking('*')).toBe(304)
    expect(asking('"x"')).toBe(200)
  })

  test('unknown documents and media types have bare refusals', () => {
    expect(get('/openapi/v3/apis/apps/v9')).toMatchObject({ status: 404, contentType: '', body: '' })
    expect(get('/openapi/v3/')).toMatchObject({ status: 404, body: '' })
    expect(get('/openapi/v3/__proto__')).toMatchObject({ status: 404, body: '' })
    expect(get('/openapi/v3/version', { accept: 'text/html' })).toMatchObject({ status: 406, body: '' })
    expect(get('/openapi/v4')).toMatchObject({ status: 404, body: '404 page not found\n' })
  })
})

describe('OpenAPI v2', () => {
  test('OpenAPI v2 equals the real one but for descriptions', () => {
    const answer = get('/openapi/v2')
    expect(answer).toMatchObject({ contentType: 'application/json' })
    expect(answer.headers).toEqual({ vary: 'Accept-Encoding, Accept', etag: etagOf(answer) })
    const document = withoutDescriptions(parse(text('/openapi/v2')), true)
    expect(digest(JSON.stringify(document))).toBe(digests.openapiV2)
    expect(get('/openapi/v2', { 'if-none-match': etagOf(answer) })).toMatchObject({ status: 304 })
  })

  test('OpenAPI v2 has a protobuf form with the same tag', () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
    const { status, contentType, headers, bytes } = get('/openapi/v2', { accept }) as TextResponse
    expect({ status, contentType }).toEqual({ status: 200, contentType: accept.replace('@', '.') })
    expect(headers?.['etag']).toBe(etagOf(get('/openapi/v2')))
    expect(
      Buffer.from(bytes ?? [])
        .subarray(0, 5)
        .toString(),
    ).toBe('\n\u00032.0')
    expect(get('/openapi/v2', { accept, 'if-none-match': String(headers?.['etag']) })).toMatchObject({ status: 304 })
    expect(get('/openapi/v2', { accept: 'text/html' })).toMatchObject({ status: 406, body: '' })
  })
})

describe('changes of custom resources', () => {
  /** A definition that counts how often a document is made from its schema. */
  function counted(group: string): { entry: [Resource, CustomDefinition]; made: () => number } {
    let reads = 0
    const schema = {
      get type() {
        reads++
        return 'object'
      },
    }
    const resource = { ...(specs[2] && resourcesOf(specs[2])[0]?.[0]), group } as Resource
    return { entry: [resource, { storageVersion: 'v1', schema }], made: () => reads }
  }

  test('changes of custom resources show after invalidate, and make only their own document again', () => {
    const first = counted('first.io')
    const second = counted('second.io')
    const served = new Map([first.entry])
    const changing = serve(served)
    const tag = etagOf(get('/apis', { accept: aggregated }, changing))
    const before = text('/openapi/v3', changing)
    expect(first.made()).toBe(1)

    served.set(...second.entry)
    expect(text('/openapi/v3', changing)).toBe(before)
    changing.invalidate()
    const paths = Object.keys((parse(text('/openapi/v3', changing)) as { paths: JsonObject }).paths)
    expect(paths).toContain('apis/second.io/v1')
    expect(etagOf(get('/apis', { accept: aggregated }, changing))).not.toBe(tag)
    expect([first.made(), second.made()]).toEqual([1, 1])

    served.delete(second.entry[0])
    changing.invalidate()
    expect(text('/openapi/v3', changing)).toBe(before)
    expect(etagOf(get('/apis', { accept: aggregated }, changing))).toBe(tag)
    expect(get('/openapi/v3/apis/second.io/v1', {}, changing)).toMatchObject({ status: 404 })
    expect(first.made()).toBe(1)
  })

  test('nothing is made before it is asked for', () => {
    const { entry, made } = counted('lazy.io')
    const lazy = serve(new Map([entry]))
    get('/apis', { accept: aggregated }, lazy)
    get('/openapi/v3/apis/apps/v1', {}, lazy)
    expect(made()).toBe(0)
  })
})
