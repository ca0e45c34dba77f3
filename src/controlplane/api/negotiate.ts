/** Content negotiation: the encoding and transformation that a client accepts. */
import { apiError } from '../../api/status.ts'
import { acceptsAny, matchesMediaRange, parseAccept, type MediaRange } from '../discovery/accept.ts'
import type { Resource } from '../contract/resource.ts'

export type Encoding = 'json' | 'yaml' | 'protobuf'

export interface Representation {
  readonly encoding: Encoding
  /** The transformation of the object or list. Undefined: none. */
  readonly as?: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  /** The meta.k8s.io version of the transformation. Absent: `v1`. */
  readonly version?: 'v1beta1'
  /** What a table row contains besides its cells. */
  readonly includeObject: 'Metadata' | 'Object' | 'None'
}

const plain: Representation = { encoding: 'json', includeObject: 'Metadata' }

export const protobufMediaType = 'application/vnd.kubernetes.protobuf'

const served = `application/json, application/yaml, ${protobufMediaType}`
const servedStreams = `application/json;stream=watch, ${protobufMediaType};stream=watch`

type Choice = Representation | 'unknown' | 'unserved'

/** By Accept header; separate for built-in kinds and for custom resources, which have no protobuf form. */
const caches = { builtin: new Map<string, Choice>(), custom: new Map<string, Choice>() }
const maxCachedChoices = 256

/**
 * Throws 406 if no accepted form can be produced. `collection`: a GET of a collection, which may be a watch. `tables`:
 * whether the response can be a table. `named`: a media type that upstream lists as available but does not accept.
 */
export function negotiate(
  accept: string | undefined,
  query: URLSearchParams,
  resource: Resource,
  collection = false,
  tables = true,
  named = '',
): Representation {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return plain
  const cache = resource.builtin ? caches.builtin : caches.custom
  let choice = cache.get(accept)
  if (choice === undefined) {
    choice = choose(accept, resource.builtin)
    if (cache.size < maxCachedChoices) cache.set(accept, choice)
  }
  if (!tables && typeof choice !== 'string' && choice.as === 'Table') choice = choose(accept, resource.builtin, false)
  const isNamed = named !== '' && parseAccept(accept).some((range) => matchesMediaRange(range, named))
  if (choice === 'unknown' && resource.builtin && !isNamed) {
    const all = collection ? `${served}, ${servedStreams}` : named === '' ? served : `${named}, ${served}`
    throw apiError.notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${all}`, {})
  }
  if (typeof choice === 'string') throw apiError.notAcceptable(`only the following media types are accepted: ${served}`)
  const include = query.get('includeObject')
  if (choice.as !== 'Table' || include === null || include === '') return choice
  if (include !== 'Metadata' && include !== 'Object' && include !== 'None') {
    throw apiError.badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: ` +
        `must be 'Metadata', 'Object', 'None', or empty`,
    )
  }
  return { ...choice, includeObject: include }
}

/** The encoding in which a client accepts a Status, ignoring transformations. */
export function errorEncoding(accept: string | undefined): Encoding {
  if (accept === undefined || !(accept.includes(protobufMediaType) || accept.includes('application/yaml')))
    return 'json'
  return (
    parseAccept(accept)
      .map((range) => (transformation(range) === undefined ? encodingOf(range) : undefined))
      .find((encoding) => encoding !== undefined) ?? 'json'
  )
}

function encodingOf(range: MediaRange): Encoding | undefined {
  if (matchesMediaRange(range, 'application/json')) return 'json'
  if (matchesMediaRange(range, 'application/yaml')) return 'yaml'
  return matchesMediaRange(range, protobufMediaType) ? 'protobuf' : undefined
}

function choose(accept: string, builtin: boolean, tables = true): Choice {
  if (builtin && !acceptsAny(accept)) return 'unknown'
  for (const range of parseAccept(accept)) {
    const encoding = encodingOf(range)
    if (encoding === undefined) continue
    const as = transformation(range)
    // PartialObjectMetadata has a protobuf form for all kinds, Table for none.
    if (encoding === 'protobuf' && (as === 'Table' || (!builtin && as === undefined))) continue
    if (as === undefined) return { encoding, includeObject: 'Metadata' }
    if (as === 'unknown' || (as === 'Table' && !tables)) continue
    const choice: Representation = { encoding, as, includeObject: 'Metadata' }
    return range.parameters.get('v') === 'v1beta1' ? { ...choice, version: 'v1beta1' } : choice
  }
  return 'unserved'
}

function transformation({ parameters }: MediaRange): Representation['as'] | 'unknown' {
  const as = parameters.get('as')
  if (as === undefined || as === '') return undefined
  if (parameters.get('g') !== 'meta.k8s.io' || (parameters.get('v') !== 'v1' && parameters.get('v') !== 'v1beta1'))
    return 'unknown'
  return as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? as : 'unknown'
}
