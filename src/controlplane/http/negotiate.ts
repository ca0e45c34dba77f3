/** Negotiation: the form in which a client wants its answer. */
import { apiError } from '../../api/status.ts'
import { acceptsAny, matches, parseAccept, type MediaRange } from '../discovery/accept.ts'
import type { Resource } from '../registry/resource.ts'

export interface Representation {
  readonly encoding: 'json' | 'yaml'
  /** A transformation of the object or list; undefined: as it is. */
  readonly as?: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  /** What a table row carries beside its cells. */
  readonly includeObject: 'Metadata' | 'Object' | 'None'
}

const plain: Representation = { encoding: 'json', includeObject: 'Metadata' }

const served = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'

const cache = new Map<string, Representation | 'unknown' | 'unserved'>()
const cacheLimit = 256

/** Throws 406 when nothing that the client takes can be made. */
export function negotiate(accept: string | undefined, query: URLSearchParams, resource: Resource): Representation {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return plain
  let choice = cache.get(accept)
  if (choice === undefined) {
    choice = choose(accept)
    if (cache.size < cacheLimit) cache.set(accept, choice)
  }
  if (choice === 'unknown' && resource.builtin) {
    throw apiError.notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${served}`, {})
  }
  if (typeof choice === 'string') throw apiError.notAcceptable(`only the following media types are accepted: ${served}`)
  const include = query.get('includeObject')
  if (choice.as !== 'Table' || include === null || include === '') return choice
  if (include !== 'Metadata' && include !== 'Object' && include !== 'None') {
    throw apiError.badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    )
  }
  return { ...choice, includeObject: include }
}

function choose(accept: string): Representation | 'unknown' | 'unserved' {
  for (const range of parseAccept(accept)) {
    const encoding = matches(range, 'application/json') ? 'json' : matches(range, 'application/yaml') ? 'yaml' : undefined
    if (encoding === undefined) continue
    const as = transformation(range)
    if (as === undefined) return { encoding, includeObject: 'Metadata' }
    if (as !== 'unknown') return { encoding, as, includeObject: 'Metadata' }
  }
  return acceptsAny(accept) ? 'unserved' : 'unknown'
}

function transformation({ parameters }: MediaRange): Representation['as'] | 'unknown' {
  const as = parameters.get('as')
  if (as === undefined || as === '') return undefined
  if (parameters.get('g') !== 'meta.k8s.io' || (parameters.get('v') !== 'v1' && parameters.get('v') !== 'v1beta1')) return 'unknown'
  return as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? as : 'unknown'
}
