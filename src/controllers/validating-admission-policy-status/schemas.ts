/** The schemas of kinds, from the OpenAPI documents of the server. */
import { isNotFound, type Client } from '../../index.ts'
import type { KindOfVersion } from './kinds.ts'

type Schemas = Readonly<Record<string, unknown>>

export interface KindSchema extends KindOfVersion {
  /** The name of its schema. */
  readonly schema: string
  /** All schemas of the document, by name: they refer to each other. */
  readonly schemas: Schemas
}

/** Reads each document once. Undefined if the server has no schema of the kind. */
export function schemaReader(
  client: Client,
  signal: AbortSignal,
): (kind: KindOfVersion) => Promise<KindSchema | undefined> {
  const documents = new Map<string, Promise<Schemas>>()
  return async (kind) => {
    const path = kind.group === '' ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`
    let document = documents.get(path)
    if (document === undefined) documents.set(path, (document = readSchemas(client, path, signal)))
    const schemas = await document
    const schema = Object.keys(schemas).find((name) => isSchemaOf(schemas[name], kind))
    return schema === undefined ? undefined : { ...kind, schema, schemas }
  }
}

async function readSchemas(client: Client, path: string, signal: AbortSignal): Promise<Schemas> {
  try {
    const body = await client.raw('GET', `/openapi/v3/${path}`, { signal })
    // In the same process the document is the server's text.
    const document: unknown = typeof body === 'string' ? JSON.parse(body) : body
    return (document as { readonly components?: { readonly schemas?: Schemas } }).components?.schemas ?? {}
  } catch (error) {
    if (isNotFound(error)) return {}
    throw error
  }
}

function isSchemaOf(schema: unknown, { group, version, kind }: KindOfVersion): boolean {
  const names = (schema as { readonly 'x-kubernetes-group-version-kind'?: readonly KindOfVersion[] } | undefined)?.[
    'x-kubernetes-group-version-kind'
  ]
  return names?.some((name) => name.group === group && name.version === version && name.kind === kind) === true
}
