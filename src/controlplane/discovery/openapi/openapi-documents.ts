/** OpenApiDocuments: serves `/openapi/v2`, the index `/openapi/v3` and its documents, each made on first use. */
import { appendAll } from '../../../api/append.ts'
import { isObject, type Json, type JsonObject } from '../../../api/json.ts'
import { encodeOpenApiV2 } from '../../../codec/protobuf/openapi-v2.ts'
import { discovery, schemas } from '../../../facts/facts.ts'
import type { ApiRequest, ApiResponse, TextResponse } from '../../contract/request.ts'
import type { Resource } from '../../contract/resource.ts'
import { acceptsAny, chooseOpenApiV2 } from '../accept.ts'
import { contentHash } from '../content-hash.ts'
import { emptyResponse, notFoundPage } from '../plain-response.ts'
import type { CustomDefinition, DefinitionOf } from '../served-groups.ts'
import { builtinDocumentNames, builtinPaths, isUnserved } from './builtin-operations.ts'
import { customPaths } from './custom-operations.ts'
import { customSchemas } from './custom-schema.ts'
import { described } from './descriptions.ts'
import { documentV2 } from './document-v2.ts'
import { builtinHead, customHead, documentV3 } from './document-v3.ts'
import { metaSchema } from './operation.ts'
import { builtinSchema } from './reachable-schemas.ts'
import { schemaV2 } from './schema-v2.ts'

export interface OpenApiOptions {
  readonly resources: () => readonly Resource[]
  readonly definitionOf: DefinitionOf
  /** Built-in versions that are served and are not by default. Default: none. */
  readonly optional?: readonly string[]
  readonly now: () => number
}

interface Document {
  readonly text: string
  readonly hash: string
}

/**
 * A custom resource and its definition when the document was made. If either is replaced, the document is made again.
 */
interface Source {
  readonly resource: Resource
  readonly definition: CustomDefinition | undefined
}

interface CustomDocument {
  readonly sources: readonly Source[]
  document?: Document
}

const yearMs = 365 * 24 * 3600 * 1000

export class OpenApiDocuments {
  readonly #options: OpenApiOptions
  readonly #optional: readonly string[]
  readonly #builtin = new Map<string, Document>()
  #custom: Map<string, CustomDocument> = new Map()
  #stale = true
  #index: string | undefined
  #v2: Document | undefined
  /** The same document in protobuf. */
  #v2Bytes: Uint8Array | undefined

  constructor(options: OpenApiOptions) {
    this.#options = options
    this.#optional = options.optional ?? []
  }

  invalidate(): void {
    this.#stale = true
    this.#index = undefined
    this.#v2 = undefined
    this.#v2Bytes = undefined
  }

  /** Accepts any method, as upstream. */
  respond(request: Pick<ApiRequest, 'path' | 'query' | 'headers'>): ApiResponse {
    const { path, headers } = request
    if (path === '/openapi/v2') return this.#respondV2(headers)
    if (path === '/openapi/v3') return this.#respondIndex()
    if (path.startsWith('/openapi/v3/')) return this.#respondV3(path.slice('/openapi/v3/'.length), request)
    return notFoundPage()
  }

  /** The index is JSON but served as text, as upstream's aggregator does. */
  #respondIndex(): ApiResponse {
    this.#index ??= this.#makeIndex()
    return { type: 'text', status: 200, contentType: 'text/plain; charset=utf-8', body: this.#index }
  }

  #respondV2(headers: ApiRequest['headers']): ApiResponse {
    const vary = 'Accept-Encoding, Accept'
    const contentType = chooseOpenApiV2(headers['accept'])
    if (contentType === undefined) return emptyResponse(406, { vary })
    this.#v2 ??= makeDocument(this.#makeV2())
    const answer = serve(this.#v2, headers, { vary })
    if (contentType === 'application/json' || answer.status !== 200) return answer
    // As upstream, both encodings have the same ETag.
    this.#v2Bytes ??= encodeOpenApiV2(JSON.parse(this.#v2.text) as JsonObject)
    return { ...answer, contentType, bytes: this.#v2Bytes }
  }

  #respondV3(name: string, { query, headers }: Pick<ApiRequest, 'query' | 'headers'>): ApiResponse {
    if (!this.#serves(name)) return emptyResponse(404)
    if (!acceptsAny(headers['accept'], ['application/json'])) return emptyResponse(406, { vary: 'Accept' })
    const document = this.#document(name)
    const wanted = query.get('hash') ?? ''
    if (wanted === '') return serve(document, headers, { vary: 'Accept' })
    if (wanted !== document.hash) {
      const location = documentUrl(name, document.hash)
      const redirect = emptyResponse(301, { location, etag: `"${document.hash}"`, vary: 'Accept' })
      return { ...redirect, contentType: 'application/json' }
    }
    const expires = new Date(this.#options.now() + yearMs).toUTCString()
    return serve(document, headers, { vary: 'Accept', 'cache-control': 'public, immutable', expires })
  }

  #serves(name: string): boolean {
    return builtinDocumentNames(this.#optional).includes(name) || this.#customDocuments().has(name)
  }

  #document(name: string): Document {
    const custom = this.#customDocuments().get(name)
    if (custom !== undefined) return (custom.document ??= makeDocument(customDocument(custom.sources)))
    let document = this.#builtin.get(name)
    if (document === undefined) {
      document = makeDocument(documentV3(builtinHead, builtinPaths(name), builtinSchema))
      this.#builtin.set(name, document)
    }
    return document
  }

  /** Keeps each document whose sources have not changed. */
  #customDocuments(): ReadonlyMap<string, CustomDocument> {
    if (!this.#stale) return this.#custom
    const found = new Map<string, Source[]>()
    for (const resource of this.#options.resources()) {
      const name = `apis/${resource.group}/${resource.version}`
      if (resource.builtin || resource.derived !== undefined || this.#isBuiltin(resource)) continue
      const sources = found.get(name) ?? []
      found.set(name, sources)
      sources.push({ resource, definition: this.#options.definitionOf(resource) })
    }
    const documents = new Map<string, CustomDocument>()
    for (const [name, sources] of found) {
      const known = this.#custom.get(name)
      documents.set(name, known !== undefined && sameSources(known.sources, sources) ? known : { sources })
    }
    this.#custom = documents
    this.#stale = false
    return documents
  }

  /** A built-in group-version hides custom resources with the same group and version. */
  #isBuiltin({ group, version }: Resource): boolean {
    const versions = discovery().apis.items.find((each) => each.metadata.name === group)?.versions
    const isDefault = versions?.some((each) => each.version === version) ?? false
    return isDefault || this.#optional.includes(`${group}/${version}`)
  }

  #makeIndex(): string {
    const names = [...builtinDocumentNames(this.#optional), ...this.#customDocuments().keys()].sort()
    const paths: Record<string, { serverRelativeURL: string }> = {}
    for (const name of names) {
      paths[name] = { serverRelativeURL: documentUrl(name, this.#document(name).hash) }
    }
    return JSON.stringify({ paths })
  }

  #makeV2(): Json {
    const definitions = new Map<string, Json>()
    for (const [name, schema] of schemas().entries()) {
      if (!isUnserved(name, this.#optional)) definitions.set(name, schemaV2(schema))
    }
    const paths = builtinDocumentNames(this.#optional).flatMap((name) => builtinPaths(name))
    for (const { sources } of this.#customDocuments().values()) {
      for (const { resource, definition } of sources) {
        appendAll(paths, customPaths(resource))
        for (const [name, schema] of customSchemas(resource, definition, 'v2')) definitions.set(name, schema)
      }
    }
    return documentV2(paths, definitions)
  }
}

function sameSources(a: readonly Source[], b: readonly Source[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ resource, definition }, i) => {
      const other = b[i]
      return other?.resource === resource && other.definition?.schema === definition?.schema
    })
  )
}

function customDocument(sources: readonly Source[]): Json {
  const schemasByName = new Map<string, Json>()
  for (const { resource, definition } of sources) {
    for (const [name, schema] of customSchemas(resource, definition, 'v3')) schemasByName.set(name, schema)
  }
  const paths = sources.flatMap(({ resource }) => customPaths(resource))
  paths.sort((a, b) => (a.path < b.path ? -1 : 1))
  const source = (name: string): Json | undefined => schemasByName.get(name) ?? described(name, knownToCustom(name))
  return documentV3(customHead, paths, source, [metaSchema('ObjectMeta')])
}

/** Groups that are unknown to upstream's generator of these documents. */
const unknownToCustom = new Set([
  'admission.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'imagepolicy.k8s.io',
])

/** The schema of DeleteOptions lists the groups that it is used in. */
function knownToCustom(name: string): Json | undefined {
  const schema = builtinSchema(name)
  if (name !== metaSchema('DeleteOptions') || !isObject(schema)) return schema
  const kinds = schemas().get(name)?.['x-kubernetes-group-version-kind'] ?? []
  const known = kinds.filter(({ group }) => !unknownToCustom.has(group))
  return { ...schema, 'x-kubernetes-group-version-kind': known }
}

function makeDocument(content: Json): Document {
  const text = JSON.stringify(content)
  return { text, hash: contentHash(text) }
}

function documentUrl(name: string, hash: string): string {
  return `/openapi/v3/${name}?hash=${hash}`
}

function serve(
  document: Document,
  requested: ApiRequest['headers'],
  extra: Readonly<Record<string, string>>,
): TextResponse {
  const headers = { ...extra, etag: `"${document.hash}"` }
  if (matchesTag(requested['if-none-match'], headers.etag)) return emptyResponse(304, headers)
  return { type: 'text', status: 200, contentType: 'application/json', body: document.text, headers }
}

/** An If-None-Match header may list several tags, weak tags or `*`. */
function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((each) => {
    const tag = each.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}
